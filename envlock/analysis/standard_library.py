"""The modules of the standard library, which no distribution has to bring."""

from __future__ import annotations

import sys

_REMOVED = frozenset(
    {
        # Python 3.12: PEP 594 (asynchat, asyncore, smtpd), PEP 632 (distutils) and its release notes (imp).
        *("asynchat", "asyncore", "distutils", "imp", "smtpd"),
        # Python 3.13: PEP 594 and its release notes (lib2to3).
        *("aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "lib2to3", "mailcap", "msilib"),
        *("nis", "nntplib", "ossaudiodev", "pipes", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib"),
    }
)
"""Modules that supported interpreters have, and the one that runs envlock may have no more."""

STANDARD_MODULES: frozenset[str] = sys.stdlib_module_names | _REMOVED
"""Top-level modules of the standard library of any supported interpreter, whichever runs envlock."""
