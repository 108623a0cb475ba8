from __future__ import annotations

import pytest

from envlock.lifecycle.evidence.references import read_imb, read_nccl_tests, read_osu, read_probe

IMB = """\
# MPI_Op                         :   MPI_SUM
#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 2
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8          200         0.19         0.21         0.20
      1048576           40        50.79        50.95        50.87

# Benchmarking Allreduce
# #processes = 2
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8          200         0.19         0.19         0.19
# All processes entering MPI_Finalize
"""
OSU = """\
# OSU MPI Allreduce Latency Test v7.4
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
8                       1.10              1.00              1.30         200
1048576               410.55            400.10            420.25         200
"""
NCCL = """\
#  Rank  0 Group  0 Pid   6899 on n1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   6900 on n1 device  1 [0000:05:00] NVIDIA H100 80GB HBM3
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
  1048576   262144  float  sum   -1  52.11  20.12  20.12  0  51.95  20.18  20.18  0
# Avg bus bandwidth    : 20.1
"""


def test_imb_tells_the_slowest_rank_of_each_sweep() -> None:
    found = read_imb(IMB)
    assert found is not None
    assert found.ranks == 2
    assert found.sweeps == (
        {8: pytest.approx(0.21e-6), 1048576: pytest.approx(50.95e-6)},
        {8: pytest.approx(0.19e-6)},
    )


def test_osu_tells_the_slowest_rank() -> None:
    found = read_osu(OSU)
    assert found is not None
    assert found.sweeps == ({8: pytest.approx(1.3e-6), 1048576: pytest.approx(420.25e-6)},)


def test_nccl_tests_tell_the_time_in_place() -> None:
    found = read_nccl_tests(NCCL)
    assert found is not None
    assert found.ranks == 2
    assert found.sweeps == ({1048576: pytest.approx(51.95e-6)},)


def test_older_nccl_tests_without_a_root_tell_the_same() -> None:
    row = "1048576 262144 float sum 52.10 20.1 20.1 0e+00 51.95 20.2 20.2 0e+00"
    found = read_nccl_tests(f"#  Rank  1 Pid 6899 on n1 device  1 [0x04] Tesla V100\n{row}\n")
    assert found is not None
    assert (found.ranks, found.sweeps) == (2, ({1048576: pytest.approx(51.95e-6)},))


def test_the_probe_tells_its_sweeps_among_other_lines() -> None:
    line = (
        '{"benchmark": "mpi4py", "ranks": 2, "sweeps": [{"0": 1e-06, "8": 2e-06}, {"0": 1e-06, "8": 3e-06}]}'
    )
    found = read_probe(f"a launcher's warning\n{line}\n")
    assert found is not None
    assert (found.ranks, found.sweeps) == (2, ({0: 1e-6, 8: 2e-6}, {0: 1e-6, 8: 3e-6}))
    assert read_probe("Traceback (most recent call last):\n") is None
    assert read_probe('{"benchmark": "mpi4py", "ranks": 2, "swe\n') is None


def test_what_prints_no_rows_is_no_reference() -> None:
    assert read_imb("Abort(1): no such benchmark\n") is None
