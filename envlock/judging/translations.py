"""C in an sdist that later interpreters do not compile because an old Cython wrote it."""

from __future__ import annotations

from collections.abc import Iterable

from envlock.model.knowing.knowledge import Knowledge
from envlock.model.knowing.recipe import OldTranslation

TRANSLATED_SOURCES = "translated-sources"
"""The identifier of these refusals, for waivers."""


def outlived(
    component: str, version: str, translated: Iterable[str], python: str, knowledge: Knowledge
) -> tuple[str, OldTranslation] | None:
    """Tell why a build of a release's sdist fails at its C, and how that is known; ``None`` if it does not.

    A release with a recipe is exempt, since that may translate the C anew.

    Args:
        component: the distribution.
        version: its version.
        translated: ``Metadata.translated``.
        python: the interpreter's version.
        knowledge: what is known of such C, and the recipes.
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
