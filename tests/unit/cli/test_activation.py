"""Environments in real shells and as real modules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from envlock.cli.activate import Shell
from envlock.model.locked.activation import Activation
from envlock.render.using.module_files import lua_text, tcl_text
from envlock.render.using.shells import SHELLS, csh_text, fish_text, sh_text
from tests.unit.cli.conftest import Said, Site

pytestmark = pytest.mark.processes

Envlock = Callable[..., Said]
REAL = ["--target", "real"]
LMOD = Path("/usr/share/lmod/lmod/libexec/lmod")
QUIET = {"tcsh": ["-f"], "csh": ["-f"], "fish": ["--no-config"]}
"""What keeps a shell from reading files of the user's."""
SHOW = (
    'python -c "import alpha, sys; print(sys.prefix)"; '
    'echo "${PYTHONPATH-unset} $VIRTUAL_ENV $PYTHONNOUSERSITE"'
)


@pytest.fixture
def prefix(site: Site, envlock: Envlock) -> str:
    assert envlock("solve", "tiny", *REAL).status == 0
    where: str = json.loads(envlock("where", "tiny", *REAL, "--json").out)["prefix"]
    return where.replace("<root>", str(site.root))


def shell(name: str, script: str) -> list[str]:
    if shutil.which(name) is None:
        pytest.skip(f"no {name} on this machine")
    environ = {"PATH": "/usr/bin:/bin", "PYTHONPATH": "/leaks", "HOME": "/nowhere"}
    done = subprocess.run(
        [name, *QUIET.get(name, []), "-c", script], env=environ, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", ["dash", "bash", "zsh"])
def test_there_and_back_in_a_shell(site: Site, prefix: str, envlock: Envlock, name: str):
    text = envlock("activate", "tiny", *REAL).out.replace("<root>", str(site.root))
    after = 'envlock_deactivate; echo "$PATH ${PYTHONPATH-unset} ${VIRTUAL_ENV-unset}"'
    twice = f"{text}\n{text}"  # activated again, the first one is taken back before
    assert shell(name, f"{twice}\n{SHOW}\n{after}") == [
        prefix,
        f"unset {prefix} 1",
        "/usr/bin:/bin /leaks unset",
    ]


SEEN = Activation(
    group="g",
    title="g",
    modules=(),
    prepended={"PATH": ("/a b/bin", "/c/bin"), "LD_LIBRARY_PATH": ("/c/lib",)},
    set={"VIRTUAL_ENV": "/it's a b"},
    unset=("PYTHONPATH", "PYTHONHOME"),
)
OTHERS = {"tcsh": csh_text, "csh": csh_text, "fish": fish_text}
SAY = 'env | grep -E "^(PATH|LD_LIBRARY_PATH|VIRTUAL_ENV|PYTHONPATH|PYTHONHOME)=" | sort'


@pytest.mark.parametrize("name", OTHERS)
def test_there_and_back_in_other_shells(name: str):
    """Activated twice, with a variable that was not set before: all is as it was in the end."""
    text = OTHERS[name](SEEN)
    assert shell(name, f"{text}\n{text}\n{SAY}\nenvlock_deactivate\n{SAY}") == [
        "LD_LIBRARY_PATH=/c/lib",
        "PATH=/a b/bin:/c/bin:/usr/bin:/bin",
        "VIRTUAL_ENV=/it's a b",
        "PATH=/usr/bin:/bin",
        "PYTHONPATH=/leaks",
    ]


LOADS = {
    "tcsh": "alias module 'setenv PATH /opt/\\!:2/bin:/usr/bin:/bin'",
    "csh": "alias module 'setenv PATH /opt/\\!:2/bin:/usr/bin:/bin'",
    "fish": "function module; set -gx PATH /opt/$argv[2]/bin /usr/bin /bin; end",
}
"""A stand-in for ``module`` that puts the programs of what it loads in front."""


@pytest.mark.parametrize("name", ["dash", "bash", "zsh", *OTHERS])
def test_one_environment_after_another_has_the_modules_of_its_own(name: str):
    text = SHELLS.get(name, sh_text)
    one = replace(SEEN, modules=("mpi-one",), prepended={"PATH": ("/one/bin",)}, unset=())
    two = replace(SEEN, modules=("mpi-two",), prepended={"PATH": ("/two/bin",)}, unset=())
    load = LOADS.get(name, "module() { export PATH=/opt/$2/bin:/usr/bin:/bin; }")
    said = shell(name, f"{load}\n{text(one)}\n{text(two)}\n/usr/bin/env | /usr/bin/grep ^PATH=")
    assert said == ["PATH=/two/bin:/opt/mpi-two/bin:/usr/bin:/bin"]


def test_evaluated_in_one_line_in_csh(site: Site):
    """``eval "`...`"`` joins the lines."""
    place = site.root / "text"
    place.write_text(csh_text(SEEN))
    script = f'eval "`cat {place}`"\n{SAY}\nenvlock_deactivate\n{SAY}'
    assert shell("tcsh", script)[1:4] == [
        "PATH=/a b/bin:/c/bin:/usr/bin:/bin",
        "VIRTUAL_ENV=/it's a b",
        "PATH=/usr/bin:/bin",
    ]


def test_modules_that_do_not_load_in_fish():
    text = fish_text(replace(SEEN, modules=("gone/1",)))
    asked = f"function module; false; end\n{text}or echo refused\n{SAY}"
    assert shell("fish", asked) == ["refused", "PATH=/usr/bin:/bin", "PYTHONPATH=/leaks"]


@pytest.mark.parametrize("form", ["lua", "tcl"])
def test_a_module_loads_in_lmod(site: Site, prefix: str, envlock: Envlock, form: str):
    if not LMOD.is_file():
        pytest.skip("no Lmod on this machine (Debian: lmod)")
    modules = site.root / "modules"
    name = ["--to", str(modules), "--name", "nlpl-alpha/{alpha}/{python}", "--format", form]
    document = json.loads(envlock("module", "tiny", *REAL, *name, "--json").out)
    python = ".".join(site.real.version.split(".")[:2])
    assert document["name"] == f"nlpl-alpha/2.0/{python}"
    script = f'''
        export MODULEPATH={modules} LMOD_CMD={LMOD}
        module() {{ eval "$($LMOD_CMD bash "$@")"; }}
        module load {document["name"]}
        {SHOW}
        module unload {document["name"]}
        echo "$PATH"'''
    assert shell("bash", script) == [prefix, f"unset {prefix} 1", "/usr/bin:/bin"]


@pytest.mark.parametrize(("form", "text"), [(".lua", lua_text), ("", tcl_text)])
def test_one_environment_at_a_time_by_modules(tmp_path: Path, form: str, text: Callable[..., str]):
    if not LMOD.is_file():
        pytest.skip("no Lmod on this machine (Debian: lmod)")
    for name in ("one/1", "two/1"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}{form}").write_text(text(SEEN, name))
    script = f'''
        export MODULEPATH={tmp_path}
        eval "$({LMOD} bash load one/1 2>&-)"; eval "$({LMOD} bash load two/1 2>&-)"; echo "$LOADEDMODULES"'''
    assert shell("bash", script) == ["two/1"]


@pytest.mark.parametrize(("form", "text"), [(".lua", lua_text), ("", tcl_text)])
def test_a_module_sets_a_variable_to_nothing(tmp_path: Path, form: str, text: Callable[..., str]):
    if not LMOD.is_file():
        pytest.skip("no Lmod on this machine (Debian: lmod)")
    activation = replace(SEEN, modules=(), set={"EMPTY": "", "FULL": "a b"})
    (tmp_path / "one").mkdir()
    (tmp_path / f"one/1{form}").write_text(text(activation, "one/1"))
    script = f'''
        export MODULEPATH={tmp_path}
        eval "$({LMOD} bash load one/1)"; echo "${{EMPTY-unset}}.$FULL"'''
    assert shell("bash", script) == [".a b"]


def test_any_text_is_one_word_of_tcl():
    if shutil.which("tclsh") is None:
        pytest.skip("no tclsh on this machine (Debian: tcl)")
    text = 'a b\n"c"\t$x [exit] {;#} \\'
    script = tcl_text(replace(SEEN, set={"ODD": text}, modules=(), prepended={}, unset=()), "one/1")
    (line,) = (one for one in script.splitlines() if one.startswith("setenv"))
    done = subprocess.run(
        ["tclsh"],
        input=f"puts -nonewline [lindex [list {line}] 2]",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == text


def test_gc_keeps_what_a_module_names(site: Site, prefix: str, envlock: Envlock):
    modules = site.root / "modules"
    envlock("module", "tiny", *REAL, "--to", str(modules))
    site.offer("beta", "1.2")
    assert envlock("solve", "tiny", *REAL, "--upgrade").status == 0
    assert envlock("gc", "--yes").status == 0
    assert Path(prefix).is_dir()
    shutil.rmtree(modules)
    assert envlock("gc", "--yes").status == 0
    assert not Path(prefix).exists()


@pytest.mark.parametrize(("form", "file"), [("lua", "gcc/12.lua"), ("tcl", "gcc/12")])
def test_a_module_of_somebody_else_is_not_replaced(
    site: Site, prefix: str, envlock: Envlock, form: str, file: str
):
    path = site.root / "modules" / file
    write = [
        "module",
        "tiny",
        *REAL,
        "--to",
        str(site.root / "modules"),
        "--name",
        "gcc/12",
        "--format",
        form,
    ]
    path.parent.mkdir(parents=True)
    path.write_text('#%Module1.0\n-- the compiler\nhelp("not written by envlock 1")\n')
    said = envlock(*write, "--json")
    assert (said.status, json.loads(said.out)["error"]["code"]) == (1, "module-of-another")
    assert "the compiler" in path.read_text()
    path.unlink()
    assert envlock(*write).status == 0
    assert envlock(*write).status == 0  # its own


@pytest.mark.parametrize(
    ("name", "code"), [("{nothing}/1", "unknown-field"), ("../up", "module-name"), ("a b", "module-name")]
)
def test_names_that_are_none(site: Site, prefix: str, envlock: Envlock, name: str, code: str):
    before = site.listing()
    said = envlock("module", "tiny", *REAL, "--to", str(site.root / "modules"), "--name", name, "--json")
    assert (said.status, json.loads(said.out)["error"]["code"]) == (2, code)
    assert site.listing() == before
    assert not (site.root / "modules").exists()


def test_a_module_that_cannot_be_loaded_leaves_the_shell_and_says_no():
    text = sh_text(
        Activation(
            title="t", group="g", modules=("Gone/1",), prepended={}, set={"VIRTUAL_ENV": "/x"}, unset=()
        )
    )
    script = f'module() {{ return 1; }}\n{text}\necho "$? ${{VIRTUAL_ENV-unset}}"'
    assert shell("sh", script) == ["1 unset"]


@pytest.mark.parametrize("content", [None, "echo no interpreter\n"])
def test_a_command_that_cannot_be_run(site: Site, prefix: str, envlock: Envlock, content: str | None):
    """A folder, and a script without its first line."""
    command = site.root / "command"
    if content is None:
        command.mkdir()
    else:
        command.write_text(content)
        command.chmod(0o755)
    said = envlock("run", "tiny", *REAL, "--json", "--", str(command))
    error = json.loads(said.out)["error"]
    assert (said.status, error["code"], error["where"]) == (2, "command-not-runnable", "<root>/command")


def test_odd_paths_are_quoted(tmp_path: Path):
    odd = "/a b/$HOME/it's \\"
    text = sh_text(
        Activation(
            title="t", group="g", modules=(), prepended={"PATH": (odd,)}, set={"VIRTUAL_ENV": odd}, unset=()
        )
    )
    done = subprocess.run(
        ["sh", "-c", f'{text}\nprintf "%s\n" "$VIRTUAL_ENV" "$PATH"'],
        env={"PATH": os.defpath},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [odd, f"{odd}:{os.defpath}"]


def test_a_misspelt_command_is_told_the_nearest_of_the_environment(site: Site, prefix: str, envlock: Envlock):
    said = envlock("run", "tiny", *REAL, "--", "pyhton")
    assert said.status == 2
    assert (
        f"did you mean 'python'? the environment's own commands are in {site.plain(prefix)}/bin" in said.err
    )


def test_every_shell_that_may_be_named_has_its_text():
    assert {one.value for one in Shell} == set(SHELLS)


@pytest.mark.parametrize(
    ("group", "name", "alike"),
    [("g", "g/12345678/3.11", "g"), ("g", "site/g/3.11", "site/g"), ("other", "torch/2.6", "torch")],
)
def test_modules_of_one_group_exclude_each_other_where_there_are_no_families(
    tmp_path: Path, group: str, name: str, alike: str
):
    if shutil.which("tclsh") is None:
        pytest.skip("no tclsh on this machine (Debian: tcl)")
    script = tcl_text(replace(SEEN, group=group, set={}, modules=(), prepended={}, unset=()), name)
    known = "proc module-whatis args {}\nproc conflict args { puts $args }\n"
    done = subprocess.run(["tclsh"], input=known + script, capture_output=True, text=True, check=True)
    assert done.stdout == f"{alike}\n"


@pytest.fixture
def variables_as_before() -> Iterator[None]:
    """A solve loads the modules of its interpreter for all that it starts."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.usefixtures("variables_as_before")
def test_the_module_of_the_interpreter_is_loaded_wherever_the_environment_is_used(
    site: Site, envlock: Envlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Of EasyBuild's Pythons only the module tells where their library is."""
    if not LMOD.is_file():
        pytest.skip("Lmod is not installed (Debian: lmod)")
    modules = tmp_path / "modules/Python"
    modules.mkdir(parents=True)
    (modules / "3.lua").write_text('setenv("OF_THE_MODULE", "there")\n')
    monkeypatch.setenv("LMOD_CMD", str(LMOD))
    monkeypatch.setenv("MODULEPATH", str(modules.parent))
    manifest = site.project / "envlock.toml"
    written = manifest.read_text().replace(
        f'\nversion = "{site.real.version}"', f'\nversion = "{site.real.version}"\nmodules = ["Python/3"]'
    )
    manifest.write_text(written)
    assert envlock("solve", "tiny", *REAL).status == 0
    monkeypatch.delenv("OF_THE_MODULE", raising=False)
    monkeypatch.delenv("LOADEDMODULES", raising=False)
    assert "module load Python/3" in envlock("activate", "tiny", *REAL).out
    folder = site.root / "of-users"
    assert envlock("module", "tiny", *REAL, "--to", str(folder), "--name", "tiny").status == 0
    assert 'depends_on("Python/3")' in (folder / "tiny.lua").read_text()
    command = [sys.executable, "-m", "envlock", "--project", str(site.project), "run", "tiny", *REAL]
    said = subprocess.run(
        [*command, "--", "python", "-c", "import os; print(os.environ['OF_THE_MODULE'])"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.stdout.strip(), said.stderr) == ("there", "")
