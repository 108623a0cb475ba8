"""HTML pages of links: the simple repository API (PEP 503, 592, 658, 714) and find-links pages."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin

from envlock.edges.index.page_rows import Page, Row
from envlock.edges.index.refusals import no_listing
from envlock.model.published.project_status import ACTIVE, ProjectStatus

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_FOREIGN = "form, input, script, meta[http-equiv=refresh]"
"""Elements that a login or error page has, but a listing without any file has not."""

_FILES = (".whl", ".tar.gz", ".zip", ".tar.bz2", ".egg", ".exe", ".tgz", ".rpm", ".msi", ".dmg", ".deb")
"""Suffixes of the files that indexes list; a login page has links, too, but to other things."""


def read_html_index(content: bytes, url: str) -> Page:
    """Read an index's page about one distribution.

    Raises:
        SurroundingsError: it is not such a page, or is cut off.
    """
    if not content.strip():
        raise no_listing(url, "it is empty")
    tree = _parsed(content)
    rows = _rows(tree, url)
    files = any(row.filename.endswith(_FILES) for row in rows)
    if not files and tree.css_first(_FOREIGN) is not None:
        raise no_listing(url, "it looks like a login page or an error page")
    if b"<html" in content[:1024].lower() and b"</html" not in content[-4096:].lower():
        raise no_listing(url, "the page is cut off")
    version = tree.css_first('meta[name="pypi:repository-version"]')
    if version is not None and (version.attributes.get("content") or "1").partition(".")[0] != "1":
        raise no_listing(url, f"it speaks version {version.attributes['content']} of the simple API")
    return Page(rows, _status(tree))


def _status(tree: LexborHTMLParser) -> ProjectStatus:
    word, reason = (_meta(tree, f"pypi:project-status{end}") for end in ("", "-reason"))
    return ProjectStatus(word, reason) if word not in {"", "active"} else ACTIVE


def _meta(tree: LexborHTMLParser, name: str) -> str:
    found = tree.css_first(f'meta[name="{name}"]')
    return "" if found is None else found.attributes.get("content") or ""


def read_link_page(content: bytes, url: str) -> tuple[Row, ...]:
    """Return the links of any page, for all distributions."""
    return _rows(_parsed(content), url)


def _parsed(content: bytes) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - pages are mostly in the cache

    return LexborHTMLParser(content)


def _rows(tree: LexborHTMLParser, url: str) -> tuple[Row, ...]:
    base = tree.css_first("base[href]")
    root = _joined(url, (base.attributes.get("href") if base is not None else "") or "") or url
    found = (_row(link.attributes, root) for link in tree.css("a[href]"))
    return tuple(row for row in found if row is not None)


def _row(attributes: dict[str, str | None], root: str) -> Row | None:
    address, _, fragment = (attributes.get("href") or "").partition("#")
    whole = address.startswith("https://") and "[" not in address  # true of nearly all, and joining is slow
    url = address if whole else _joined(root, address)
    filename = url.partition("?")[0].rpartition("/")[2]
    if "%" in filename:
        filename = unquote(filename)
    if not filename or not url.startswith(("https://", "http://", "file:")):
        return None
    return Row(
        filename=filename,
        url=url,
        sha256=_sha256(fragment) if fragment else "",
        requires_python=attributes.get("data-requires-python") or "",
        upload_time=attributes.get("data-upload-time") or "",
        yanked=(attributes["data-yanked"] or "") if "data-yanked" in attributes else None,
        sidecar=_sidecar(attributes),
    )


def _sha256(fragment: str) -> str:
    """Read the hash in a link's fragment, which may have more parts (``#egg=foo&sha256=...``)."""
    parts = (part for part in fragment.split("&") if part.startswith("sha256="))
    return next(parts, "").removeprefix("sha256=").lower()


def _joined(root: str, address: str) -> str:
    """Resolve a link; empty where it is not a valid address (``http://[``)."""
    try:
        return urljoin(root, address)
    except ValueError:
        return ""


def _sidecar(attributes: dict[str, str | None]) -> str | None:
    """Read PEP 714's attribute before PEP 658's; the value is ``true`` or ``sha256=...``."""
    for name in ("data-core-metadata", "data-dist-info-metadata"):
        if name in attributes:
            value = attributes[name] or ""
            return value.removeprefix("sha256=").lower() if value.startswith("sha256=") else ""
    return None
