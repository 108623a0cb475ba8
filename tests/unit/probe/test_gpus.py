"""GPUs where there are none: the driver's library and PyTorch as their documentation has them."""

from __future__ import annotations

import sys
import threading
from array import array
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from envlock.probe import gpu, gpu_values
from envlock.probe.back_ends import cuda_aware, gpus
from envlock.probe.back_ends.base import NotApplicableError, World
from envlock.probe.back_ends.torch_nccl import TorchNccl
from envlock.probe.plan import Plan
from tests.unit.probe.test_exactness import Ideal


class Driver:
    """libcuda: V100, A100 and H100 by their attributes, in whatever number."""

    def __init__(self, *capabilities: tuple[int, int], offers: int = 12020, starts: int = 0) -> None:
        self.capabilities = capabilities
        self.offers = offers
        self.starts = starts

    def cuInit(self, _flags: int) -> int:  # noqa: N802 - the driver's name
        return self.starts

    def cuGetErrorName(self, status: int, text: Any) -> int:  # noqa: N802 - the driver's name
        names = {802: b"CUDA_ERROR_SYSTEM_NOT_READY", 803: b"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}
        text._obj.value = names.get(status)
        return 0 if status in names else 1

    def cuDriverGetVersion(self, number: Any) -> int:  # noqa: N802 - the driver's name
        number._obj.value = self.offers
        return 0

    def cuDeviceGetCount(self, number: Any) -> int:  # noqa: N802 - the driver's name
        number._obj.value = len(self.capabilities)
        return 0

    def cuDeviceGet(self, device: Any, ordinal: int) -> int:  # noqa: N802 - the driver's name
        device._obj.value = 100 + ordinal  # a handle, and no ordinal
        return 0

    def cuDeviceGetAttribute(self, number: Any, attribute: int, device: Any) -> int:  # noqa: N802
        number._obj.value = self.capabilities[device.value - 100][{75: 0, 76: 1}[attribute]]
        return 0

    def cuDeviceCanAccessPeer(self, able: Any, _one: int, _other: int) -> int:  # noqa: N802
        able._obj.value = 1
        return 0


def checks_of(
    driver: Driver | None, monkeypatch: pytest.MonkeyPatch, runtimes: dict[str, int] | None = None
) -> dict[str, Any]:
    """The three checks of a driver; runtime libraries by the number that they tell."""
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(gpu, "_driver", lambda: driver)
    known = {f"/env/libcudart.so.{version // 1000}": version for version in (runtimes or {}).values()}
    split = {path: (number // 1000, number % 1000 // 10) for path, number in known.items()}
    monkeypatch.setattr(gpu, "_runtime", split.get)
    monkeypatch.setattr(gpu, "installed_distributions", dict)

    def report(**line: Any) -> None:
        told.extend([line["check"]] if "check" in line else [])

    gpu.check_gpus(Plan({}), {"libraries": dict.fromkeys(known, "")}, report)  # type: ignore[arg-type]
    return {check["id"]: check for check in told}


@pytest.mark.parametrize(
    ("visible", "reason"),
    [(None, "not applicable: no GPU"), ("7", "not applicable: no GPU, with CUDA_VISIBLE_DEVICES=7")],
)
def test_a_driver_without_a_gpu_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, reason: str
) -> None:
    """Login nodes have the driver's library and no GPU: cuInit gives CUDA_ERROR_NO_DEVICE."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    for driver in (None, Driver(starts=100)):
        found = checks_of(driver, monkeypatch)
        assert {(one["outcome"], one["message"]) for one in found.values()} == {("not-applicable", reason)}


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (802, "CUDA_ERROR_SYSTEM_NOT_READY: the system is not ready; on machines with NVSwitch"),
        (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: the driver's library and its kernel module differ"),
        (4711, "error 4711 of cuInit"),
    ],
)
def test_a_driver_that_does_not_start_says_why(
    monkeypatch: pytest.MonkeyPatch, status: int, words: str
) -> None:
    found = checks_of(Driver((9, 0), starts=status), monkeypatch)
    assert found["S6"]["outcome"] == "failed"
    assert words in found["S6"]["message"]


@pytest.mark.parametrize(
    ("offers", "runtime", "outcome"),
    [
        (12020, 12080, "passed"),  # minor versions of one major
        (13000, 12080, "passed"),
        (11040, 12010, "failed"),
        (10010, 10020, "failed"),  # before CUDA 11 each minor version wants its own driver
        (10020, 10010, "passed"),
    ],
)
def test_which_runtimes_a_driver_serves(
    monkeypatch: pytest.MonkeyPatch, offers: int, runtime: int, outcome: str
) -> None:
    found = checks_of(Driver((7, 0), offers=offers), monkeypatch, {"cudart": runtime})
    assert found["S6"]["outcome"] == outcome


def test_capabilities_are_asked_of_handles() -> None:
    assert gpu._capabilities(Driver((7, 0), (8, 0), (9, 0), (12, 1))) == [70, 80, 90, 121]


class Cuda:
    """torch.cuda of one rank."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.device = ""

    def is_available(self) -> bool:
        return self.count > 0

    def device_count(self) -> int:
        return self.count

    def set_device(self, device: str) -> None:
        self.device = device


class Meeting(Ideal):
    """Ranks that are threads; each brings its numbers and goes on with the sum of all."""

    modes = ("in place",)

    def __init__(self, ranks: int) -> None:
        self._barrier = threading.Barrier(ranks, timeout=20)
        self._brought: list[Any] = []

    def allreduce(self, tensors: list[Any], mode: str, label: str) -> list[Any]:
        self._brought += tensors
        self._barrier.wait()
        total = array("q", [sum(column) for column in zip(*self._brought, strict=True)])
        self._barrier.wait()
        self._brought = []
        self._barrier.wait()
        return [total]


def taken(
    monkeypatch: pytest.MonkeyPatch, hosts: list[str], counts: list[int], buses: list[list[str]]
) -> list[str]:
    """What each rank got: its device, or why it got none.

    Args:
        monkeypatch: pytest's.
        hosts: the machine of each rank.
        counts: how many GPUs each is shown.
        buses: the places of these.
    """
    here = threading.local()
    monkeypatch.setattr(gpus, "machine", lambda: here.host)
    monkeypatch.setattr(gpus, "bus_id", lambda ordinal: here.buses[ordinal])
    monkeypatch.setattr(gpus, "reachable", lambda _environ: [])
    meeting, found = Meeting(len(hosts)), [""] * len(hosts)

    def rank(number: int) -> None:
        here.host, here.buses = hosts[number], buses[number]
        torch = SimpleNamespace(cuda=Cuda(counts[number]), version=SimpleNamespace(cuda="12.8"))
        world = World(number, len(hosts), None, {})
        try:
            found[number] = gpus.take_gpu(torch, meeting, world)  # type: ignore[arg-type]
            assert torch.cuda.device == found[number]
        except (NotApplicableError, RuntimeError) as reason:
            found[number] = str(reason)

    threads = [threading.Thread(target=rank, args=(number,)) for number in range(len(hosts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_ranks_take_the_gpus_of_their_machine_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a launcher deals ranks out in turn and tells no local rank, as aprun and PALS may."""
    four = ["1b", "43", "8c", "d1"]
    cyclic = taken(monkeypatch, ["a", "b", "a", "b"], [4] * 4, [four] * 4)
    assert cyclic == ["cuda:0", "cuda:0", "cuda:1", "cuda:1"]
    each_its_own = taken(monkeypatch, ["a", "a"], [1, 1], [["1b"], ["43"]])
    assert each_its_own == ["cuda:0", "cuda:0"]


@pytest.mark.parametrize(
    ("counts", "buses"),
    [([1, 1], [["1b"], ["1b"]]), ([2, 2], [["1b", "1b"], ["1b", "1b"]])],
    ids=["more ranks than GPUs", "two slices of one GPU"],
)
def test_ranks_that_would_share_a_gpu_are_nothing_for_nccl(
    monkeypatch: pytest.MonkeyPatch, counts: list[int], buses: list[list[str]]
) -> None:
    told = taken(monkeypatch, ["a", "a"], counts, buses)
    assert told == ["2 ranks would share 1 GPUs, and NCCL wants one for each"] * 2


def test_a_rank_without_a_gpu_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    told = taken(monkeypatch, ["a", "b"], [1, 0], [["1b"], []])
    assert told == ["there is no GPU for rank 1", "no GPU"]


def test_a_gpu_that_pytorch_cannot_use_is_no_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    def zeros(_count: int, device: str) -> None:
        raise RuntimeError("The NVIDIA driver on your system is too old (found version 10020).")

    torch = SimpleNamespace(version=SimpleNamespace(cuda="12.8"), zeros=zeros)
    monkeypatch.setattr(gpus, "reachable", lambda _environ: ["/dev/nvidia0"])
    found = gpus.why_none(torch)
    assert isinstance(found, RuntimeError)
    assert str(found).startswith("/dev/nvidia0 is here, and PyTorch cannot use it: The NVIDIA driver")
    torch.version.cuda = None
    assert isinstance(gpus.why_none(torch), NotApplicableError)


def said_by_nccl(text: str) -> TorchNccl:
    """A back end to which NCCL has said this."""
    back_end = TorchNccl()
    back_end._said = lambda: text  # type: ignore[method-assign]
    return back_end


NCCL_2_21 = """\
n1:71:90 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB ib0:10.0.0.1<0>
n1:71:90 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read
n1:71:90 [0] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [send] via NET/IB/0/GDRDMA
n1:71:90 [0] NCCL INFO Channel 01/0 : 2[0] -> 1[1] [receive] via NET/IB/0/GDRDMA
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NCCL_2_21, "over NET/IB/0/GDRDMA, P2P/CUMEM/read"),
        ("n1:1:2 [0] NCCL INFO Ring 00 : 1 -> 0 [send] via NET/Socket/0\n", "over NET/Socket/0"),
        ("n1:1:2 [0] NCCL INFO Channel 00 : 0[1b000] -> 1[1c000] via P2P/IPC\n", "over P2P/IPC"),
    ],
)
def test_the_paths_of_nccl(monkeypatch: pytest.MonkeyPatch, text: str, expected: str) -> None:
    monkeypatch.setattr("envlock.probe.back_ends.torch_nccl.adapters", list)
    monkeypatch.setattr("envlock.probe.back_ends.torch_nccl.slingshot", list)
    ((_, _, transport),) = said_by_nccl(text).own_checks()
    assert transport(World(0, 2, None, {})) == expected


def test_what_nccl_does_not_tell_is_not_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    ((_, _, transport),) = said_by_nccl("NCCL version 2.21.5+cuda12.4\n").own_checks()
    with pytest.raises(NotApplicableError, match="told no path"):
        transport(World(0, 2, None, {}))
    monkeypatch.setattr("envlock.probe.back_ends.torch_nccl.adapters", lambda: ["mlx5_0"])
    ((_, _, transport),) = said_by_nccl("x -> 1[1] [send] via NET/Socket/0\n").own_checks()
    for name in ("NCCL_IB_DISABLE", "NCCL_NET"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(AssertionError, match="sockets although there is mlx5_0"):
        transport(World(0, 2, None, {}))
    monkeypatch.setenv("NCCL_IB_DISABLE", "1")
    told = transport(World(0, 2, None, {}))
    assert told == "over NET/Socket/0, as NCCL_IB_DISABLE=1 asks although there is mlx5_0"


def test_nccl_over_sockets_where_there_is_slingshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envlock.probe.back_ends.torch_nccl.adapters", list)
    monkeypatch.setattr("envlock.probe.back_ends.torch_nccl.slingshot", lambda: ["cxi0", "cxi1"])
    for name in ("NCCL_IB_DISABLE", "NCCL_NET"):
        monkeypatch.delenv(name, raising=False)
    ((_, _, transport),) = said_by_nccl("x -> 1[1] [send] via NET/Socket/0\n").own_checks()
    with pytest.raises(AssertionError, match="there is cxi0, cxi1, which it reaches by a plugin alone"):
        transport(World(0, 2, None, {}))
    ((_, _, transport),) = said_by_nccl("x -> 1[1] [send] via NET/AWS Libfabric/0/GDRDMA\n").own_checks()
    assert transport(World(0, 2, None, {})) == "over NET/AWS"


def test_what_nccl_warns_of_is_told() -> None:
    warning = "n1:71:90 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.0.0.2<5> failed\n"
    assert said_by_nccl(warning).complaints() == "socketStartConnect: Connect to 10.0.0.2<5> failed"
    assert TorchNccl().complaints() == ""


class Library:
    """An MPI with MPICH's question, with Open MPI's, or with none."""

    def __init__(self, **answers: int) -> None:
        if "mpich" in answers:
            self.MPIX_GPU_query_support = self._into(answers["mpich"])
        if "openmpi" in answers:
            self.MPIX_Query_cuda_support = lambda: answers["openmpi"]

    @staticmethod
    def _into(answer: int) -> Any:
        def ask(kind: int, able: Any) -> int:
            assert kind == 0
            able._obj.value = answer
            return 0

        return ask


@pytest.mark.parametrize(
    ("answers", "expected"),
    [({"mpich": 1}, True), ({"mpich": 0, "openmpi": 1}, False), ({"openmpi": 1}, True), ({}, False)],
)
def test_each_mpi_is_asked_in_its_own_way(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, int], expected: bool
) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _path: Library(**answers))
    assert cuda_aware.says_cuda_aware({"/opt/lib/libmpi.so.12": "8:1 7"}) is expected


def test_an_mpi4py_that_takes_no_gpu_buffers_is_not_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_aware.os.path, "exists", lambda _path: True)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=Cuda(1)))
    mpi4py = ModuleType("mpi4py")
    mpi4py.__version__ = "3.0.3"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mpi4py", mpi4py)
    with pytest.raises(NotApplicableError, match=r"mpi4py 3\.0\.3 takes no GPU buffers"):
        cuda_aware.sum_gpu_buffers([cuda_aware.Mpi4py()])


