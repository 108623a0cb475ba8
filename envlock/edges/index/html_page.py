"""Pages of links in HTML: the simple repository API (PEP 503, 592, 658, 714) and find-links pages."""

from __future__ import annotations

from urllib.parse import unquote, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from envlock.edges.index.listing import Row
from envlock.model.errors import SurroundingsError

_FOREIGN = "form, input, script, meta[http-equiv=refresh]"
"""What a login page or an error page has and a listing without any file has not."""


def read_html_index(content: bytes, url: str) -> tuple[Row, ...]:
    """The files of an index's page about one distribution.

    Raises:
        SurroundingsError: it is no such page, or only a part of one.
    """
    tree = LexborHTMLParser(content)
    rows = _rows(tree, url)
    if not rows and tree.css_first(_FOREIGN) is not None:
        raise _no_listing(url, "it looks like a login page or an error page")
    if b"<html" in content[:1024].lower() and b"</html" not in content[-4096:].lower():
        raise _no_listing(url, "the page is cut off")
    version = tree.css_first('meta[name="pypi:repository-version"]')
    if version is not None and (version.attributes.get("content") or "1").partition(".")[0] != "1":
        raise _no_listing(url, f"it speaks version {version.attributes['content']} of the simple API")
    return rows


def read_link_page(content: bytes, url: str) -> tuple[Row, ...]:
    """The links of any page, of all distributions."""
    return _rows(LexborHTMLParser(content), url)


def _rows(tree: LexborHTMLParser, url: str) -> tuple[Row, ...]:
    base = tree.css_first("base[href]")
    root = urljoin(url, (base.attributes.get("href") if base is not None else "") or "")
    found = (_row(link.attributes, root) for link in tree.css("a[href]"))
    return tuple(row for row in found if row is not None)


def _row(attributes: dict[str, str | None], root: str) -> Row | None:
    address, _, fragment = (attributes.get("href") or "").partition("#")
    url = address if address.startswith("https://") else urljoin(root, address)
    filename = unquote(url.partition("?")[0].rpartition("/")[2])
    if not filename or urlsplit(url).scheme not in ("http", "https", "file"):
        return None
    algorithm, _, digest = fragment.partition("=")
    return Row(
        filename=filename,
        url=url,
        sha256=digest.partition("&")[0].lower() if algorithm == "sha256" else "",
        requires_python=attributes.get("data-requires-python") or "",
        upload_time=attributes.get("data-upload-time") or "",
        yanked=(attributes["data-yanked"] or "") if "data-yanked" in attributes else None,
        sidecar=_sidecar(attributes),
    )


def _sidecar(attributes: dict[str, str | None]) -> str | None:
    """PEP 714's attribute before PEP 658's; ``true`` or ``sha256=...``."""
    for name in ("data-core-metadata", "data-dist-info-metadata"):
        if name in attributes:
            value = attributes[name] or ""
            return value.removeprefix("sha256=").lower() if value.startswith("sha256=") else ""
    return None


def _no_listing(url: str, why: str) -> SurroundingsError:
    return SurroundingsError(
        "index-error",
        "the index's answer is no listing of files",
        where=url,
        why=why,
        hint="`pip config list` shows which indexes are set up; a proxy or a login may be in between",
    )
