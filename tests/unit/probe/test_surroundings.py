from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from envlock.probe import network
from envlock.probe.addresses import choose_address, interfaces, is_loopback, listening, resolved
from envlock.probe.control_groups import processors_worth
from envlock.probe.elf import exported_symbols, read_elf
from envlock.probe.fabric import adapters, slingshot, usable
from envlock.probe.forking import try_workers
from envlock.probe.gpu import covered, gpu_code
from envlock.probe.linking import Loader
from envlock.probe.native import own_libraries
from envlock.probe.network import meet_by_tcp, neighbours
from envlock.probe.one_process import at_once
from envlock.probe.placement import Placement, told_by_all
from envlock.probe.plan import Plan
from envlock.probe.processor import lacking_instructions, processor_check
from envlock.probe.rank import communicating
from envlock.probe.room import without_room
from envlock.probe.surroundings import cores_of, shared_memory, surroundings, temporary_files
from envlock.probe.variables import variables_check
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]
TENSORFLOW = {
    "distribution": "tensorflow",
    "version": "1.15.2",
    "machine": "x86_64",
    "features": ["avx"],
    "source": "its release notes",
}


def test_a_folder_that_takes_no_files_is_told_with_the_reason(tmp_path: Path) -> None:
    assert temporary_files({"TMPDIR": str(tmp_path)}) == {"folder": str(tmp_path), "error": ""}
    assert not list(tmp_path.iterdir())
    assert temporary_files({"TMPDIR": str(tmp_path / "gone")})["error"] == ""
    assert temporary_files({})["folder"] == "/tmp"
    told = without_room(str(tmp_path), 1 << 62)
    assert told.startswith(f"{tmp_path}: ")
    assert not list(tmp_path.iterdir())


