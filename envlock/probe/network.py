"""Whether ranks reach each other by TCP on the address that libraries would choose, and a master (L11, L12).

Addresses are exchanged through the shared folder, in files whose names give the rank. Beyond a few dozen
ranks, one rank of each node meets the others, because a node's ranks share its interfaces; only these and
rank 0, which all must reach, have files. Each then tries its neighbours at distances of powers of two and
reads only their files: a thousand nodes make some thousand files and ten thousand connections, not a million.

All remain reachable until all have met. If another rank of its node does the meeting, rank 0 meets nobody,
and its file is of another kind: were it counted among those that meet, some would leave while others are
still on their way.
"""

import glob
import os
import socket
import threading
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import documents
from .addresses import choose_address, interfaces, listening, resolved
from .node_log import node_name
from .placement import Placement, host_name

_ALL_PAIRS_UP_TO = 32
_APPEAR_S, _CONNECT_S = 30.0, 3.0
"""How long ranks wait for each other: nodes that read Python from one cold disk start far apart."""
_FINISH_S = 30.0
"""How long a rank goes on answering others that are slower."""
_PAUSE_S, _PAUSE_PER_RANK_S = 0.05, 0.0002
_APPEAR_PER_RANK_S = 0.005
_LONGEST_LINE = 400
"""How many bytes of an answer to read; a process that has taken over a peer's port may send anything."""


def meet_by_tcp(
    folder: str, placement: Placement, ranks: int, nodes: int, back_ends: Sequence[str]
) -> Dict[str, Any]:
    """Report who was reached, and on which address; see the module.

    The result has ``expected`` and ``appeared`` ranks, this rank's ``address``, its ``interface``, the reason
    for it (``chosen_by``) and what is wrong with that (``problem``), ``tried``, ``failed`` (sentences),
    ``master``, and ``clock``: how many seconds the clock that differs most is ahead of this one, and whose it
    is. It is empty on a rank whose node is represented by another rank.

    Args:
        folder: every rank sees it.
        placement: the rank's placement.
        ranks: the world size.
        nodes: the number of nodes.
        back_ends: what will communicate.
    """
    for_node = ranks <= _ALL_PAIRS_UP_TO or _first_of_node(folder)
    if not for_node and placement.rank != 0:
        return {}
    expected = ranks if ranks <= _ALL_PAIRS_UP_TO else nodes
    address, interface, chosen_by, problem = choose_address(dict(os.environ), interfaces(), back_ends)
    found: Dict[str, Any] = {
        "expected": expected,
        "address": address,
        "interface": interface,
        "chosen_by": chosen_by,
    }
    found.update(problem=problem, appeared=0, tried=0, failed=[], master={}, clock={})
    name = "%s-%d" % (host_name(), os.getpid())
    appear_s = _APPEAR_S + ranks * _APPEAR_PER_RANK_S
    try:
        with listening() as listener:
            listener.listen(128)
            threading.Thread(target=_answer, args=(listener, name), daemon=True).start()
            me = {"name": name, "host": host_name(), "address": address, "port": listener.getsockname()[1]}
            me.update(
                rank=-1 if placement.rank is None else placement.rank, master_port=_master_port(placement)
            )
            kind = "meeting" if for_node else "asked"
            own = os.path.join(folder, "%s-%08d-%s.json" % (kind, me["rank"] + 1, name))
            documents.write(own, me)
            everybody = sorted(_wait_for(folder, "meeting-*.json", expected, appear_s))
            found["appeared"] = len(everybody)
            for peer in map(documents.read, neighbours(everybody, own) if for_node else []):
                found["tried"] += 1
                problem, ahead = _visit(peer["address"], peer["port"], peer["name"])
                who = "rank %s on %s" % (peer["rank"], peer["host"])
                if problem:
                    found["failed"].append("%s at %s: %s" % (who, peer["address"], problem))
                elif abs(ahead) >= abs(found["clock"].get("ahead", 0.0)):
                    found["clock"] = {"of": who, "ahead": ahead}
            found["master"] = _master(folder, appear_s)
            if for_node:
                documents.write(os.path.join(folder, "met-%s.json" % name), {})
            _wait_for(folder, "met-*.json", len(everybody), _FINISH_S)
    except OSError as error:
        found["failed"].append("%s cannot listen: %s" % (host_name(), error))
    return found


