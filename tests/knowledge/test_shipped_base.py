"""The shipped knowledge base, as data: form, order, proof by its own examples."""

import datetime as dt
import json
import tomllib
from itertools import chain

import pytest

from envlock.app.kb import lint
from envlock.edges.knowledge_files import documents, shipped_knowledge
from envlock.judging.judge import judge
from envlock.judging.removed_names import missing_names
from envlock.model.knowing.finding import Chosen, Verdict
from envlock.model.published.code_reads import CodeReads
from envlock.model.published.declaration import Declaration
from tests.shipped import KNOWLEDGE

ROOT = shipped_knowledge()
DOCUMENTS = dict(documents(ROOT))


def test_lint_finds_nothing() -> None:
    assert KNOWLEDGE.facts
    assert KNOWLEDGE.coverage
    assert lint(ROOT) == ()


def test_documents_have_the_form_of_their_schemas() -> None:
    """All in one test, so that one worker alone imports what checks schemas, which takes seconds."""
    from jsonschema import Draft202012Validator, FormatChecker

    validators = {}
    for path in (ROOT / "schema").glob("*.schema.json"):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        kind = path.name.removesuffix(".schema.json")
        validators[kind] = Draft202012Validator(schema, format_checker=FormatChecker())
    assert len(DOCUMENTS) > 20
    wrong = []
    for name, path in DOCUMENTS.items():
        document = json.loads(json.dumps(tomllib.loads(path.read_text()), default=str))
        validator = validators[name.partition("/")[0].removesuffix(".toml")]
        wrong += [f"{name}: {error.message}" for error in validator.iter_errors(document)]
    assert wrong == []


@pytest.mark.parametrize(
    ("stack", "verdict"),
    [
        ({"horovod": "0.19.0", "openmpi": "3.1.3"}, Verdict.INCOMPATIBLE),
        ({"horovod": "0.19.0", "openmpi": "3.1.2"}, Verdict.COMPATIBLE),
        ({"horovod": "0.19.0", "openmpi": "4.0.0"}, Verdict.COMPATIBLE),
        ({"horovod": "0.19.0", "intelmpi": "2019.7"}, Verdict.INCOMPATIBLE),
        ({"horovod": "0.20.0", "intelmpi": "2019.7"}, Verdict.COMPATIBLE),
        ({"torch": "1.4.0", "gpu_cc": "8.0"}, Verdict.INCOMPATIBLE),
        ({"torch": "1.4.0", "driver": "410.48"}, Verdict.INCOMPATIBLE),
        ({"torch": "1.11.0", "gpu_cc": "3.5"}, Verdict.INCOMPATIBLE),
        ({"torch": "2.10.0", "gpu_cc": "7.0"}, Verdict.COMPATIBLE),
        ({"torch": "2.13.0", "gpu_cc": "7.0"}, Verdict.INCOMPATIBLE),
        ({"torch": "2.13.0+cu126", "gpu_cc": "7.0"}, Verdict.COMPATIBLE),
        ({"torch": "2.15.0", "gpu_cc": "12.0"}, Verdict.COMPATIBLE),
        ({"torch": "2.3.1+rocm6.0", "gpu_gfx": "gfx90a"}, Verdict.COMPATIBLE),
        ({"torch": "2.3.1+rocm6.0", "gpu_gfx": "gfx942"}, Verdict.COMPATIBLE),
        ({"torch": "2.3.1+rocm5.7", "gpu_gfx": "gfx942"}, Verdict.INCOMPATIBLE),
        ({"torch": "2.9.1+rocm6.4", "gpu_gfx": "gfx950"}, Verdict.INCOMPATIBLE),
        ({"torch": "2.3.1", "gpu_gfx": "gfx90a"}, Verdict.INCOMPATIBLE),
        ({"torch": "2.3.1+cu121", "gpu_gfx": "gfx90a"}, Verdict.INCOMPATIBLE),
        ({"torch": "2.3.1+cpu", "gpu_gfx": "gfx90a"}, Verdict.COMPATIBLE),
        ({"torch": "2.3.1+rocm6.0", "gpu_cc": "7.0"}, Verdict.INCOMPATIBLE),
        ({"torch": "2.3.1+rocm6.0"}, Verdict.COMPATIBLE),
        ({"tensorflow": "2.15.0", "gpu_gfx": "gfx90a"}, Verdict.COMPATIBLE),
        ({"tensorflow-rocm": "2.14.0.600", "gpu_gfx": "gfx90a"}, Verdict.COMPATIBLE),
        ({"tensorflow-rocm": "2.14.0.600", "gpu_gfx": "gfx942"}, Verdict.INCOMPATIBLE),
        ({"tensorflow-rocm": "2.13.1.600", "gpu_gfx": "gfx1100"}, Verdict.INCOMPATIBLE),
        ({"tensorflow-rocm": "2.5.0", "gpu_gfx": "gfx90a"}, Verdict.INCOMPATIBLE),
        ({"torch": "1.4.0", "tensorflow": "1.15.2", "gensim": "3.8.1", "spacy": "2.2.3"}, Verdict.COMPATIBLE),
        ({"cupy-cuda110": "8.6.0", "driver": "440.33.01"}, Verdict.INCOMPATIBLE),
        ({"cupy-cuda110": "8.6.0", "driver": "450.80.02", "torch": "1.13.1"}, Verdict.COMPATIBLE),
        ({"cupy-cuda101": "8.6.0", "gpu_cc": "8.6"}, Verdict.INCOMPATIBLE),
        ({"ctranslate2": "4.5.0", "cudnn": "8.9.7"}, Verdict.INCOMPATIBLE),
        ({"ctranslate2": "4.5.0", "cudnn": "8.9.7", "torch": "2.5.1"}, Verdict.COMPATIBLE),
        ({"paddlepaddle-gpu": "2.6.2", "gpu_cc": "6.0"}, Verdict.INCOMPATIBLE),
        ({"paddlepaddle-gpu": "2.6.2", "gpu_cc": "6.1"}, Verdict.COMPATIBLE),
        ({"openmpi": "4.1.5", "pmix": "4.2.6", "launcher": "mpirun"}, Verdict.INCOMPATIBLE),
        ({"openmpi": "4.1.5", "pmix": "4.2.6", "launcher": "srun"}, Verdict.COMPATIBLE),
        ({"slurm": "25.11.1", "pmix": "5.0.8"}, Verdict.INCOMPATIBLE),
        ({"slurm": "25.11.1", "pmix": "5.0.8", "launcher": "srun"}, Verdict.INCOMPATIBLE),
        ({"slurm": "25.11.1", "pmix": "5.0.8", "launcher": "mpirun"}, Verdict.COMPATIBLE),
        ({"slurm": "25.11.1", "pmix": "5.0.8", "openmpi": "5.0.9"}, Verdict.COMPATIBLE),
        ({"slurm": "25.05.3", "pmix": "2.2.5"}, Verdict.INCOMPATIBLE),
        ({"slurm": "23.02.1", "pmix": "5.0.1"}, Verdict.INCOMPATIBLE),
        ({"slurm": "23.02.1", "pmix": "5.0.1", "launcher": "mpirun"}, Verdict.COMPATIBLE),
        ({"torch": "99.0"}, Verdict.UNKNOWN),
    ],
)
def test_verdicts_that_the_project_promises(stack: dict[str, str], verdict: Verdict) -> None:
    assignment = {name: (Chosen(version=version),) for name, version in stack.items()}
    assert judge(assignment, KNOWLEDGE).verdict is verdict


