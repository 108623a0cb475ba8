"""The real main index of pip's configuration."""

from __future__ import annotations

import datetime as dt

import pytest
from packaging.specifiers import SpecifierSet

from envlock.edges.cache import Cache
from envlock.edges.index.catalogue import IndexCatalogue
from envlock.edges.index.client import Client
from envlock.edges.pip_configuration import read_pip_configuration

pytestmark = pytest.mark.live

MIB = 1 << 20


@pytest.fixture
def catalogue(tmp_path):
    with IndexCatalogue(read_pip_configuration(), Cache(tmp_path)) as made:
        yield made


def files(catalogue, name, version):
    return next(r.files for r in catalogue.releases(name) if str(r.version) == version)


def test_metadata_of_a_large_wheel_costs_less_than_a_mebibyte(catalogue):
    wheel = next(file for file in files(catalogue, "torch", "1.4.0") if "cp37m-manylinux1" in file.filename)
    before = catalogue.http.received
    metadata = catalogue.metadata("torch", wheel)
    assert 0 < catalogue.http.received - before < MIB
    assert metadata.requires_dist == ()
    assert SpecifierSet(metadata.requires_python).contains("3.7.16")
    assert not SpecifierSet(metadata.requires_python).contains("3.4.0")


def test_a_page_with_all_that_solving_needs(catalogue):
    (wheel,) = (f for f in files(catalogue, "numpy", "1.18.1") if "cp37m-manylinux1_x86_64" in f.filename)
    assert wheel.sha256
    assert wheel.requires_python == ">=3.5"
    assert wheel.upload_time is not None
    assert wheel.upload_time.date() == dt.date(2020, 1, 6)


def test_metadata_of_an_sdist_that_has_no_wheel(catalogue, tmp_path):
    (sdist,) = files(catalogue, "gast", "0.2.2")
    assert not sdist.is_wheel
    metadata = catalogue.metadata("gast", sdist)
    assert metadata.requires_dist == ()
    assert metadata.build_requires == ("setuptools>=40.8.0", "wheel")
    with IndexCatalogue(read_pip_configuration(), Cache(tmp_path), offline=True) as offline:
        assert offline.metadata("gast", files(offline, "gast", "0.2.2")[0]) == metadata
        assert offline.local_file(sdist).name == "gast-0.2.2.tar.gz"


def test_horovod_states_its_dependencies(catalogue):
    (sdist,) = files(catalogue, "horovod", "0.19.0")
    names = {r.name for r in catalogue.metadata("horovod", sdist).requires_dist if not r.marker}
    assert names == {"cloudpickle", "psutil", "pyyaml", "six", "cffi"}


def test_requests_share_a_connection_by_http_2():
    configuration = read_pip_configuration()
    client = Client(configuration)
    url = f"{configuration.index_url}/numpy/"
    with client.of(url).get(url).build_streamed() as response:
        assert (response.status, response.version) == (200, "HTTP/2.0")
    client.close()


def test_nobody_knows_it(catalogue):
    assert not catalogue.releases("a-distribution-that-nobody-would-publish-by-this-name")
