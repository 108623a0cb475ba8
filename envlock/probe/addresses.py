"""The address on which a rank is reached: by variables of libraries, its host's name, or its interfaces."""

import fcntl
import socket
import struct
from typing import Dict, List, Sequence, Tuple

from .kernel_files import kernel_text
from .placement import host_name

_SIOCGIFADDR = 0x8915  # linux/sockios.h
_INET6 = "/proc/net/if_inet6"
_GLOBAL = "00"
_GLOOS = ("GLOO_SOCKET_IFNAME", "HOROVOD_GLOO_IFACE")
_NCCLS = "NCCL_SOCKET_IFNAME"
_NOT_BETWEEN_NODES = ("lo", "docker", "virbr", "veth", "br-", "cni", "podman")
"""The beginnings of names of interfaces that lead to no other node."""


def choose_address(
    environ: Dict[str, str], known: Dict[str, str], back_ends: Sequence[str]
) -> Tuple[str, str, str, str]:
    """Return address, interface, reason and problem: a variable's interface, or where the host's name leads.

    Gloo takes the address to which the host's own name resolves, which Debian and its relatives map to
    127.0.1.1. An MPI goes by the interfaces instead, and reads no variable of Gloo or NCCL.
    """
    variables = () if set(back_ends) <= {"mpi4py"} else _GLOOS
    for variable in (*variables, *([_NCCLS] if "torch-nccl" in back_ends else [])):
        wanted = environ.get(variable, "")
        if wanted and not wanted.startswith("^"):
            found = _named(wanted, list(known), prefixes=variable == _NCCLS)
            if found:
                return known[found], found, variable, ""
            told = "%s=%s names no interface with an address here (%s)" % (variable, wanted, ", ".join(known))
            return "127.0.0.1", "", variable, told
    try:
        address = resolved(host_name())
    except OSError:
        address = ""
    if not any(name.startswith("torch") for name in back_ends) and (not address or is_loopback(address)):
        for name, one in known.items():
            if not name.startswith(_NOT_BETWEEN_NODES):
                return one, name, "the interfaces", ""
    if not address:
        way = "enter it in /etc/hosts or DNS, or set GLOO_SOCKET_IFNAME"
        return "127.0.0.1", "lo", "fallback", "the host's name %s does not resolve: %s" % (host_name(), way)
    return address, next((name for name, one in known.items() if one == address), ""), "the host's name", ""


def _named(wanted: str, known: List[str], *, prefixes: bool) -> str:
    """Return the first interface that a list names; empty for none, or where one that Gloo needs is missing.

    NCCL takes what is there of its list, whose entries are the beginnings of names unless it begins with
    ``=`` (NCCL's user guide, NCCL_SOCKET_IFNAME); PyTorch's Gloo opens every interface of its own list.
    """
    exact = not prefixes or wanted.startswith("=")
    entries = [entry.strip() for entry in wanted.lstrip("=").split(",") if entry.strip()]
    found = [
        next((name for name in known if name == entry or (not exact and name.startswith(entry))), "")
        for entry in entries
    ]
    if not prefixes and not all(found):
        return ""
    return next(filter(None, found), "")


def interfaces(inet6: str = _INET6) -> Dict[str, str]:
    """Return interface -> its first IPv4 address, or where it has none its first global IPv6 address.

    Args:
        inet6: the file in which the kernel tells the latter (netdevice(7), proc(5)).
    """
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(asking.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
            except OSError:
                continue
            found[name] = socket.inet_ntoa(answer[20:24])
    for line in kernel_text(inet6).splitlines():
        address, _, _, scope, _, name = line.split()
        if scope == _GLOBAL:
            found.setdefault(name, socket.inet_ntop(socket.AF_INET6, bytes.fromhex(address)))
    return found


def resolved(name: str) -> str:
    """Return the IPv4 address of a host, or its IPv6 address where it has no other.

    Raises:
        OSError: the name does not resolve.
    """
    try:
        return socket.gethostbyname(name)
    except UnicodeError:  # such as a list of hosts, longer than a name can be
        raise OSError("it is no name of a host") from None
    except OSError:
        found = socket.getaddrinfo(name, None, socket.AF_INET6, socket.SOCK_STREAM)
        return str(found[0][4][0])


def listening() -> socket.socket:
    """Return a socket on a free port of all addresses, of both families where the kernel has IPv6.

    Raises:
        OSError: there is no port, or no network at all.
    """
    failure = OSError("no network")
    for family in (socket.AF_INET6, socket.AF_INET):
        listener = None
        try:
            listener = socket.socket(family, socket.SOCK_STREAM)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            listener.bind(("", 0))
        except OSError as error:
            failure = error
            if listener is not None:
                listener.close()
        else:
            return listener
    raise failure


def is_loopback(address: str) -> bool:
    """Whether an address leads to this machine alone."""
    return address.startswith("127.") or address == "::1"
