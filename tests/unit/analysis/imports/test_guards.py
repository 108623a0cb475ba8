"""What is read below conditions that other distributions are there counts beside these, and nothing else."""

import pytest

from envlock.analysis.imports.modules import Module
from envlock.analysis.imports.statements import reads_by_guards, reads_on_import

ASKS = "import importlib.util\n_peft_available = importlib.util.find_spec('peft') is not None\n"
FUNCTION = "def is_peft_available():\n    'Whether it is there.'\n    return _peft_available\n"


def below(top: str, known: str = ASKS + FUNCTION) -> list[list[str]]:
    """What must be there for ``peft.late`` to be read on import of ``thing``."""
    modules = {
        "thing": Module("thing/__init__.py", top),
        "thing.known": Module("thing/known.py", known),
        "thing.more": Module("thing/more.py", "from peft import late\n"),
    }
    found = reads_by_guards(modules, ["thing"])
    assert "peft.late" not in reads_on_import(modules, ["thing"])
    return [sorted(guards) for guards, reads in found.items() if "peft.late" in reads]


READS = "    from peft import late\n"


@pytest.mark.parametrize(
    "top",
    [
        "if is_peft_available():\n" + READS,
        "if known.PEFT._peft_available:\n" + READS,
        "if find_spec('peft') is not None:\n" + READS,
        "if package_available('peft'):\n" + READS,
        "if is_peft_available():\n    from thing.more import late\n",
        "try:\n    import peft\nexcept ImportError:\n    pass\nelse:\n" + READS,
        "try:\n    if not is_peft_available():\n        raise OSError\nexcept OSError:\n    pass\nelse:\n"
        + READS,
    ],
    ids=["function", "value", "spec", "package", "module", "import", "raise"],
)
def test_a_condition_that_asks_for_presence_alone_holds_beside_it(top: str) -> None:
    assert below(top) == [["peft"]]


@pytest.mark.parametrize(
    ("body", "handler", "guards"),
    [
        ("import peft\n    kinds = (peft.late, int)", "ImportError", [["peft"]]),
        ("import peft as p, trl\n    kinds += (p.late,)", "ImportError", [["peft", "trl"]]),
        ("import peft\n    kind = peft.late", "(ImportError, ModuleNotFoundError)", [["peft"]]),
        ("import peft\n    kind = peft.late", "(ImportError, ValueError)", [["peft"]]),
        ("import peft\n    kind = peft.late", "(ImportError, AttributeError)", []),
        ("import peft\n    kind = peft.late", "Exception", []),
        ("import peft\n    kind = peft.late", "ImportError:\n    pass\nexcept", []),
        ("import peft\n    check(peft)\n    kind = peft.late", "ImportError", []),
        ("import peft\n    from peft import late", "ImportError", []),
        ("import peft.tuners\n    kind = peft.late", "ImportError", []),
        ("from peft import late", "ImportError", []),
    ],
)
def test_where_only_missing_modules_are_caught_missing_names_of_those_there_are_not(
    body: str, handler: str, guards: list[list[str]]
) -> None:
    """As pyodps 0.11.6.1 does: ``import numpy as np`` and ``np.float_``, which NumPy 2 does not have."""
    assert below(f"try:\n    {body}\nexcept {handler}:\n    pass\n") == guards


def test_conditions_add_up() -> None:
    inside = "    if find_spec('Torch_One') is not None and find_spec('trl') is not None:\n    " + READS
    assert below("if is_peft_available():\n" + inside) == [["peft", "torch-one", "trl"]]


@pytest.mark.parametrize(
    "top",
    [
        "if is_peft_available('0.5'):\n" + READS,
        "if is_peft_available(minimum='0.5'):\n" + READS,
        "if not is_peft_available():\n" + READS,
        "if is_peft_available() or is_peft_available():\n" + READS,
        "if package_available('peft>=0.5'):\n" + READS,
        "if find_spec('peft') is None:\n" + READS,
        "if find_spec('peft.tuners') is not None:\n" + READS,
        "if cuda_available():\n" + READS,
        "if is_peft_available():\n    pass\nelse:\n" + READS,
        "try:\n    from peft import late\nexcept ImportError:\n    pass\nelse:\n" + READS,
        "try:\n    import peft.tuners\nexcept ImportError:\n    pass\nelse:\n" + READS,
        "try:\n    import peft\n    check(peft)\nexcept ImportError:\n    pass\nelse:\n" + READS,
        "if is_peft_available():\n    import peft as p\nkind = p.late\n",
    ],
)
def test_a_condition_that_asks_for_more_may_be_meant_for_just_that(top: str) -> None:
    assert below(top) == []


@pytest.mark.parametrize(
    "known",
    [
        FUNCTION,
        ASKS + "if version.parse(v) < version.parse('0.5'):\n    _peft_available = False\n" + FUNCTION,
        ASKS + "if old:\n    _peft_available = False\n" + FUNCTION,
        ASKS + "_peft_available &= works\n" + FUNCTION,
        ASKS + "_peft_available = works\n" + FUNCTION,
        ASKS + "def is_peft_available():\n    return _peft_available and newer('0.5')\n",
        ASKS + "def is_peft_available():\n    check()\n    return _peft_available\n",
        "_peft_available = False\n" + FUNCTION,
        "_peft_available = _peft_available\n" + FUNCTION,
        ASKS + FUNCTION + "def late(:\n",
    ],
)
def test_what_a_condition_stands_for_may_be_more_than_presence(known: str) -> None:
    assert below("if is_peft_available():\n" + READS, known) == []


@pytest.mark.parametrize(
    "known",
    [
        "_peft_available, _version = _is_package_available('peft', return_version=True)\n" + FUNCTION,
        "_peft_available = False\nif USE in ('auto',):\n    " + ASKS.splitlines()[1] + "\n" + FUNCTION,
        ASKS + "try:\n    version('peft')\nexcept LookupError:\n    _peft_available = False\n" + FUNCTION,
        ASKS
        + "if _peft_available:\n    try:\n        version('peft')\n    except LookupError:\n"
        + "        _peft_available = False\n"
        + FUNCTION,
    ],
    ids=["with its version", "by default", "without metadata", "without metadata, if"],
)
def test_what_is_taken_back_only_where_it_is_not_there(known: str) -> None:
    assert below("if is_peft_available():\n" + READS, known) == [["peft"]]
