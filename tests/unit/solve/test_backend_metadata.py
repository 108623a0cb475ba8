"""What build backends say of themselves, and what no index and no backend is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from envlock.model.errors import SurroundingsError
from envlock.model.locked.pins import Unsolvable
from envlock.model.project.package_sources import Direct
from envlock.model.project.target import Interpreter
from envlock.model.published.catalogue import DistFile
from envlock.model.published.metadata import Metadata
from envlock.solve.building.backend_metadata import grouped_by_text
from envlock.solve.effort import Effort
from envlock.solve.resolve import resolve
from tests.memory import MemoryCatalogue
from tests.unit.solve.test_remedies import _request
from tests.unit.solve.test_scenarios import knowledge_of


def test_the_same_failure_of_several_files_is_told_once():
    failures = [(f"a-{n}.tar.gz", f"the build backend of a-{n}.tar.gz is silent: no folder") for n in "321"]
    failures.insert(1, ("b-1.tar.gz", "b-1.tar.gz: no compiler"))
    assert grouped_by_text(failures) == (
        "the build backend of a-3.tar.gz and 2 more is silent: no folder",
        "b-1.tar.gz: no compiler",
    )


def test_a_pin_whose_backend_alone_tells_its_needs_stays_where_another_pin_is_in_the_way():
    """Refused is what was never published; whoever would end that meets the other pin only then."""
    index = {
        "reads": {"1.0": {"files": ["reads-1.0-py3-none-any.whl"]}},
        "beds": {
            "0.8": {"files": ["beds-0.8.tar.gz"], "requires": ["reads"], "unstated": True},
            "0.9": {"files": ["beds-0.9-py3-none-any.whl"]},
        },
        "calls": {"0.30": {"files": ["calls-0.30-py3-none-any.whl"]}},
    }
    knowledge = knowledge_of({})
    request = _request(knowledge, ["calls==0.31", "beds==0.8"])
    refusal = resolve(request, knowledge, MemoryCatalogue(index))
    assert isinstance(refusal, Unsolvable)
    changes = [[one.component for one in remedy.amendments] for remedy in refusal.remedies]
    assert changes == [["calls"]]


def test_no_index_is_asked_for_what_a_dependency_names_by_its_address():
    index = {"ours": {"1.0": {"requires": ["theirs @ git+https://example.org/theirs.git@v0.1"]}}}
    knowledge = knowledge_of({})
    refusal = resolve(_request(knowledge, ["ours"]), knowledge, MemoryCatalogue(index))
    assert isinstance(refusal, Unsolvable)
    assert "only the manifest may name such a place" in " ".join(one.wants for one in refusal.reasons)


def test_a_folder_that_is_written_as_a_dot_bears_its_distributions_name():
    folder = Direct(text=".", distribution="ours", place=".", sha256="", editable=True)
    failures = [(folder.filename, "ours is silent")]
    assert grouped_by_text(failures) == ("ours is silent",)


class Failing(MemoryCatalogue):
    """An index of sdists whose backends fail, and which notes which ones ran."""

    def __init__(self, index: dict) -> None:
        super().__init__(index)
        self.ran: list[str] = []

    def build_metadata(
        self, distribution: str, file: DistFile, interpreter: Interpreter, wheels: Sequence[DistFile]
    ) -> Metadata:
        self.ran.append(file.filename)
        raise SurroundingsError("metadata-build-failed", "it needs a library of its own")


def test_where_the_newest_releases_cannot_be_built_the_older_ones_are_not_tried():
    """As of opencv-contrib-python, which has dozens of sdists of a hundred megabytes."""
    index = Failing(
        {"ours": {f"1.{n}": {"files": [f"ours-1.{n}.tar.gz"], "unstated": True} for n in range(9)}}
    )
    knowledge = knowledge_of({})
    assert isinstance(resolve(_request(knowledge, ["ours"]), knowledge, index), Unsolvable)
    assert index.ran == [f"ours-1.{n}.tar.gz" for n in (8, 7, 6, 5)]


def test_no_backend_runs_for_a_refusal_that_it_cannot_end():
    """As of grpcio under Python 3.11, while another wish had no release for that Python."""
    index = Failing(
        {
            "ours": {f"1.{n}": {"files": [f"ours-1.{n}.tar.gz"], "unstated": True} for n in range(3)},
            "theirs": {"2.0": {"requires": ["hers>=3"]}},
            "hers": {"1.0": {}},
        }
    )
    knowledge = knowledge_of({})
    refusal = resolve(_request(knowledge, ["ours", "theirs"]), knowledge, index)
    assert isinstance(refusal, Unsolvable)
    assert refusal.component == "hers"
    assert index.ran == []


def test_no_backend_runs_while_the_other_pins_conflict_although_its_file_is_met_first():
    """As of scipy 1.0.0 beside numpy 1.13.3 and a TensorFlow that needs a later one."""
    index = Failing(
        {
            "ours": {"1.0": {"files": ["ours-1.0.tar.gz"], "unstated": True}},
            "theirs": {"2.0": {"requires": ["hers>=3"]}},
            "hers": {"1.0": {}, "3.0": {}},
        }
    )
    knowledge = knowledge_of({})
    request = _request(knowledge, ["ours==1.0", "theirs==2.0", "hers==1.0"])
    assert isinstance(resolve(request, knowledge, index, effort=Effort.EXPLAIN), Unsolvable)
    assert index.ran == []
    refusal = resolve(request, knowledge, index)
    assert {reason.component for reason in refusal.reasons} == {"theirs", "hers"}
    assert index.ran == ["ours-1.0.tar.gz"]  # once, for all changes that leave it as it is


class Reading(MemoryCatalogue):
    """An index that notes of which files metadata was read."""

    def __init__(self, index: dict) -> None:
        super().__init__(index)
        self.read: set[str] = set()

    def metadata(self, distribution: str, file: DistFile) -> Metadata:
        self.read.add(file.filename)
        return super().metadata(distribution, file)


def test_no_sources_are_fetched_of_what_nothing_offers_the_library_for():
    """As of mujoco-py without MuJoCo, 45 sdists of five megabytes; metadata of wheels costs little."""
    index = Reading(
        {
            "sound": {
                **{f"1.{minor}": {"files": [f"sound-1.{minor}.tar.gz"]} for minor in range(3)},
                "0.9": {"files": ["sound-0.9-py3-none-any.whl"]},
            }
        }
    )
    need = {"distribution": "sound", "component": "libsound", "reason": "it loads the library"}
    library = {"name": "libsound", "title": "the sound library", "layer": "core"}
    knowledge = knowledge_of({"knowledge": {"component": [library], "need": [need]}})
    refusal = resolve(_request(knowledge, ["sound"]), knowledge, index)
    assert isinstance(refusal, Unsolvable)
    assert {"sound", "libsound"} <= {reason.component for reason in refusal.reasons} | {refusal.component}
    assert not {filename for filename in index.read if filename.endswith(".tar.gz")}