def _first_of_node(folder: str) -> bool:
    """Whether this is the first rank of its node to ask; it creates a file to record that."""
    own = os.path.join(folder, "first-%s" % node_name())
    try:
        os.close(os.open(own, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    except FileExistsError:
        return False
    return True


def neighbours(everybody: List[str], own: str) -> List[str]:
    """Return whom a rank tries: all others if they are few, otherwise those at distances of powers of two."""
    count = len(everybody)
    mine = everybody.index(own)
    distances = list(range(1, count)) if count <= _ALL_PAIRS_UP_TO else []
    while not count <= _ALL_PAIRS_UP_TO and (not distances or distances[-1] * 2 < count):
        distances.append(distances[-1] * 2 if distances else 1)
    return [everybody[(mine + distance) % count] for distance in distances]


def _master_port(placement: Placement) -> Optional[str]:
    """On rank 0, return why MASTER_PORT is not free, empty if it is; ``None`` if it is not set.

    Under torchrun, its agent already listens there on behalf of the ranks.
    """
    port = os.environ.get("MASTER_PORT", "")
    if placement.rank or placement.source == "torchrun" or not port:
        return None
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind(("", int(port)))
        except OSError as error:
            return "MASTER_PORT %s: %s" % (port, error.strerror)
        except (OverflowError, ValueError):
            return "MASTER_PORT=%s is no port" % port
    return ""


def _master(folder: str, seconds: float) -> Dict[str, Any]:
    """Check whether rank 0 is reached by the name that a job script would give all ranks."""
    zero = sorted(_wait_for(folder, "*-%08d-*.json" % 1, 1, seconds))
    if not zero:
        return {"name": "", "problem": "no rank calls itself 0"}
    first = documents.read(zero[0])
    name = os.environ.get("MASTER_ADDR") or first["host"]
    found: Dict[str, Any] = {
        "name": name,
        "given": "MASTER_ADDR" in os.environ,
        "address": "",
        "problem": first["master_port"] or "",
    }
    try:
        found["address"] = resolved(name)
    except OSError as error:
        found["problem"] = "%s does not resolve: %s" % (name, error)
        return found
    problem, _ = _visit(found["address"], first["port"], first["name"])
    if problem:
        found["problem"] = "%s (%s): %s" % (name, found["address"], problem)
    return found


def _visit(address: str, port: int, name: str) -> Tuple[str, float]:
    """Connect, and read from the other its identity and its time.

    The first result is a problem, empty if the right process answered. The second is how many seconds its
    clock is ahead, less what the way there and back may account for (RFC 5905, 8: the offset is known to half
    the round trip).
    """
    begin = time.time()
    try:
        with socket.create_connection((address, port), timeout=_CONNECT_S) as other:
            other.settimeout(_CONNECT_S)
            line = other.makefile("rb").readline(_LONGEST_LINE).decode("utf-8", "replace")
            said, _, clock = line.strip().partition(" ")
    except OSError as error:
        return str(error), 0.0
    if said != name or not clock:
        return "another process answers there (%s)" % said, 0.0
    end = time.time()
    ahead, unsure = float(clock) - (begin + end) / 2, abs(end - begin) / 2
    return "", max(0.0, ahead - unsure) if ahead > 0 else min(0.0, ahead + unsure)


def _answer(listener: socket.socket, name: str) -> None:
    """Answer whoever connects until the listener is closed.

    An error concerns one connection (accept(2), error handling): who only looks for open ports, as a site's
    scanner does, is gone by then.
    """
    while listener.fileno() >= 0:
        try:
            with listener.accept()[0] as other:
                other.sendall(("%s %.6f\n" % (name, time.time())).encode())
        except OSError:
            time.sleep(_PAUSE_S)


def _wait_for(folder: str, names: str, count: int, seconds: float) -> List[str]:
    """Return the files whose names match, once they are so many or the time is over."""
    deadline, pattern = time.monotonic() + seconds, os.path.join(glob.escape(folder), names)
    found = glob.glob(pattern)
    while len(found) < count and time.monotonic() < deadline:
        time.sleep(max(_PAUSE_S, count * _PAUSE_PER_RANK_S))
        found = glob.glob(pattern)
    return found
