from __future__ import annotations

import pytest

from envlock.lifecycle.references import read_imb, read_nccl_tests, read_osu

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
     1048576        262144     float     sum      -1    52.11   20.12   20.12      0    51.95   20.18   20.18
# Avg bus bandwidth    : 20.1
"""


def test_imb_tells_the_slowest_rank_of_each_repetition() -> None:
    found = read_imb(IMB)
    assert found is not None
    assert (found.program, found.back_end, found.ranks) == ("IMB-MPI1", "mpi4py", 2)
    assert found.seconds[8] == pytest.approx((0.21e-6, 0.19e-6))
    assert found.seconds[1048576] == pytest.approx((50.95e-6,))


def test_osu_tells_the_slowest_rank() -> None:
    found = read_osu(OSU)
    assert found is not None
    assert found.seconds == {8: pytest.approx((1.3e-6,)), 1048576: pytest.approx((420.25e-6,))}


def test_nccl_tests_tell_the_time_out_of_place() -> None:
    found = read_nccl_tests(NCCL)
    assert found is not None
    assert (found.back_end, found.ranks) == ("torch-nccl", 2)
    assert found.seconds[1048576] == pytest.approx((52.11e-6,))


def test_what_prints_no_rows_is_no_reference() -> None:
    assert read_imb("Abort(1): no such benchmark\n") is None
