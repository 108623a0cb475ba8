"""Judging by what distributions say of themselves."""

import datetime as dt
from dataclasses import replace

from envlock.judging.declared import declared_findings
from envlock.model.knowing.fact import Severity
from envlock.model.knowing.finding import Chosen, Finding
from envlock.model.knowing.knowledge import KeptAt, Knowledge
from envlock.model.published.declaration import Declaration, Published
from tests.shipped import KNOWLEDGE


def declared(
    name: str,
    version: str,
    *requires: str,
    files: tuple[str, ...] = (),
    python: str = "",
    versions: tuple[str, ...] = (),
) -> Declaration:
    return Declaration(
        distribution=name,
        version=version,
        read=dt.date(2026, 1, 2),
        files=tuple(
            Published(filename=file, requires_python=python)
            for file in files or (f"{name}-{version}-py3-none-any.whl",)
        ),
        requires_dist=requires,
        versions=versions,
    )


def findings(
    *declarations: Declaration, known: Knowledge = KNOWLEDGE, **components: str
) -> tuple[Finding, ...]:
    named = {one.distribution: one.version for one in declarations} | components
    assignment = {name.replace("_", "-"): (Chosen(version=version),) for name, version in named.items()}
    return declared_findings(assignment, {one.distribution: one for one in declarations}, known, of="")


def wheels(name: str, version: str, *pythons: str, platform: str = "manylinux2014_x86_64") -> tuple[str, ...]:
    return tuple(
        f"{name}-{version}-cp{one}-cp{one}{'m' if one in {'36', '37'} else ''}-{platform}.whl"
        for one in pythons
    )


def test_an_unmet_requirement_is_refused_with_the_nearest_that_meets_it() -> None:
    one = declared("thing", "1.0", "other>=1.2,<2")
    other = declared("other", "2.1", versions=("2.1", "2.0", "2.0rc1", "1.9", "1.8"))
    (found,) = findings(one, other)
    assert found.fact == "requires-dist"
    assert found.severity is Severity.REFUSE
    assert found.components == {"thing": "1.0", "other": "2.1"}
    assert found.message == "thing 1.0 requires other <2,>=1.2, not 2.1"
    assert [(fix.component, fix.versions) for fix in found.fixes] == [("other", ("1.9",))]
    assert found.sources[0].title == "metadata of thing 1.0"


def test_a_labelled_build_that_was_never_published_means_its_release() -> None:
    one = declared("thing", "1.0", "other==1.2.0+cu117")
    assert findings(one, declared("other", "1.2.0", versions=("1.2.0", "1.1.0"))) == ()
    (found,) = findings(one, declared("other", "1.1.0", versions=("1.2.0", "1.1.0")))
    assert found.fixes[0].versions == ("1.2.0",)
    (found,) = findings(one, declared("other", "1.2.0", versions=("1.2.0+cu117", "1.2.0")))
    assert found.fixes[0].versions == ("1.2.0+cu117",)


def test_a_met_requirement_and_an_absent_one_are_fine() -> None:
    assert not findings(declared("thing", "1.0", "other>=1.2", "absent==1"), declared("other", "2.0rc1"))


def test_markers_are_read_for_the_interpreter() -> None:
    one = declared("thing", "1.0", 'other<2; python_version < "3.8"')
    assert findings(one, other="2.1", python="3.7.16")
    assert not findings(one, other="2.1", python="3.8")
    assert not findings(declared("thing", "1.0", 'other<2; extra == "more"'), other="2.1", python="3.8")


def test_without_an_interpreter_the_one_with_least_wrong_counts() -> None:
    one = declared("thing", "1.0", 'other<2; python_version >= "3.8"')
    assert not findings(one, other="2.1")
    old, new = declared("old", "1.0", python="<3.8"), declared("new", "1.0", python=">=3.9")
    assert not findings(old)
    assert len(findings(old, new)) == 1


def test_an_interpreter_that_is_not_meant() -> None:
    one = declared("thing", "1.0", python=">=3.9.2")
    assert [found.message for found in findings(one, python="3.8.20")] == [
        "thing 1.0 is for Python >=3.9.2, not 3.8.20"
    ]
    assert not findings(one, python="3.9")
    assert findings(one, python="3.9.1")


