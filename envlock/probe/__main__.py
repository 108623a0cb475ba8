"""Entry: ``one-process`` and ``rank`` check, ``benchmark`` times, ``local`` and ``ssh`` start ranks.

``check`` is internal.

Each command imports its own module only when it runs: an archive keeps no bytecode, so whatever is imported
is compiled each time.
"""

import argparse
import faulthandler
import importlib
import os
import sys
from typing import List

from . import documents
from .checks import CHECKS, run_check
from .isolation import Reporter
from .plan import read_plan


def _one_process(arguments: argparse.Namespace) -> int:
    plan = read_plan(arguments.plan)
    if arguments.launched:
        by_hand = importlib.import_module(".placement", __package__).without_launcher
        kept = by_hand(dict(os.environ), plan.variables)
        for name in set(os.environ) - set(kept):
            del os.environ[name]
    examine = importlib.import_module(".one_process", __package__).examine
    result = examine(plan, os.path.abspath(arguments.plan))
    documents.write(arguments.out, result)
    return int(any(check["outcome"] in ("failed", "crashed", "timed-out") for check in result["checks"]))


def _rank(arguments: argparse.Namespace) -> int:
    run_rank = importlib.import_module(".rank", __package__).run_rank
    return 0 if run_rank(read_plan(arguments.plan), arguments.out_dir) else 1


def _benchmark(arguments: argparse.Namespace) -> int:
    run_benchmark = importlib.import_module(".benchmark", __package__).run_benchmark
    run_benchmark(read_plan(arguments.plan), os.path.dirname(os.path.abspath(arguments.plan)))
    return 0


def _local(arguments: argparse.Namespace) -> int:
    local = importlib.import_module(".local", __package__)
    size = arguments.size or arguments.ranks
    share = local.Share(arguments.ranks, arguments.first, size, arguments.tethered)
    return int(local.run_local(share, _rest(arguments)))


def _ssh(arguments: argparse.Namespace) -> int:
    over_ssh = importlib.import_module(".over_ssh", __package__)
    shares = over_ssh.shared_out(arguments.hosts.split(","), arguments.ranks, arguments.per_node)
    return int(over_ssh.run_over_ssh(shares, arguments.ssh_option, _rest(arguments)))


def _rest(arguments: argparse.Namespace) -> List[str]:
    return list(arguments.rest[1:] if arguments.rest[:1] == ["--"] else arguments.rest)


def _check(arguments: argparse.Namespace) -> int:
    """Run one isolated check; shortly before its deadline it writes out its stacks."""
    faulthandler.dump_traceback_later(max(0.5, arguments.deadline * 0.9))
    report = Reporter(arguments.report)
    run_check(arguments.check, read_plan(arguments.plan), documents.read(arguments.given), report)
    report(finished=True)
    sys.stdout.flush()
    os._exit(0)  # what libraries do at interpreter shutdown is no part of the check


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="probe")
    commands = parser.add_subparsers(dest="command")
    one = commands.add_parser("one-process", help="import and exercise everything in one process")
    one.add_argument("--plan", required=True)
    one.add_argument("--out", required=True)
    one.add_argument("--launched", action="store_true", help="forget what a launcher told this process")
    one.set_defaults(run=_one_process)
    rank = commands.add_parser("rank", help="one rank under a launcher")
    rank.add_argument("--plan", required=True)
    rank.add_argument("--out-dir", required=True)
    rank.set_defaults(run=_rank)
    benchmark = commands.add_parser("benchmark", help="one rank that is timed as a known benchmark times")
    benchmark.add_argument("--plan", required=True)
    benchmark.set_defaults(run=_benchmark)
    local = commands.add_parser("local", help="start ranks as plain processes")
    local.add_argument("--ranks", type=int, required=True)
    local.add_argument("--first", type=int, default=0, help="the number of the first of them")
    local.add_argument("--size", type=int, default=0, help="how many there are on all hosts")
    local.add_argument("--tethered", action="store_true", help="end when standard input ends")
    local.add_argument("rest", nargs=argparse.REMAINDER)
    local.set_defaults(run=_local)
    ssh = commands.add_parser("ssh", help="start ranks on other hosts, one ssh for each")
    ssh.add_argument("--hosts", required=True)
    ssh.add_argument("--ranks", type=int, required=True)
    ssh.add_argument("--per-node", type=int, required=True)
    ssh.add_argument("--ssh-option", action="append", default=[])
    ssh.add_argument("rest", nargs=argparse.REMAINDER)
    ssh.set_defaults(run=_ssh)
    check = commands.add_parser("check", help="one isolated check, started by one-process")
    check.add_argument("check", choices=sorted(CHECKS))
    check.add_argument("--plan", required=True)
    check.add_argument("--given", required=True)
    check.add_argument("--report", required=True)
    check.add_argument("--deadline", type=float, required=True)
    check.set_defaults(run=_check)
    return parser


def main(argv: List[str]) -> int:
    """Run one command; return 0 if everything passed, 1 if not, 2 for a bad request."""
    sys.dont_write_bytecode = True  # environments are immutable, and checking one must not change it
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.error("a command is needed")
    return int(arguments.run(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