def test_a_full_shared_memory_is_an_error(tmp_path: Path) -> None:
    """A file system of one MiB, in a name space of its own."""
    script = (
        "import json, sys; sys.path.insert(0, sys.argv[2]);"
        "from envlock.probe.surroundings import shared_memory; print(json.dumps(shared_memory(sys.argv[1])))"
    )
    inside = f'mount -t tmpfs -o size=1m none "{tmp_path}" && exec "$0" -c "$1" "{tmp_path}" "{ROOT}"'
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("no unshare on this machine")
    command = [unshare, "--mount", "--map-root-user", "sh", "-c", inside, sys.executable, script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "Traceback" not in done.stderr:
        pytest.skip(f"this kernel refuses mount name spaces: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    assert found["size"] == 1 << 20
    assert "No space left on device" in found["error"]


def test_shared_memory_that_is_there_and_one_that_is_not(tmp_path: Path) -> None:
    # What a process of the same number left, in another container that shares this memory.
    left = tmp_path / f"probe-{os.getpid()}"
    left.touch()
    assert shared_memory(str(tmp_path))["error"] == ""
    assert list(tmp_path.iterdir()) == [left]
    assert "No such file" in shared_memory(str(tmp_path / "gone"))["error"]


KNOWN = {"lo": "127.0.0.1", "docker0": "172.17.0.1", "ib0": "10.1.0.1", "eth0": "10.2.0.1"}
IN_USE = {address: name for name, address in KNOWN.items()}


def test_surroundings_are_a_document() -> None:
    told = surroundings([])
    assert json.loads(json.dumps(told))["cpus"] == len(told["affinity"])


def test_hardware_threads_of_a_core_are_one_core(tmp_path: Path) -> None:
    for number, siblings in {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}.items():
        folder = tmp_path / f"cpu{number}/topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings + "\n")
    assert [cores_of(some, str(tmp_path)) for some in ({0, 2}, {0, 1}, {0, 1, 2, 3}, {7, 8})] == [1, 2, 2, 2]


def test_every_source_is_asked_for_its_rank() -> None:
    told = told_by_all({"OMPI_COMM_WORLD_RANK": "1", "SLURM_PROCID": "0", "RANK": "none"})
    assert told == {"openmpi": 1, "slurm": 0}


TORCH = ("torch-gloo", "torch-nccl")


@pytest.mark.parametrize(
    ("environ", "address", "chosen_by"),
    [
        ({"GLOO_SOCKET_IFNAME": "ib0"}, "10.1.0.1", "GLOO_SOCKET_IFNAME"),
        ({"NCCL_SOCKET_IFNAME": "ib"}, "10.1.0.1", "NCCL_SOCKET_IFNAME"),
        ({"NCCL_SOCKET_IFNAME": "hsn,ib"}, "10.1.0.1", "NCCL_SOCKET_IFNAME"),
        ({"NCCL_SOCKET_IFNAME": "=eth0"}, "10.2.0.1", "NCCL_SOCKET_IFNAME"),
        ({"NCCL_SOCKET_IFNAME": "^ib"}, "10.2.0.1", "the host's name"),
    ],
)
def test_the_interface_is_the_variables_or_that_of_the_name(
    environ: dict[str, str], address: str, chosen_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostbyname", lambda _name: "10.2.0.1")
    assert choose_address(environ, KNOWN, TORCH) == (address, IN_USE[address], chosen_by, "")


def test_without_a_gpu_nobody_goes_by_the_variable_of_nccl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sites set it for all nodes, also for those without GPUs and without that network."""
    monkeypatch.setattr(socket, "gethostbyname", lambda _name: "10.2.0.1")
    environ = {"NCCL_SOCKET_IFNAME": "hsn", "CUDA_VISIBLE_DEVICES": ""}
    plan = Plan({"back_ends": [*TORCH, "torch-mpi"]})
    assert communicating(plan, environ) == ["torch-gloo", "torch-mpi"]
    found = choose_address(environ, KNOWN, communicating(plan, environ))
    assert found == ("10.2.0.1", "eth0", "the host's name", "")


@pytest.mark.parametrize(
    "said",
    [
        "GLOO_SOCKET_IFNAME=eth7",
        "GLOO_SOCKET_IFNAME=ib0,eth7",
        "NCCL_SOCKET_IFNAME==ib",
        "NCCL_SOCKET_IFNAME=en",
    ],
)
def test_a_variable_that_names_no_interface(said: str) -> None:
    name, _, value = said.partition("=")
    problem = choose_address({name: value}, KNOWN, TORCH)[3]
    assert problem == f"{said} names no interface with an address here (lo, docker0, ib0, eth0)"


def test_an_mpi_alone_goes_by_neither_the_hosts_name_nor_the_variables_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Debian's 127.0.1.1 harms no MPI, and failed its verification on several nodes."""
    monkeypatch.setattr(socket, "gethostbyname", lambda _name: "127.0.1.1")
    environ = {"NCCL_SOCKET_IFNAME": "hsn"}
    assert choose_address(environ, KNOWN, ("mpi4py",)) == ("10.1.0.1", "ib0", "the interfaces", "")
    assert choose_address({}, KNOWN, ("mpi4py", *TORCH)) == ("127.0.1.1", "", "the host's name", "")
    assert choose_address({}, {"lo": "127.0.0.1"}, ("mpi4py",))[0] == "127.0.1.1"


def test_a_network_that_has_ipv6_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "if_inet6"
    told.write_text(
        "00000000000000000000000000000001 01 80 10 80       lo\n"
        "fe8000000000000000000000000000aa 07 40 20 80     hsn6\n"
        "fd000000000000000000000000000007 07 40 00 80     hsn6\n"
    )
    assert interfaces(str(told))["hsn6"] == "fd00::7"
    asked = socket.getaddrinfo

    def known(name: str, port: object, family: int = 0, kind: int = 0) -> object:
        return asked("fd00::7" if name == "n1" else name, None, family, kind)

    monkeypatch.setattr(socket, "gethostbyname", lambda _name: asked("", None))  # no address of that family
    monkeypatch.setattr(socket, "getaddrinfo", known)
    monkeypatch.setattr("envlock.probe.addresses.host_name", lambda: "n1")
    assert choose_address({}, {"hsn6": "fd00::7"}, TORCH) == ("fd00::7", "hsn6", "the host's name", "")
    with pytest.raises(OSError, match=r"."):
        resolved("nowhere.invalid")
    assert [is_loopback(one) for one in ("::1", "127.0.1.1", "fd00::7")] == [True, True, False]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_ranks_are_reached_over_either_family(address: str) -> None:
    with listening() as listener:
        listener.listen()
        try:
            reached = socket.create_connection((address, listener.getsockname()[1]), timeout=PATIENCE_S)
        except OSError as error:
            pytest.skip(f"no {address} on this machine: {error}")
        reached.close()


@pytest.mark.parametrize(("count", "tries"), [(1, 0), (2, 1), (32, 31), (33, 6), (1000, 10)])
def test_few_try_all_and_many_try_powers_of_two(count: int, tries: int) -> None:
    everybody = [str(number) for number in range(count)]
    found = neighbours(everybody, str(count - 1))
    assert len(found) == tries
    assert str(count - 1) not in found


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("packed", ["cut off", "without names"])
def test_a_library_without_headers_of_its_sections_offers_nothing_that_is_known(
    tmp_path: Path, packed: str
) -> None:
    (tmp_path / "one.c").write_text("int one(void) { return 1; }\n")
    library = tmp_path / "one.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "one.c"], check=True)
    assert exported_symbols(str(library)) == {b"one"}
    whole = library.read_bytes()
    (headers,) = struct.unpack_from("<Q", whole, 40)
    cut = whole[:headers] if packed == "cut off" else whole[:62] + b"\xff\xff" + whole[64:]
    library.write_bytes(cut)
    assert (exported_symbols(str(library)), gpu_code(str(library))) == (set(), [])


def test_an_adapter_to_which_nothing_is_connected_is_no_fabric(tmp_path: Path) -> None:
    ports = {"mlx5_0": ["1: DOWN", "4: ACTIVE"], "mlx5_1": ["1: DOWN"], "mlx5_2": ["2: INIT"], "hfi1_0": []}
    for adapter, states in ports.items():
        for number, state in enumerate(states, 1):
            port = tmp_path / adapter / "ports" / str(number)
            port.mkdir(parents=True)
            (port / "state").write_text(state + "\n")
        (tmp_path / adapter).mkdir(exist_ok=True)
    assert adapters(str(tmp_path)) == ["hfi1_0", "mlx5_0", "mlx5_2"]
    assert adapters(str(tmp_path / "none")) == []


def test_the_adapters_of_slingshot(tmp_path: Path) -> None:
    for name in ("cxi1", "cxi0"):
        (tmp_path / name).mkdir()
    assert slingshot(str(tmp_path)) == ["cxi0", "cxi1"]
    assert slingshot(str(tmp_path / "none")) == []


def test_an_adapter_whose_device_a_container_lacks_is_no_fabric(tmp_path: Path) -> None:
    devices = tmp_path / "dev"
    devices.mkdir()
    for number, adapter in enumerate(("mlx5_0", "mlx5_1")):
        (tmp_path / "sys" / adapter / "device/infiniband_verbs" / f"uverbs{number}").mkdir(parents=True)
    (tmp_path / "sys" / "hfi1_0").mkdir()
    (devices / "uverbs1").write_text("")
    assert adapters(str(tmp_path / "sys")) == ["hfi1_0", "mlx5_0", "mlx5_1"]
    assert usable(str(tmp_path / "sys"), str(devices)) == ["hfi1_0", "mlx5_1"]


@pytest.mark.parametrize(
    ("processors", "worth", "expected"),
    [(64, None, 4), (1, None, 1), (64, 1.5, 1), (64, 0.5, 1), (3, 8.0, 3)],
)
def test_checks_run_side_by_side_on_the_processors_of_this_process(
    processors: int, worth: float | None, expected: int
) -> None:
    """In a step of Slurm with one processor, four checks took each other's time."""
    assert at_once(processors, worth) == expected


def test_a_limit_of_processes_is_a_problem_of_workers_and_no_end_of_the_rank(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fork() -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr("os.fork", fork)
    assert try_workers()["problem"] == "no child can be forked: Resource temporarily unavailable"


def test_a_kernel_that_keeps_no_status_of_children_is_no_end_of_the_rank() -> None:
    """Whoever ignores SIGCHLD has its programs ignore it, and their children leave no status (wait(2))."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert try_workers()["problem"] == ""
    finally:
        signal.signal(signal.SIGCHLD, before)


@pytest.mark.parametrize("called", ["plain", "with [any] sign?*"])
def test_a_peer_that_does_not_answer_is_named(tmp_path: Path, called: str) -> None:
    folder = tmp_path / called
    folder.mkdir()
    gone = {"name": "n9-1", "host": "n9", "address": "127.0.0.1", "port": 1, "rank": 1, "master_port": None}
    (folder / "meeting-00000002-n9-1.json").write_text(json.dumps(gone))
    (folder / "met-n9-1.json").write_text("{}")
    found = meet_by_tcp(str(folder), Placement("generic", 0, 2, 0, {}), 2, 1, ["torch-gloo"])
    assert (found["appeared"], found["tried"]) == (2, 1)
    assert found["failed"] == ["rank 1 on n9 at 127.0.0.1: [Errno 111] Connection refused"]
    assert found["master"]["problem"] == ""


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("MASTER_PORT", "75432", "MASTER_PORT=75432 is no port"),
        ("MASTER_PORT", "29500;", "MASTER_PORT=29500; is no port"),
        ("MASTER_ADDR", "n1," * 30, f"{'n1,' * 30} does not resolve: it is no name of a host"),
    ],
)
def test_what_no_master_can_have_is_told_and_ends_no_rank(
    name: str, value: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As job scripts make them that add a job's number to a port, or take all hosts for the first one."""
    monkeypatch.setenv(name, value)
    found = meet_by_tcp(str(tmp_path), Placement("slurm", 0, 1, 0, {}), 1, 1, ["torch-gloo"])
    assert found["master"]["problem"] == problem


def test_who_has_taken_over_a_peers_port_may_say_anything() -> None:
    def chatter(server: socket.socket) -> None:
        with server.accept()[0] as other:
            other.sendall(b"\xff\xfe" * 500)

    with socket.create_server(("127.0.0.1", 0)) as server:
        talking = threading.Thread(target=chatter, args=(server,))
        talking.start()
        problem, _ = network._visit("127.0.0.1", server.getsockname()[1], "n9-1")
        talking.join()
    assert problem.startswith("another process answers there")


def test_who_only_looks_for_open_ports_keeps_nobody_from_being_answered() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        scanner = socket.create_connection(("127.0.0.1", port))
        scanner.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        scanner.close()  # by a reset
        threading.Thread(target=network._answer, args=(server, "n9-1"), daemon=True).start()
        assert network._visit("127.0.0.1", port, "n9-1")[0] == ""


MEETING = """
import json, sys
from envlock.probe import network, node_log
from envlock.probe.placement import Placement
folder, rank, ranks, per_node = sys.argv[1], *map(int, sys.argv[2:])
network._APPEAR_S = network._CONNECT_S = network._FINISH_S = 600.0  # a busy machine is not what is tested
node_log.host_name = lambda: "n%d" % (rank // per_node)
place = Placement("generic", rank, ranks, 0, {})
print(json.dumps(network.meet_by_tcp(folder, place, ranks, ranks // per_node, ["torch-gloo"])))
"""


@pytest.mark.processes
def test_of_many_ranks_one_of_each_node_meets_the_others(tmp_path: Path) -> None:
    """Thirty-six on four nodes, rank 0 the last one of its node to come."""
    ranks, per_node = 36, 9
    command = [sys.executable, "-c", MEETING, str(tmp_path)]
    here = [f"{one}" for one in (ranks, per_node)]
    order = [*range(1, ranks), 0]
    running = [
        subprocess.Popen([*command, str(rank), *here], stdout=subprocess.PIPE, text=True) for rank in order
    ]
    told = [json.loads(one.communicate(timeout=PATIENCE_S)[0]) for one in running]
    met = [found for found in told if found]
    tried = [found for found in met if found["tried"]]
    assert len(tried) == 4
    assert len(met) in (4, 5)
    assert [problem for found in met for problem in (*found["failed"], found["master"]["problem"])] == [
        ""
    ] * len(met)
    assert len(list(tmp_path.glob("first-*"))) == 4
    assert len(list(tmp_path.glob("met-*"))) == 4  # not of rank 0, which meets nobody
    assert len(list(tmp_path.iterdir())) <= 3 * 4 + 2


def test_a_processor_without_what_builds_use_is_named() -> None:
    assert processor_check([TENSORFLOW], "flags : fpu sse2 avx\nflags : fpu avx\n")["outcome"] == "passed"
    found = processor_check([TENSORFLOW], "flags : fpu sse2 avx\nflags : fpu\n")
    assert found["outcome"] == "failed"
    assert "tensorflow 1.15.2 needs avx" in found["message"]
    assert processor_check([], "")["outcome"] == "not-applicable"
    assert processor_check([TENSORFLOW], "processor : 0\n")["outcome"] == "not-applicable"
    assert lacking_instructions([TENSORFLOW], "processor : 0\n") == []


@pytest.mark.parametrize(
    ("groups", "files", "worth"),
    [
        ("0::/job/step\n", {"job/cpu.max": "150000 100000\n", "job/step/cpu.max": "max 100000\n"}, 1.5),
        ("0::/\n", {"cpu.max": "50000 100000\n"}, 0.5),
        ("0::/../..\n", {"cpu.max": "max 100000\n"}, None),
        (
            "4:cpu,cpuacct:/job\n1:name=systemd:/\n",
            {"cpu,cpuacct/job/cpu.cfs_quota_us": "200000\n", "cpu,cpuacct/job/cpu.cfs_period_us": "100000\n"},
            2.0,
        ),
        ("4:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ("", {}, None),
    ],
)
def test_processor_time_that_a_control_group_gives(
    groups: str, files: dict[str, str], worth: float | None, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert processors_worth(groups, str(tmp_path)) == worth


@pytest.mark.parametrize(("skew", "told"), [(0.0, 0.0), (3600.0, 3600.0), (-90.0, -90.0)])
def test_the_clock_of_a_peer_is_compared(skew: float, told: float, tmp_path: Path) -> None:
    """A process of its own, whose clock is set wrong."""
    wrong = f"import time\nreal = time.time\ntime.time = lambda: real() + {skew}\n" + MEETING
    running = [
        subprocess.Popen(
            [sys.executable, "-c", source, str(tmp_path), str(rank), "2", "1"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank, source in enumerate([MEETING, wrong])
    ]
    first, second = (json.loads(one.communicate(timeout=PATIENCE_S)[0])["clock"] for one in running)
    assert first["of"].startswith("rank 1 on ")
    assert first["ahead"] == pytest.approx(told, abs=PATIENCE_S)
    assert (abs(first["ahead"]) > 1.0) is bool(skew)
    assert first["ahead"] == pytest.approx(-second["ahead"], abs=PATIENCE_S)


def test_variables_that_mislead_are_told() -> None:
    known = [
        {
            "name": "GLOO_SOCKET_IFNAME",
            "pattern": "^\\^",
            "beside": "",
            "message": "one interface",
            "source": "",
        }
    ]
    assert variables_check({"GLOO_SOCKET_IFNAME": "eth0"}, known)["outcome"] == "passed"
    found = variables_check({"GLOO_SOCKET_IFNAME": "^lo"}, known)
    assert (found["outcome"], found["message"]) == ("warned", "GLOO_SOCKET_IFNAME=^lo: one interface")
    assert variables_check({"GLOO_SOCKET_IFNAME": "^lo"}, [])["outcome"] == "not-applicable"


@pytest.mark.parametrize("content", [b"", b"INPUT(libfoo.so.1)\n", b"\x7fELF\x02\x01\x01"])
def test_what_only_has_a_librarys_name_has_no_gpu_code(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "libtoy.so"
    path.write_bytes(content)
    assert gpu_code(str(path)) == []


def entry(kind: int, architecture: int, flags: int = 0x2011) -> bytes:
    head = struct.pack("<HHIQIIHHI8xQ", kind, 0, 64, 8, 0, 0, 0, 0, architecture, flags)
    return head.ljust(64, b"\0") + b"\0" * 8


def with_gpu_code(path: Path, code: bytes) -> str:
    """Write a file with one section .nv_fatbin."""
    names = b"\0.nv_fatbin\0.shstrtab\0"
    start = 64 + len(code)
    table = start + len(names)
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 56, 0, 64, 3, 2)
    sections = [(0, 0, 0, 0), (1, 1, 64, len(code)), (12, 3, start, len(names))]
    tables = [struct.pack("<IIQQQQIIQQ", *one[:2], 0, 0, *one[2:], 0, 0, 1, 0) for one in sections]
    path.write_bytes(header + code + names + b"".join(tables))
    return str(path)


def test_a_damaged_library_has_nothing_and_ends_no_check(tmp_path: Path) -> None:
    """With offsets that no integer of the processor holds: of its segments, and of what its sections hold."""
    library = next(path for path in sorted(own_libraries()) if "libc.so" in path)
    whole = Path(library).read_bytes()
    damaged = tmp_path / "damaged.so"
    damaged.write_bytes(whole[:32] + b"\xff" * 8 + whole[40:])
    assert read_elf(str(damaged)) is None
    (table,) = struct.unpack_from("<Q", whole, 40)
    headers = bytearray(whole[table:])
    for at in range(24, len(headers) - 8, 64):
        headers[at : at + 8] = b"\xff" * 8
    damaged.write_bytes(whole[:table] + headers)
    assert exported_symbols(library)
    assert exported_symbols(str(damaged)) == set()
    assert gpu_code(str(damaged)) == []


def test_the_loader_is_of_the_program_that_runs_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a script starts the interpreter under its own name (``exec -a``)."""
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\n")
    monkeypatch.setattr(sys, "executable", str(script))
    missing, _, mapped = Loader("", {}).closure("/proc/self/exe")
    assert (missing, bool(mapped)) == ([], True)


def test_gpu_code_is_read_from_a_fat_binary(tmp_path: Path) -> None:
    """Machine code for 7.0 and 9.0a, and PTX for 7.5."""
    entries = entry(2, 70) + entry(1, 75) + entry(2, 90, 0x102011)
    code = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries
    found = gpu_code(with_gpu_code(tmp_path / "libtoy.so", code))
    assert found == [{("sm", 70, ""), ("ptx", 75, ""), ("sm", 90, "a")}]
    assert [covered(found, capability) for capability in (60, 70, 72, 75, 90)] == [0, 1, 1, 1, 1]
    specific = [frozenset({("sm", 90, "a"), ("ptx", 90, "a")})]
    assert [covered(specific, capability) for capability in (80, 90, 100, 120)] == [0, 1, 0, 0]
    old = frozenset({("sm", 70, "")})
    assert covered([*found, old, old, old], 80) == 0.25


@pytest.mark.parametrize(("header", "size", "kinds"), [(16, 1 << 40, [{("sm", 70, "")}]), (0, 0, [set()])])
def test_a_damaged_fat_binary_is_read_as_far_as_its_section(
    tmp_path: Path, header: int, size: int, kinds: list[set[tuple[str, int, str]]]
) -> None:
    """Of sizes that lead beyond the section, or nowhere."""
    whole = entry(2, 70)
    code = (
        struct.pack("<IHHQ", 0xBA55ED50, 1, header, size) + whole[:8] + struct.pack("<Q", size) + whole[16:]
    )
    assert gpu_code(with_gpu_code(tmp_path / "libtoy.so", code)) == kinds
