"""C in an sdist that later interpreters do not compile, since an old Cython wrote it."""

from __future__ import annotations

from collections.abc import Iterable

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.recipe import OldTranslation

TRANSLATED_SOURCES = "translated-sources"
"""What names such refusals for waivers."""


def outlived(
    component: str, version: str, translated: Iterable[str], python: str, knowledge: Knowledge
) -> tuple[str, OldTranslation] | None:
    """Why a build of a release's sdist ends at its C, and by what that is known; ``None`` where it does not.

    A recipe says how to build a release; such may translate it anew.

    Args:
        component: the distribution.
        version: its version.
        translated: as in its metadata.
        python: the interpreter's version.
        knowledge: what is known of such C, and its recipes.
    """
    if knowledge.recipe(component, version) is not None:
        return None
    for written in translated:
        for old in knowledge.old_translations:
            if old.is_meant(written, python):
                tool = f"{old.tool.capitalize()} {written.partition(' ')[0]}"
                series = ".".join(python.split(".")[:2])
                why = f"{tool} wrote the C in its sdist, which Python {series} does not compile: {old.reason}"
                return why, old
    return None