def test_no_two_builds_of_one_release_and_label_overlap() -> None:
    for bundle in chain.from_iterable(KNOWLEDGE.bundles.values()):
        alike = [
            b
            for b in KNOWLEDGE.bundles[bundle.distribution]
            if (b.label, b.machine) == (bundle.label, bundle.machine)
        ]
        starts = [one.split(",")[0].strip().lstrip(">=") for one in bundle.range.text.split("||")]
        for start in starts:
            assert [b for b in alike if b.range.contains(start)] == [bundle]


@pytest.mark.parametrize(
    ("module", "last", "first"),
    [
        ("matplotlib._png", "3.2.2", "3.3.0"),
        ("matplotlib._layoutbox", "3.3.4", "3.4.0"),
        ("matplotlib._text_layout", "3.4.3", "3.5.0"),
        ("matplotlib._contour", "3.5.3", "3.6.0"),
        ("matplotlib.axes._subplots", "3.6.3", "3.7.0"),
        ("h5py.highlevel", "2.10.0", "3.0.0"),
        ("jax.experimental.gda_serialization", "0.4.10", "0.4.11"),
        ("jax.experimental.global_device_array", "0.4.6", "0.4.7"),
        ("jax.experimental.sharding", "0.3.17", "0.3.19"),
        ("jax.interpreters.masking", "0.3.15", "0.3.16"),
        ("pandas._libs.reduction", "2.0.3", "2.1.0"),
        ("pandas._libs.tslibs.resolution", "1.0.5", "1.1.0"),
        ("scipy._lib.six", "1.4.1", "1.5.0"),
        ("scipy.optimize._highs", "1.14.1", "1.15.0"),
        ("skimage._shared.fft", "0.18.3", "0.19.0"),
        ("sklearn.neighbors._typedefs", "1.0.1", "1.0.2"),
        ("torchvision.models.utils", "0.10.1", "0.11.1"),
    ],
)
def test_modules_that_a_release_took_away_although_others_import_them(
    module: str, last: str, first: str
) -> None:
    """As plotnine 0.8.0 imports matplotlib._contour, to draw densities."""
    reads = CodeReads(
        distribution="thing",
        version="1.0",
        read=dt.date(2026, 11, 30),
        on_import={module: "thing/a.py:1"},
        on_build={},
    )
    said = Declaration(
        distribution="thing",
        version="1.0",
        read=dt.date(2026, 11, 30),
        files=(),
        requires_dist=(),
        versions=(),
    )

    def gone(version: str) -> int:
        owner = module.partition(".")[0]
        owner = {"skimage": "scikit-image", "sklearn": "scikit-learn"}.get(owner, owner)
        chosen = {"thing": (Chosen(version="1.0"),), owner: (Chosen(version=version),)}
        return len(list(missing_names(chosen, {"thing": reads}, {"thing": said}, KNOWLEDGE)))

    assert (gone(last), gone(first)) == (0, 1)