def test_jax_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where JAX came with what GPUs take is it wrong that it sees none."""
    jax, version = ModuleType("jax"), ModuleType("jaxlib.version")
    jax.devices = lambda: [SimpleNamespace(platform="cpu")]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jax", jax)
    monkeypatch.setitem(sys.modules, "jaxlib.version", version)
    compute = dict(gpu_values.FRAMEWORKS)["jax"]
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    with pytest.raises(NotApplicableError, match="without CUDA"):
        compute()
    version.__version__ = "0.4.13+cuda11.cudnn86"  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="JAX sees no GPU"):
        compute()
    del version.__version__  # type: ignore[attr-defined]
    monkeypatch.setattr(gpu_values, "installed_distributions", lambda: {"jax-cuda12-plugin": "there"})
    with pytest.raises(RuntimeError, match="JAX sees no GPU"):
        compute()


def test_values_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []

    def report(**line: Any) -> None:
        told.extend([line["check"]] if "check" in line else [])

    def wrong() -> str:
        raise gpu_values.WrongValueError("a product in float32 on GPU 0 differs")

    plan = Plan({"distributions": [{"name": "torch"}, {"name": "tensorflow"}]})
    monkeypatch.setattr(gpus, "reachable", lambda _environ: [])
    gpu_values.check_gpu_values(plan, {}, report)  # type: ignore[arg-type]
    monkeypatch.setattr(gpus, "reachable", lambda _environ: ["/dev/nvidia0"])
    for torch in (lambda: "right", wrong):
        monkeypatch.setattr(gpu_values, "FRAMEWORKS", (("torch", torch),))
        gpu_values.check_gpu_values(plan, {}, report)  # type: ignore[arg-type]
    assert [(check["outcome"], check["message"]) for check in told] == [
        ("not-applicable", "not applicable: no GPU"),
        ("passed", "torch: right"),
        (
            "failed",
            "torch: WrongValueError: a product in float32 on GPU 0 differs",
        ),
    ]
