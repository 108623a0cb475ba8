"""Archives from elsewhere that try to reach what lies outside of them: bags, tar files of bags, sources."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from envlock.edges.api.sources import unpack_sources
from envlock.edges.archive_files import opened_archive
from envlock.edges.bags import BagWriter, check_bag
from envlock.edges.building.source_trees import unpack_sdist
from envlock.model.errors import RequestError


def bag(folder: Path) -> Path:
    writer = BagWriter(folder)
    writer.write("mine.txt", "mine")
    writer.finish({})
    assert check_bag(folder, folder) == ()
    return folder


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rebagged(folder: Path) -> None:
    """Make the list of tag files right again, so that only what was planted speaks against the bag."""
    tags = folder / "tagmanifest-sha256.txt"
    names = [line.split()[1] for line in tags.read_text().splitlines()]
    tags.write_text("".join(f"{sha256(folder / name)}  {name}\n" for name in names))


@pytest.mark.parametrize("place", ["../secret.txt", "data/../../secret.txt", "{root}/secret.txt"])
def test_a_bag_lists_nothing_outside_of_it(tmp_path: Path, place: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    folder = bag(tmp_path / "bag")
    with (folder / "manifest-sha256.txt").open("a") as manifest:
        manifest.write(f"{sha256(secret)}  {place.format(root=tmp_path)}\n")
    rebagged(folder)
    with pytest.raises(RequestError) as caught:
        check_bag(folder, folder)
    assert (caught.value.code, caught.value.where) == (
        "archive-damaged",
        f"{folder}/manifest-sha256.txt, line 2",
    )


def test_a_link_in_a_bag_is_none_of_its_files(tmp_path: Path) -> None:
    """Even where it leads to the very content that is listed: that may change, or be somebody's secret."""
    folder, outside = bag(tmp_path / "bag"), tmp_path / "outside.txt"
    outside.write_text("mine")
    (folder / "data/mine.txt").unlink()
    (folder / "data/mine.txt").symlink_to(outside)
    (flaw,) = check_bag(folder, folder)
    assert (flaw.path, flaw.expected, flaw.found) == ("data/mine.txt", sha256(outside), "")


def packed(path: Path, members: dict[str, str], links: dict[str, str] | None = None) -> Path:
    """A tar file of texts, after symbolic links."""
    with tarfile.open(path, "w") as tar:
        for name, there in (links or {}).items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, there
            tar.addfile(link)
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


def test_a_tar_file_of_a_bag_is_unpacked_into_its_folder_alone(tmp_path: Path) -> None:
    scratch, outside = tmp_path / "scratch", tmp_path / "outside"
    scratch.mkdir()
    outside.mkdir()
    members = dict.fromkeys(
        ("../up", "bag/../../further", f"{outside}/absolute", "link/behind", "bag/own.txt"), "planted"
    )
    tar = packed(tmp_path / "bag.tar", members, {"link": str(outside)})
    with pytest.raises(RequestError, match="this is not an envlock archive"), opened_archive(tar, scratch):
        pass
    assert list(outside.iterdir()) == []
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize("name", ["../up.py", "alpha-1.0/../../further.py", "{root}/absolute.py"])
def test_sources_to_build_are_unpacked_into_their_folder_alone(tmp_path: Path, kind: str, name: str) -> None:
    members = {"alpha-1.0/setup.py": "", name.format(root=tmp_path): "planted"}
    sdist = packed(tmp_path / "alpha-1.0.tar", members)
    if kind == "zip":
        sdist = tmp_path / "alpha-1.0.zip"
        with zipfile.ZipFile(sdist, "w") as archive:
            for member, text in members.items():
                archive.writestr(member, text)
    before = {*tmp_path.iterdir(), tmp_path / "into"}
    with suppress(ValueError):  # refused as a whole, or else what would lie outside lies inside
        unpack_sdist(sdist, tmp_path / "into")
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["../up.py", "alpha/../../further.py", "{root}/absolute.py"])
def test_a_wheel_to_compare_is_unpacked_into_its_folder_alone(tmp_path: Path, name: str) -> None:
    wheel = tmp_path / "alpha-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("alpha/__init__.py", "")
        archive.writestr(name.format(root=tmp_path), "planted")
    found = unpack_sources(wheel, tmp_path / "into")
    assert found.modules == {"alpha"}
    assert set(tmp_path.iterdir()) == {wheel, tmp_path / "into"}


def test_a_name_that_no_file_can_have_is_damage(tmp_path: Path) -> None:
    packed = tmp_path / "bag.tar"
    with tarfile.open(packed, "w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("bag/a.txt")
        member.pax_headers = {"path": "bag/a\0.txt"}
        tar.addfile(member)
    with pytest.raises(RequestError) as caught, opened_archive(packed, tmp_path):
        pass
    assert caught.value.code == "not-an-archive"


@pytest.mark.parametrize("names", [("a/x", "a/x/y"), ("a/x/y", "a/x"), ("a/" + "n" * 300,)])
def test_names_that_no_folder_can_have_side_by_side_are_damage(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    tar = packed(tmp_path / "a.tar", dict.fromkeys(names, "planted"))
    with pytest.raises(ValueError, match="it cannot be unpacked"):
        unpack_sdist(tar, tmp_path / "into")
    with pytest.raises(RequestError) as caught, opened_archive(tar, tmp_path):
        pass
    assert caught.value.code == "not-an-archive"


def test_a_name_may_have_characters_at_which_other_texts_end_a_line(tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "bag")
    writer.write("one\u2028two\x85.toml", "")
    writer.finish({})
    assert check_bag(tmp_path / "bag", tmp_path / "bag") == ()


def test_a_bag_lists_no_name_that_no_file_can_have(tmp_path: Path) -> None:
    folder = bag(tmp_path / "bag")
    with (folder / "tagmanifest-sha256.txt").open("a") as tags:
        tags.write(f"{'0' * 64}  a\0.txt\n")
    with pytest.raises(RequestError) as caught:
        check_bag(folder, folder)
    assert caught.value.code == "archive-damaged"
