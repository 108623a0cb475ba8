"""A ``setup.cfg`` as tables: what setuptools takes from it, as it is written."""

from __future__ import annotations

from collections.abc import Mapping


def read_setup_cfg(text: str) -> Mapping[str, Mapping[str, str]] | None:
    """The options by section; none of an empty text, ``None`` where it is no such file."""
    if not text:
        return {}
    import configparser  # noqa: PLC0415 - few solves read an sdist's files

    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
        return {section: dict(parser.items(section)) for section in parser.sections()}
    except configparser.Error:
        return None
