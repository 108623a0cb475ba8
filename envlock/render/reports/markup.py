"""Elements of HTML, SVG and XML, escaped by construction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

Child = ET.Element | str | None
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def element(tag: str, *children: Child, **attributes: object) -> ET.Element:
    """Make an element; ``class_`` is the attribute ``class``, ``stroke_width`` is ``stroke-width``.

    Args:
        tag: its name.
        children: elements and texts in order; ``None`` is left out.
        attributes: their values; ``None`` leaves one out.
    """
    made = ET.Element(
        tag,
        {
            name.rstrip("_").replace("_", "-"): clean(str(value))
            for name, value in attributes.items()
            if value is not None
        },
    )
    add(made, *children)
    return made


def add(parent: ET.Element, *children: Child) -> None:
    """Append elements and texts to an element."""
    for child in children:
        if isinstance(child, ET.Element):
            parent.append(child)
        elif child is not None and len(parent):
            parent[-1].tail = (parent[-1].tail or "") + clean(child)
        elif child is not None:
            parent.text = (parent.text or "") + clean(child)


def clean(text: str) -> str:
    """Return a text without the control characters that no document may hold (XML 1.0, section 2.2)."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def html_table(headings: Sequence[str], rows: Iterable[ET.Element]) -> ET.Element:
    """Return a table with headings above its rows."""
    head = element("tr", *(element("th", text, scope="col") for text in headings))
    return element("table", element("thead", head), element("tbody", *rows))


def html_document(root: ET.Element) -> str:
    """Return a whole HTML document."""
    return "<!DOCTYPE html>\n" + ET.tostring(root, encoding="unicode", method="html") + "\n"


def xml_document(root: ET.Element) -> str:
    """Return a whole XML document, indented."""
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
