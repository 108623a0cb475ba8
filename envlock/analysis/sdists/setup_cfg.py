"""``setup.cfg`` as tables: its options as setuptools reads them, verbatim."""

from __future__ import annotations

from collections.abc import Mapping


def read_setup_cfg(text: str) -> Mapping[str, Mapping[str, str]] | None:
    """Return the options by section; none for an empty text, ``None`` if it cannot be parsed."""
    if not text:
        return {}
    import configparser  # noqa: PLC0415 - few solves read an sdist's files

    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
        return {section: dict(parser.items(section)) for section in parser.sections()}
    except configparser.Error:
        return None
