from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envlock.probe import native, one_process, payload, timing
from envlock.probe.back_ends.base import cut
from envlock.probe.back_ends.tensorflow_graphs import graph_interface
from envlock.probe.exercise import _processor
from envlock.probe.leakage import leakage, strangers
from envlock.probe.modules import describe, installed_distributions, modules_of_files
from envlock.probe.placement import place, told_by_all
from tests.toy_environment import ToyEnvironment


@pytest.mark.parametrize(
    ("environ", "source", "expected"),
    [
        (
            {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4", "SLURM_PROCID": "0"},
            "openmpi",
            (3, 4, None),
        ),
        ({"MV2_COMM_WORLD_RANK": "1", "MV2_COMM_WORLD_SIZE": "2", "PMI_RANK": "0"}, "mvapich2", (1, 2, None)),
        ({"PALS_RANKID": "5", "PALS_LOCAL_RANKID": "1", "PMI_RANK": "0"}, "pals", (5, None, 1)),
        ({"PALS_RANKID": "5", "PALS_LOCAL_RANKID": "1", "PMI_SIZE": "8"}, "pals", (5, 8, 1)),
        ({"PMI_RANK": "5", "PMI_SIZE": "8", "PMI_LOCAL_RANK": "1"}, "pmi", (5, 8, 1)),
        ({"JSM_NAMESPACE_RANK": "2", "JSM_NAMESPACE_SIZE": "6"}, "jsrun", (2, 6, None)),
        ({"ALPS_APP_PE": "4"}, "alps", (4, None, None)),
        ({"HOROVOD_RANK": "1", "SLURM_PROCID": "0", "SLURM_STEP_ID": "7"}, "horovodrun", (1, None, None)),
        ({"FLUX_TASK_RANK": "1", "FLUX_JOB_SIZE": "2", "FLUX_TASK_LOCAL_ID": "0"}, "flux", (1, 2, 0)),
        ({"PMI_RANK": "1", "PMI_SIZE": "2", "MPI_LOCALRANKID": "1", "SLURM_PROCID": "0"}, "pmi", (1, 2, 1)),
        ({"PMIX_RANK": "1", "SLURM_PROCID": "1"}, "pmix", (1, None, None)),
        ({"SLURM_PROCID": "0", "SLURM_LOCALID": "0", "RANK": "9"}, "generic", (9, None, None)),
        ({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"}, "generic", (1, 2, 1)),
        ({"RANK": "no number"}, "", (None, None, None)),
        ({}, "", (None, None, None)),
    ],
)
def test_the_most_private_launcher_is_believed(environ: dict[str, str], source: str, expected: Any) -> None:
    found = place({**environ, "HOME": "elsewhere"}, {})
    assert (found.source, (found.rank, found.size, found.local_rank)) == (source, expected)
    assert found.seen == environ


@pytest.mark.parametrize(
    ("inherited", "given", "source", "expected"),
    [
        (
            {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"},
            {"PMI_RANK": "1", "PMI_SIZE": "2"},
            "pmi",
            (1, 2, None),
        ),
        (
            {"RANK": "0", "WORLD_SIZE": "1", "TORCHELASTIC_RUN_ID": "x"},
            {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"},
            "openmpi",
            (0, 2, None),
        ),
        ({"PMI_RANK": "0", "PMI_SIZE": "1"}, {"PMI_SIZE": "2"}, "pmi", (0, 2, None)),
        ({"PMI_RANK": "0", "PMI_SIZE": "1"}, {}, "pmi", (0, 1, None)),
        (
            {"PMIX_RANK": "0"},
            {"SLURM_PROCID": "1", "SLURM_LOCALID": "1", "SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_ID": "3"},
            "slurm",
            (1, 2, 1),
        ),
        ({"PALS_RANKID": "0"}, {"PMI_RANK": "1", "PMI_SIZE": "2"}, "pmi", (1, 2, None)),
    ],
    ids=["another mpirun's", "torchrun's", "overwritten", "nothing else", "srun's by PMIx", "PALS'"],
)
def test_what_was_set_before_the_launcher_was_called_comes_last(
    inherited: dict[str, str], given: dict[str, str], source: str, expected: Any
) -> None:
    found = place({**inherited, **given}, inherited)
    assert (found.source, (found.rank, found.size, found.local_rank)) == (source, expected)


def test_a_variable_of_two_launchers_is_that_of_the_one_that_is_there() -> None:
    plain = {"RANK": "1", "WORLD_SIZE": "2", "SLURM_PROCID": "0"}
    assert told_by_all(plain) == {"generic": 1, "slurm": 0}
    assert told_by_all({**plain, "TORCHELASTIC_RUN_ID": "x"}) == {"torchrun": 1, "generic": 1, "slurm": 0}


MAPS = """\
7f0000000000-7f0000001000 r-xp 00000000 08:01 101    /env/lib/libmpi.so.40.30.4
7f0000001000-7f0000002000 rw-p 00001000 08:01 101    /env/lib/libmpi.so.40.30.4
7f0000002000-7f0000003000 r-xp 00000000 08:01 102    /env/torch/lib/libcudart-80664282.so.10.2
7f0000003000-7f0000004000 r-xp 00000000 08:01 103    /env/tf/libcudart.so.11.0
7f0000004000-7f0000005000 r-xp 00000000 08:01 104    /env/numpy.libs/libopenblasp-r0-2ecf47d5.3.7.dev.so
7f0000005000-7f0000006000 r-xp 00000000 08:01 105    /env/scipy.libs/libopenblasp-r0-8b9e111f.3.17.so
7f0000006000-7f0000007000 r-xp 00000000 08:01 106    /env/torch/lib/libgomp-7c85b1e2.so.1 (deleted)
7f0000007000-7f0000008000 r-xp 00000000 08:01 107    /env/lib/libmpi_cxx.so.40
7f0000008000-7f0000009000 r-xp 00000000 08:01 108    /a place/libhdf5.so.200
7f0000009000-7f000000a000 rw-p 00000000 00:00 0      [heap]
7f000000a000-7f000000b000 rw-p 00000000 00:00 0
7f000000b000-7f000000c000 r--p 00000000 08:01 109    /env/lib/locale-archive
"""


def test_maps_are_read_by_family() -> None:
    libraries = native.mapped_libraries(MAPS)
    assert len(libraries) == 8
    assert libraries["/a place/libhdf5.so.200"] == "08:01 108"
    families = native.families(libraries)
    assert families["mpi"] == ["/env/lib/libmpi.so.40.30.4"]
    assert len(families["openblas"]) == 2


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("libmpi.so.40", True),
        ("libmpi-7c85b1e2.so.12", True),
        ("libmpich.so.12", True),
        ("libmpi_cray.so.12", True),
        ("libmpi_gnu_91.so.12", True),
        ("libmpi_intel.so.12.0.0", True),
        ("libmpich_gnu_82.so.3", True),
        ("libmpi_ibm.so.3", True),
        ("libmpi_gtl_cuda.so.0", False),
        ("libmpi_cxx.so.40", False),
        ("libmpi_mpifh.so.40", False),
        ("libmpichcxx.so.12", False),
        ("libmpifort_gnu_91.so.12", False),
    ],
)
def test_an_mpi_is_told_from_what_comes_beside_it(name: str, is_one: bool) -> None:
    assert ("mpi" in native.families({f"/opt/{name}": "1 1"})) is is_one


def test_two_cuda_majors_fail_and_two_openblas_are_only_mentioned() -> None:
    libraries = native.mapped_libraries(MAPS)
    outcome, message, _ = native.audit(libraries, {"/env/tf/libcudart.so.11.0": "tensorflow"})
    assert outcome == "failed"
    assert message == (
        "loaded twice into one process: cudart: /env/tf/libcudart.so.11.0 (with tensorflow) "
        "and /env/torch/lib/libcudart-80664282.so.10.2"
    )
    del libraries["/env/tf/libcudart.so.11.0"]
    outcome, message, details = native.audit(libraries, {})
    assert (outcome, message.partition(", and ")[2]) == (
        "passed",
        "of those that keep to themselves several: openblas",
    )
    assert list(details["doubled"]) == ["openblas"]
    libraries.pop("/env/scipy.libs/libopenblasp-r0-8b9e111f.3.17.so")
    assert native.audit(libraries, {})[1].endswith("one copy of each")
    twice = {"/a/libhdf5.so.200": "1 1", "/b/libhdf5-7c85b1e2.so.310": "1 2"}
    assert native.audit(twice, {})[0] == "warned"


def test_where_no_library_matters_nothing_passes() -> None:
    assert native.audit({"/env/libother.so": "1 1"}, {})[0] == "not-applicable"


@pytest.mark.parametrize(
    ("names", "outcome"),
    [
        ((), "not-applicable"),
        (("libgomp.so.1",), "passed"),
        (("libgomp.so.1", "libgomp-7c85b1e2.so.1"), "warned"),
        (("libgomp.so.1", "libiomp5.so"), "warned"),
        (("libomp.so.5", "libiomp5.so"), "failed"),
    ],
)
def test_openmp_runtimes_are_counted_by_maker(names: tuple[str, ...], outcome: str) -> None:
    libraries = {f"/env/{name}": str(number) for number, name in enumerate(names)}
    found, message, _ = native.openmp_audit(libraries, {})
    assert found == outcome
    assert all(name in message for name in names) == (len(names) != 1)


@pytest.mark.parametrize("name", ["libmpi.so.12", "libnccl.so.2", "libcudnn.so.8", "libstdc++.so.6.0.30"])
def test_two_files_of_a_harmful_family_fail_and_two_names_of_one_do_not(name: str) -> None:
    assert native.audit({f"/a/{name}": "1 1", f"/b/{name}": "1 2"}, {})[0] == "failed"
    assert native.audit({f"/a/{name}": "1 1", f"/b/{name}": "1 1"}, {})[0] == "passed"


def test_modules_of_installed_files() -> None:
    files = [
        "six.py",
        "_private/__init__.py",
        "google/protobuf/__init__.py",
        "google/protobuf/internal/__init__.py",
        "fast.cpython-37m-x86_64-linux-gnu.so",
        "../../../bin/tool",
        "torch/__init__.py",
        "torch/lib/libc10.so",
        "torch-1.4.0.dist-info/METADATA",
    ]
    assert modules_of_files(files) == {"six", "_private", "google.protobuf", "fast", "torch"}


def test_what_is_worth_importing(toys: ToyEnvironment) -> None:
    files = ["scikit_toy/__init__.py", "tests/__init__.py", "_speed.so", "extra.py", "toy-stubs/__init__.py"]
    toys.record("Scikit.Toy", files, "2.0")
    (metadata,) = installed_distributions([str(toys.site), "/nowhere"]).values()
    found = describe(metadata, "scikit-toy")
    assert (found.version, found.modules, found.primary) == ("2.0", ["scikit_toy", "extra"], "scikit_toy")


def test_an_egg_info_with_names_of_modules_that_are_not_there(toys: ToyEnvironment) -> None:
    metadata = toys.site / "old.egg-info"
    metadata.mkdir()
    (metadata / "PKG-INFO").write_text("Name: Old\nVersion: 0.1\n\nName: not this\n")
    (metadata / "top_level.txt").write_text("old\ngone\n")
    (toys.site / "old.py").write_text("")
    assert installed_distributions([str(toys.site)]) == {"old": str(metadata)}
    assert describe(str(metadata), "old").modules == ["old"]


def test_foreign_directories_are_leakage(tmp_path: Path) -> None:
    prefix, standard, user = tmp_path / "env", tmp_path / "lib" / "python3.7", tmp_path / "user"
    for folder in (prefix / "lib", standard / "lib-dynload", standard / "site-packages", user):
        folder.mkdir(parents=True)
    good = [str(prefix / "lib"), str(standard), str(standard / "lib-dynload"), str(tmp_path / "not-there")]
    assert leakage(good, {}, [str(prefix)], [str(standard)])[0] == "passed"
    for entry in (str(user), str(standard / "site-packages"), "", "relative"):
        outcome, _, details = leakage([*good, entry], {}, [str(prefix)], [str(standard)])
        assert (outcome, details["foreign"]) == ("failed", [entry])
    assert leakage(good, {"PYTHONHOME": "/x"}, [str(prefix)], [str(standard)])[0] == "failed"


def test_a_link_of_the_standard_library_is_the_interpreters(tmp_path: Path) -> None:
    standard, site, user = tmp_path / "python3.11", tmp_path / "python3.11/dist-packages", tmp_path / "etc"
    for folder in (site, user):
        folder.mkdir(parents=True)
    there = user / "sitecustomize.py"
    there.touch()
    for folder in (standard, site):
        (folder / there.name).symlink_to(there)
    files = [str(folder / there.name) for folder in (standard, site, user)]
    assert strangers(files, [str(tmp_path / "env")], [str(standard)]) == files[1:]


@pytest.mark.parametrize("dtype", payload.WIDTH)
@pytest.mark.parametrize("members", [range(1), range(3), range(64), [0, 5], [1, 3, 40]])
def test_contributions_sum_to_what_is_expected(members: Sequence[int], dtype: str) -> None:
    columns = zip(*(payload.contribution(rank, dtype) for rank in members), strict=True)
    assert [sum(column) for column in columns] == payload.expected(members, dtype)
    assert payload.contribution(0, dtype) != payload.contribution(1, dtype)


def test_message_sizes_end_at_the_largest() -> None:
    assert payload.sizes(1 << 20) == [8, 1024, 12340, 16408, 65536, 1 << 20]
    assert [payload.sizes(most) for most in (4, 12)] == [[8], [8]]
    alone = timing.sizes(1 << 20, "single")
    assert alone == [8, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1 << 20]
    assert timing.sizes(1 << 28, "single")[-5:] == [1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28]
    assert [timing.sizes(most, "single") for most in (4, 12, 100)] == [[8], [8], [8, 16, 64, 96]]


def test_no_message_is_cut_into_more_tensors_than_it_has_numbers() -> None:
    """Eight tensors of one number are 32 bytes, and were told as 8 and as 16."""
    for mode in ("fused", "unfused"):
        assert timing.sizes(100, mode) == [64, 96]
        assert timing.sizes(12, mode) == []
    assert [cut(64, mode) for mode in ("single", "fused")] == [(1, 16), (8, 2)]


def test_what_computes_goes_by_turns_where_there_is_a_gpu() -> None:
    names = ("exercise", "orders", "lock", "alternation", "gpu-values")
    jobs = dict.fromkeys(names, list)
    assert [len(lane) for lane in one_process.lanes_of(jobs, has_gpu=True)] == [3, 1, 1]
    assert [len(lane) for lane in one_process.lanes_of(jobs, has_gpu=False)] == [1] * 5


def test_graphs_are_tensorflows_own_before_the_interface_of_release_1_had_a_name() -> None:
    new, old = SimpleNamespace(compat=SimpleNamespace(v1="v1")), SimpleNamespace(compat=SimpleNamespace())
    assert graph_interface(new) == "v1"
    assert graph_interface(old) is old


def test_jax_that_is_shown_gpus_alone_computes_on_one() -> None:
    """JAX starts what JAX_PLATFORMS names, and knows no other device."""

    def devices(platform: str = "") -> list[str]:
        if platform:
            raise RuntimeError("Unknown backend cpu")
        return ["gpu"]

    assert _processor(SimpleNamespace(devices=devices)) == "gpu"