def test_no_wheel_and_no_sdist_is_refused_and_an_sdist_a_warning() -> None:
    files = wheels("thing", "1.0", "36", "37")
    (refused,) = findings(declared("thing", "1.0", files=files), python="3.8")
    assert refused.message == "thing 1.0 has no wheel for Python 3.8 on x86_64, and there is no sdist"
    assert refused.fixes[0].versions == ("3.6", "3.7")
    (warned,) = findings(declared("thing", "1.0", files=(*files, "thing-1.0.tar.gz")), python="3.8")
    assert warned.severity is Severity.WARN
    assert not findings(declared("thing", "1.0", files=files), python="3.7")
    assert not findings(declared("thing", "1.0", files=("thing-1.0.tar.gz",)), python="3.8")


def test_python_2_wheels_are_known() -> None:
    one = declared("thing", "1.0", files=("thing-1.0-cp27-cp27mu-manylinux1_x86_64.whl",))
    assert not findings(one, python="2.7.16")


def test_a_wheel_for_a_newer_c_library_is_refused_by_its_name() -> None:
    one = declared("thing", "1.0", files=wheels("thing", "1.0", "310", platform="manylinux_2_28_x86_64"))
    (found,) = findings(one, python="3.10", glibc="2.17")
    assert found.components == {"thing": "1.0", "glibc": "2.17"}
    assert not findings(one, python="3.10", glibc="2.28")
    assert not findings(one, python="3.10")


def test_the_architecture_that_a_combination_names_decides_about_wheels() -> None:
    one = declared("thing", "1.0", files=wheels("thing", "1.0", "310"))
    assert not findings(one, python="3.10", processor="x86_64")
    (found,) = findings(one, python="3.10", processor="aarch64")
    assert found.message == "thing 1.0 has no wheel for Python 3.10 on aarch64, and there is no sdist"
    both = wheels("thing", "1.0", "310") + wheels("thing", "1.0", "310", platform="manylinux2014_aarch64")
    assert not findings(declared("thing", "1.0", files=both), python="3.10", processor="aarch64")


def test_wheels_that_a_publisher_keeps_elsewhere_may_be_for_this_architecture() -> None:
    """As DALI's for CUDA 11: of some releases the index has wheels for aarch64 alone."""
    kept = KeptAt(distribution="thing", address="https://thing.example", more_files=True, sources=())
    with_more = replace(KNOWLEDGE, kept_at={"thing": kept})
    one = declared("thing", "1.0", files=wheels("thing", "1.0", "310", platform="manylinux2014_aarch64"))
    (found,) = findings(one, python="3.10", known=with_more)
    assert found.severity is Severity.WARN
    assert "its publisher keeps more files elsewhere: https://thing.example" in found.message
    (found,) = findings(one, python="3.10")
    assert found.severity is Severity.REFUSE
    here = declared("thing", "1.0", files=wheels("thing", "1.0", "310"))
    (found,) = findings(here, python="3.12", known=with_more)
    assert found.severity is Severity.REFUSE


def test_a_labelled_build_is_held_to_what_all_builds_ask_for() -> None:
    asked = ("cuda-bindings>=13", "triton==3.6.0", "filelock>=3")
    torch = declared("torch", "2.11.0+cu126", *asked)
    (found,) = findings(torch, triton="3.0.0", cuda_bindings="12.9.4")
    assert found.message == "torch 2.11.0+cu126 requires triton ==3.6.0, not 3.0.0"
    (found,) = findings(declared("torch", "2.11.0+cpu", *asked), triton="3.0.0", filelock="2.0")
    assert found.message == "torch 2.11.0+cpu requires filelock >=3, not 2.0"


def test_a_labelled_build_is_not_held_to_the_libraries_of_another() -> None:
    one = declared("torch", "2.6.0+cu118", "nvidia-cudnn-cu12==9.1.0.70", "sympy==1.13.1")
    found = findings(one, nvidia_cudnn_cu12="9.5.0.0", sympy="1.12")
    assert [set(one.components) for one in found] == [{"torch", "sympy"}]


def test_what_two_ask_of_a_third_that_nobody_named_must_be_one_version() -> None:
    one, another = declared("thing", "1.0", "shared<2"), declared("more", "3.0", "shared>=2")
    (found,) = findings(one, another)
    assert found.severity is Severity.REFUSE
    assert found.components == {"thing": "1.0", "more": "3.0"}
    assert found.message == "thing 1.0 requires shared <2 and more 3.0 shared >=2: no version is both"
    assert [source.title for source in found.sources] == ["metadata of thing 1.0", "metadata of more 3.0"]


def test_what_two_ask_of_a_third_may_overlap_in_one_version() -> None:
    one, another = declared("thing", "1.0", "shared<=2"), declared("more", "3.0", "shared>=2")
    assert not findings(one, another)
    older = declared("more", "3.0", 'shared>=3; python_version < "3.8"')
    assert not findings(one, older, python="3.8")
    assert findings(one, older, python="3.7")
