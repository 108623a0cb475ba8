"""Entry: ``one-process`` and ``rank`` check, ``local`` starts ranks without MPI, ``check`` is internal."""

import argparse
import faulthandler
import os
import sys
from typing import List

from . import documents
from .exercise import run_exercises
from .imports import import_everything
from .isolation import Reporter
from .local import run_local
from .one_process import examine
from .plan import read_plan
from .rank import run_rank


def _one_process(arguments: argparse.Namespace) -> int:
    result = examine(read_plan(arguments.plan), os.path.abspath(arguments.plan))
    documents.write(arguments.out, result)
    return int(any(check["outcome"] in ("failed", "crashed", "timed-out") for check in result["checks"]))


def _rank(arguments: argparse.Namespace) -> int:
    return 0 if run_rank(read_plan(arguments.plan), arguments.out_dir) else 1


def _local(arguments: argparse.Namespace) -> int:
    rest = arguments.rest[1:] if arguments.rest[:1] == ["--"] else arguments.rest
    return run_local(arguments.ranks, rest)


def _check(arguments: argparse.Namespace) -> int:
    """One isolated check; near its deadline it writes where it stands."""
    faulthandler.dump_traceback_later(max(0.5, arguments.deadline * 0.9))
    plan = read_plan(arguments.plan)
    report = Reporter(arguments.report)
    if arguments.check == "imports":
        import_everything(plan, report)
    else:
        run_exercises(arguments.only.split(","), report)
    report(finished=True)
    sys.stdout.flush()
    os._exit(0)  # what libraries do while the interpreter goes is no part of the check


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="probe")
    commands = parser.add_subparsers(dest="command")
    one = commands.add_parser("one-process", help="import and exercise everything in one process")
    one.add_argument("--plan", required=True)
    one.add_argument("--out", required=True)
    one.set_defaults(run=_one_process)
    rank = commands.add_parser("rank", help="one rank under a launcher")
    rank.add_argument("--plan", required=True)
    rank.add_argument("--out-dir", required=True)
    rank.set_defaults(run=_rank)
    local = commands.add_parser("local", help="start ranks as plain processes")
    local.add_argument("--ranks", type=int, required=True)
    local.add_argument("rest", nargs=argparse.REMAINDER)
    local.set_defaults(run=_local)
    check = commands.add_parser("check", help="one isolated check, started by one-process")
    check.add_argument("check", choices=["imports", "exercise"])
    check.add_argument("--plan", required=True)
    check.add_argument("--report", required=True)
    check.add_argument("--deadline", type=float, required=True)
    check.add_argument("--only", default="")
    check.set_defaults(run=_check)
    return parser


def main(argv: List[str]) -> int:
    """Run one command; 0 if everything passed, 1 if not, 2 for a wrong request."""
    sys.dont_write_bytecode = True  # environments are immutable, and checking one must not change it
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.error("a command is needed")
    return int(arguments.run(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
