from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import deadlines
from tests.toy_environment import ToyEnvironment

pytestmark = pytest.mark.processes

Run = Callable[..., dict[tuple[str, str], dict[str, Any]]]
IMPORTS = ("P1", "imports")


def test_imports_in_order_and_timed(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("second", "import first_toy\nassert first_toy.VALUE == 1\n")
    toys.install("first_toy", "VALUE = 1\n")
    check = one_process("second", "first_toy", only=())[IMPORTS]
    assert check["outcome"] == "passed"
    assert [module["module"] for module in check["details"]["modules"]] == ["second", "first_toy"]
    assert check["seconds"] > 0


def test_a_failing_import_is_named(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("fine", "")
    toys.install("broken", "raise RuntimeError('no such symbol')\n")
    check = one_process("fine", "broken", only=())[IMPORTS]
    assert check["outcome"] == "failed"
    assert "broken: RuntimeError: no such symbol" in check["message"]


def test_an_error_that_is_its_own_cause_is_told_once(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install(
        "broken", "try:\n    import nowhere\nexcept ImportError as error:\n    raise error from error\n"
    )
    check = one_process("broken", only=(), deadline=10.0)[IMPORTS]
    assert check["message"].startswith("broken needs nowhere, which nothing here brings")


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ('raise OSError(f"no service.json. Make sure it\'s in {home}/.service.")', "warned"),
        ("open(f'{home}/.service/key')", "warned"),
        ("raise RuntimeError(f'{home}/.service is of another release')", "failed"),
        ("raise OSError(f'{sys.prefix}/lib/libfine.so: cannot open shared object file')", "failed"),
        ("raise OSError(f'{home}/programs/libfine.so: cannot open shared object file')", "failed"),
        ("raise OSError(f'{home}/.local/lib/libfine.so: cannot open shared object file')", "failed"),
        ("raise OSError('libfine.so: cannot open shared object file')", "failed"),
    ],
)
def test_settings_of_the_user_are_no_part_of_an_environment(
    one_process: Run, toys: ToyEnvironment, code: str, outcome: str
) -> None:
    """As Kaggle's client, which asks for the user's key when it is imported."""
    toys.install("service", f"import os, sys\nhome = os.path.expanduser('~')\n{code}\n")
    check = one_process("service", only=())[IMPORTS]
    assert check["outcome"] == outcome
    if outcome == "warned":
        assert f"{Path.home()}/.service" in check["message"]


NEEDS_AN_EXTRA = """
try:
    import core_lib.xla
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("toyjax requires core-lib to be installed") from error
"""


@pytest.mark.parametrize(
    ("requires", "wanted", "outcome"),
    [
        (("core-lib (==1.0) ; extra == 'cpu'", "fine"), (), "warned"),
        (("core-lib (==1.0) ; extra == 'cpu'",), ("toyjax",), "failed"),
        (("core-lib==1.0",), (), "failed"),
        (("core-lib; extra == 'cpu'", "core-lib; python_version > '3'"), (), "failed"),
    ],
)
def test_what_only_lacks_an_extra_fails_where_the_group_asked_for_it(
    one_process: Run,
    toys: ToyEnvironment,
    requires: tuple[str, ...],
    wanted: tuple[str, ...],
    outcome: str,
) -> None:
    """As jax of 2023 without jaxlib, which TensorFlow 2.12 asks for and does not need."""
    toys.install("fine", "")
    toys.install("toyjax", NEEDS_AN_EXTRA, requires=requires)
    check = one_process("fine", "toyjax", wanted=wanted, only=())[IMPORTS]
    assert check["outcome"] == outcome
    if outcome == "warned":
        told = "toyjax needs core-lib, which toyjax has in an extra and the lock has not"
        assert check["message"] == told


@pytest.mark.parametrize(
    ("requires", "wanted", "outcome"),
    [((), (), "warned"), ((), ("inline",), "failed"), (("plots",), (), "failed")],
)
def test_what_nobody_asked_for_may_lack_what_nothing_brings(
    one_process: Run,
    toys: ToyEnvironment,
    requires: tuple[str, ...],
    wanted: tuple[str, ...],
    outcome: str,
) -> None:
    """As matplotlib-inline, which IPython asks for and does without where there is no Matplotlib."""
    toys.install("fine", "")
    toys.install("inline", "import plots.figure\n", requires=requires)
    check = one_process("fine", "inline", wanted=wanted, only=())[IMPORTS]
    assert check["outcome"] == outcome
    if outcome == "warned":
        told = "inline needs plots, which nothing here brings, and nobody asked for inline by name"
        assert check["message"] == told


@pytest.mark.parametrize(
    ("built", "loaded", "outcome"),
    [("2.9.3", "2.9.3", "passed"), ("2.0.0", "2.0.1+cpu", "passed"), ("2.0.0", "2.1.0", "failed")],
)
def test_horovod_is_held_against_what_has_the_frameworks_module(
    one_process: Run, toys: ToyEnvironment, built: str, loaded: str, outcome: str
) -> None:
    toys.install("horovod", "")
    (toys.site / "horovod" / "metadata.json").write_text(json.dumps({"tensorflow": built}))
    toys.install("tensorflow_plug", "", version="0.32.0")
    toys.install("tensorflow", "", version=loaded)
    names = {"tensorflow_plug": "0.32.0", "tensorflow": loaded}
    check = one_process("horovod", "tensorflow_plug", "tensorflow", **names)["P6", "built and loaded"]
    assert check["outcome"] == outcome
    assert "Horovod's tensorflow" in check["message"]


def test_a_crash_is_named_with_what_came_before(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("fine", "")
    toys.install("crasher", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    toys.install("after", "")
    check = one_process("fine", "crasher", "after", only=())[IMPORTS]
    assert check["outcome"] == "crashed"
    assert check["message"] == "SIGSEGV: importing crasher (after fine)"
    assert "Fatal Python error" in check["details"]["output"]


def test_what_a_program_said_before_it_crashed_is_told(one_process: Run, toys: ToyEnvironment) -> None:
    """As LLVM does, whose options two libraries register; hundreds of names of modules follow."""
    source = "import os, sys\nprint('LLVM ERROR: options', file=sys.stderr, flush=True)\nos.abort()\n"
    toys.install("crasher", source)
    check = one_process("crasher", only=())[IMPORTS]
    assert check["message"] == "SIGABRT: importing crasher (after nothing): LLVM ERROR: options"


def test_no_check_of_one_process_starts_an_mpi(one_process: Run, toys: ToyEnvironment) -> None:
    """Cray's ends a process that starts it on a login node."""
    toys.install("mpi4py", "class rc: initialize = True\n")
    start = "import os, mpi4py\nif mpi4py.rc.initialize:\n    os.abort()\n"
    (toys.site / "mpi4py" / "MPI.py").write_text(start)
    checks = one_process("mpi4py", only=("built-against", "compiled-ops", "symbols", "orders"))
    assert checks[IMPORTS]["outcome"] == "passed"
    assert [check["message"] for check in checks.values() if check["outcome"] == "crashed"] == []


def test_what_a_check_raised_is_told(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("torch", "__version__ = '1.0'\nraise OSError('no room')\n")
    check = one_process("torch", only=("built-against",))["P6", "built and loaded"]
    assert check["outcome"] == "crashed"
    assert check["message"].endswith(": OSError: no room")


def test_where_importing_crashed_nothing_passes_for_what_comes_after(
    one_process: Run, toys: ToyEnvironment
) -> None:
    toys.install("crasher", "import os\nos.abort()\n")
    toys.install("after", "")
    checks = one_process("crasher", "after", only=("linking", "symbols"))
    names = (("P3", "native libraries"), ("P4", "OpenMP"), ("P5", "provenance"), ("P8", "exported symbols"))
    assert {checks[name]["outcome"] for name in names} == {"not-applicable"}
    assert checks["P5", "provenance"]["message"].startswith(
        "importing did not come to its end; up to there: "
    )


def test_without_a_module_nothing_is_imported(one_process: Run) -> None:
    check = one_process(only=())[IMPORTS]
    assert (check["outcome"], check["message"]) == (
        "not-applicable",
        "nothing here has a module to import",
    )


def test_a_hang_is_named_and_ends_at_the_deadline(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("sleeper", "import time\ntime.sleep(3600)\n")
    for deadline_s in deadlines(4.0):
        check = one_process("sleeper", deadline=deadline_s, only=())[IMPORTS]
        assert check["outcome"] == "timed-out"
        if "sleeper/__init__.py" in check["details"]["output"]:
            break
    assert "importing sleeper" in check["message"]
    assert "sleeper/__init__.py" in check["details"]["output"]


def test_an_exit_of_the_whole_process_is_a_crash(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("leaver", "import os\nos._exit(0)\n")
    check = one_process("leaver", only=())[IMPORTS]
    assert check["outcome"] == "crashed"
    assert check["message"] == "exit status 0: importing leaver (after nothing)"


def test_a_failing_secondary_module_only_warns(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("main", "")
    (toys.site / "main_extra.py").write_text("import nowhere\n")
    (toys.site / "main-1.0.dist-info" / "RECORD").write_text("main/__init__.py,,\nmain_extra.py,,\n")
    check = one_process("main", only=())[IMPORTS]
    assert check["outcome"] == "warned"
    assert "main_extra" in check["message"]


def test_what_is_not_installed_or_in_another_version_fails(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("there", "", version="1.1")
    assert one_process("absent", only=())[IMPORTS]["message"] == "not installed: absent"
    assert "there 1.1 instead of 1.0" in one_process("there", only=())[IMPORTS]["message"]
    assert one_process("there", there="1.1.0", only=())[IMPORTS]["outcome"] == "passed"


def test_an_exercise_with_a_wrong_value_fails(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("scipy", "")
    (toys.site / "scipy" / "linalg.py").write_text("def solve(a, b):\n    return [1.0, 3.0]\n")
    check = one_process("scipy", only=("exercise",))[("P9", "exercise scipy")]
    assert check["outcome"] == "failed"
    assert "[1.0, 3.0], expected [1.0, 2.0]" in check["message"]


def test_an_error_without_a_text_is_told_by_the_line_that_raised_it(
    one_process: Run, toys: ToyEnvironment
) -> None:
    toys.install("broken", "chosen = None\nassert chosen is not None\n")
    check = one_process("broken", only=(), wanted=("broken",))[IMPORTS]
    assert check["message"].endswith("broken: AssertionError: assert chosen is not None (__init__.py:2)")


def test_after_a_crash_the_other_exercises_go_on(one_process: Run, toys: ToyEnvironment) -> None:
    toys.install("spacy", "def blank(language):\n    import os\n    os.abort()\n")
    toys.install("scipy", "")
    (toys.site / "scipy" / "linalg.py").write_text("def solve(a, b):\n    return [1.0, 2.0]\n")
    checks = one_process("spacy", "scipy", only=("exercise",))
    assert checks[("P9", "exercise spacy")]["outcome"] == "crashed"
    assert "SIGABRT" in checks[("P9", "exercise spacy")]["message"]
    assert checks[("P9", "exercise scipy")]["outcome"] == "passed"


def test_a_crash_on_import_is_laid_to_nobody_else(one_process: Run, toys: ToyEnvironment) -> None:
    """All are imported before the first is called, and the first was blamed, then the second, and so on."""
    toys.install("scipy", "")
    (toys.site / "scipy" / "linalg.py").write_text("def solve(a, b):\n    return [1.0, 2.0]\n")
    toys.install("spacy", "import os\nos.abort()\n")
    checks = one_process("scipy", "spacy", only=("exercise",))
    assert checks[("P9", "exercise scipy")]["outcome"] == "passed"
    assert checks[("P9", "exercise spacy")]["message"] == "SIGABRT: while spacy was imported"


def test_python_path_is_leakage(one_process: Run, toys: ToyEnvironment) -> None:
    check = one_process(only=())[("S7", "isolation")]
    assert check["outcome"] == "failed"
    assert f"{toys.site} (PYTHONPATH)" in check["message"]
