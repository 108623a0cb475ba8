"""Every error: its exit status, a text that says what, where, why and what next, and nothing half-written."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from tests.unit.cli.conftest import TINY, Said, Site

Envlock = Callable[..., Said]
Golden = Callable[[str, Said], None]
SOLVE = ["solve", "tiny", "--target", "here"]

WRONG = {
    "misspelt-key": '[groups.tiny]\nrequire = ["alpha==2.0"]\n',
    "misspelt-table": '[group.tiny]\nrequires = ["alpha==2.0"]\n',
    "invalid-requirement": '[groups.tiny]\nrequires = ["alpha=2.0"]\n',
    "invalid-version": '[groups.tiny]\nrequires = ["alpha==two"]\n',
    "invalid-python": '[groups.tiny]\npython = "three"\nrequires = ["alpha==2.0"]\n',
    "missing-interpreter": '[groups.tiny]\npython = "3.9"\nrequires = ["alpha==2.0"]\n',
    "python-too-old": '[groups.tiny]\npython = "2.7"\nrequires = ["alpha==2.0"]\n',
    "system-in-requires": '[groups.tiny]\nrequires = ["openmpi==4.1.4"]\n',
    "distribution-in-system": '[groups.tiny]\nsystem = ["alpha"]\n',
    "extends-itself": '[groups.tiny]\nextends = "more"\n[groups.more]\nextends = "tiny"\n',
    "extends-nobody": '[groups.tiny]\nextends = "tinny"\n',
    "direct-reference": '[groups.tiny]\nrequires = ["alpha @ hg+https://example.org/alpha@v2"]\n',
    "word-of-nothing": '[groups.tiny]\nsystem = ["mpi-threads==many"]\n',
    "not-toml": '[groups.tiny]\nrequires = ["alpha==2.0"\n',
    "wrong-type": '[groups.tiny]\nrequires = "alpha==2.0"\n',
    "python-as-a-number": '[groups.tiny]\npython = 3.10\nrequires = ["alpha==2.0"]\n',
    "python-in-requires": '[groups.tiny]\nrequires = ["python>=3.11"]\n',
    "nameless-address": '[groups.tiny]\nrequires = ["git+https://example.org/alpha.git"]\n',
    "indexes-as-a-table": '[groups.tiny]\nrequires = ["alpha"]\n[indexes]\nname = "ours"\n',
    "name-with-a-dot": '[groups."tiny.1"]\nrequires = ["alpha==2.0"]\n',
    "target-called-local": '[groups.tiny]\nrequires = ["alpha"]\n[targets.local]\nmachine = "aarch64"\n',
    "as-of-no-date": '[groups.tiny]\nas-of = "yesterday"\nrequires = ["alpha==2.0"]\n',
}


def refused_well(said: Said, status: int) -> None:
    """The contract of an error: status, nothing on standard output, message and code on standard error."""
    assert said.status == status, said.golden
    assert said.out == ""
    assert said.err.startswith("refused: " if status == 1 else "error: ")
    assert "\n  code   " in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("name", WRONG)
def test_wrong_manifests(name: str, site: Site, envlock: Envlock, golden: Golden):
    site.manifest(WRONG[name])
    before = site.listing()
    said = envlock(*SOLVE)
    refused_well(said, 2)
    assert "envlock.toml" in said.err or "group 'tiny'" in said.err
    assert "\n  next   " in said.err
    golden(f"error-{name}", said)
    assert site.listing() == before


@pytest.mark.parametrize(
    ("written", "next_step"),
    [
        ('gpu = "A100"', 'write gpu_cc = "8.0"'),
        ('gpu = "MI250X"', 'write gpu_gfx = "gfx90a"'),
        ('gpu = "whatever"', "did you mean 'gpu_cc'?"),
        ('nvidia-driver = "535.104"', 'write driver = "535.104"'),
        ('gpu_cc = "sm_80"', 'write gpu_cc = "8.0"'),
        ('gpu_cc = "90"', 'write gpu_cc = "9.0"'),
        ('driver = "R470"', 'write driver = "470"'),
        ('gpu_cc = "ampere"', "numbers separated by dots"),
        ('gpu_cc = ["7.0", "8.0"]', "[[targets.NAME.offer]]"),
        ("gpu_cc = 8.0", "put it in quotes: gpu_cc"),
    ],
)
def test_wrong_components_of_a_target(site: Site, envlock: Envlock, written: str, next_step: str):
    manifest = site.project / "envlock.toml"
    manifest.write_text(f"{TINY}[targets.far]\ncomponents = {{ {written} }}\n")
    said = envlock("solve", "tiny", "--lock-only", "--target", "far")
    refused_well(said, 2)
    assert next_step in said.err.partition("next   ")[2]


@pytest.mark.parametrize(("machine", "meant"), [("arm64", "aarch64"), ("amd64", "x86_64")])
def test_an_architecture_that_linux_calls_otherwise(site: Site, envlock: Envlock, machine: str, meant: str):
    (site.project / "envlock.toml").write_text(f'{TINY}[targets.far]\nmachine = "{machine}"\n')
    said = envlock("check", "--target", "far", "alpha==2.0")
    refused_well(said, 2)
    assert f'write machine = "{meant}"' in said.err


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("unknown-group", ["solve", "tinny", "--target", "here"]),
        ("unknown-target", ["solve", "tiny", "--target", "there"]),
        ("where-without-lock", ["where", "tiny", "--target", "here"]),
        ("run-without-lock", ["run", "--target", "here", "tiny", "--", "true"]),
        ("no-manifest", ["solve", "tiny", "--project", "elsewhere"]),
        ("no-knowledge", [*SOLVE, "--knowledge", "elsewhere"]),
    ],
)
def test_wrong_requests(name: str, arguments: list[str], site: Site, envlock: Envlock, golden: Golden):
    before = site.listing()
    said = envlock(*arguments)
    refused_well(said, 2)
    golden(f"error-{name}", said)
    assert site.listing() == before


@pytest.mark.parametrize("command", ["where", "activate", "repair", "verify", "export", "why six"])
def test_an_unknown_target_is_not_told_as_a_group_without_a_lock(site: Site, envlock: Envlock, command: str):
    site.manifest(TINY)
    said = envlock(*command.split(), "tiny", "--target", "there")
    assert (said.status, "code   unknown-target" in said.err) == (2, True), said.err


@pytest.mark.parametrize("command", ["where", "activate", "repair", "rollback", "export"])
@pytest.mark.parametrize("target", ["./here", "../locks/here", "here/"])
def test_a_way_to_a_folder_of_locks_is_no_target(
    site: Site, envlock: Envlock, command: str, target: str
) -> None:
    assert envlock(*SOLVE, "--lock-only").status == 0
    said = envlock(command, "tiny", "--target", target)
    assert (said.status, "code   unknown-target" in said.err) == (2, True), said.err


def test_nothing_was_ever_made_for_a_target_that_there_is_not(envlock: Envlock) -> None:
    assert "code   unknown-target" in envlock("rollback", "tiny", "--target", "there").err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["status", "--project", "x" * 300], "name-too-long"),
        (["kb", "lint", "x" * 300], "name-too-long"),
        (["check", f"alpha=={'9' * 5000}"], "number-too-long"),
        (["why-not", f"python==3.{'9' * 5000}", "tiny"], "number-too-long"),
    ],
)
def test_names_and_numbers_of_thousands_of_letters(envlock: Envlock, arguments: list[str], code: str) -> None:
    said = envlock(*arguments)
    refused_well(said, 2)
    assert f"code   {code}" in said.err


def test_a_manifest_with_a_number_of_thousands_of_digits(site: Site, envlock: Envlock) -> None:
    (site.project / "envlock.toml").write_text(f"{TINY}one-process = {'9' * 5000}\n")
    said = envlock("status")
    refused_well(said, 2)
    assert "envlock.toml" in said.err.partition("where  ")[2].splitlines()[0]


def test_a_file_with_a_name_like_it_is_told(site: Site, envlock: Envlock) -> None:
    (site.project / "requirements.txt").write_text("alpha==1.0\n")
    said = envlock("check", "--from", "requirement.txt")
    assert (said.status, "did you mean requirements.txt?" in said.err) == (2, True), said.err


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("requirements.txt", "-r requirements.txt\n", "take the -r out that leads back to it"),
        ("environment.yml", "dependencies:\n- a\n  b: [\n", "next   fix it there"),
        (
            "pyproject.toml",
            '[project]\nname = "x"\ndependencies = ["alpha==2.0"]\nrequires-python = "three"\n',
            "project.requires-python\n  next   write requires-python",
        ),
    ],
)
def test_files_that_others_wrote_wrongly(
    site: Site, envlock: Envlock, name: str, text: str, told: str
) -> None:
    (site.project / name).write_text(text)
    for command in (["check", "--from", name], ["init", "--project", "new", "--from", name]):
        said = envlock(*command)
        refused_well(said, 2)
        assert told in said.err
    assert not (site.project / "new").exists()


@pytest.mark.parametrize(
    "manifest",
    [
        f'{TINY}[[indexes]]\nname = "ours"\nurl = "http://[::1/simple"\n',
        '[groups.tiny]\nrequires = ["alpha @ https://example.org:99999/alpha-2.0-py3-none-any.whl"]\n',
        '[groups.tiny]\nrequires = ["alpha @ git+https://[::1/alpha.git@v2"]\n',
        f'{TINY}[sources]\nalpha = {{ url = "https://[::1/alpha-2.0-py3-none-any.whl" }}\n',
    ],
)
def test_what_is_no_address_is_told_of_the_manifest(site: Site, envlock: Envlock, manifest: str) -> None:
    site.manifest(manifest)
    said = envlock(*SOLVE, "--lock-only")
    refused_well(said, 2)
    assert "is not an address" in said.err


def test_what_is_no_address_is_told_of_pips_configuration(
    envlock: Envlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "http://[::1")
    said = envlock(*SOLVE, "--lock-only")
    refused_well(said, 2)
    assert "pip's option 'extra-index-url' is not an index's address: 'http://[::1'" in said.err


@pytest.mark.parametrize(
    "link",
    [
        "http://[::1/alpha-3.0.tar.gz",
        "https://[::1/alpha-3.0-py3-none-any.whl",
        f"alpha-3.0-{'9' * 5000}-py3-none-any.whl",
    ],
)
def test_a_link_that_leads_nowhere_is_passed_by(site: Site, envlock: Envlock, link: str) -> None:
    page = site.index / "alpha/index.html"
    page.write_text(page.read_text().replace("<body>", f'<body><a href="{link}">alpha</a>'))
    assert envlock(*SOLVE, "--lock-only").status == 0


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ('{ "A B; true" = "1" }', "'A B; true' is not a name for a variable"),
        ('{ A = "1\\u0000" }', "the value contains control characters"),
    ],
)
@pytest.mark.parametrize("where", ["[site.launch]", "[[targets.far.offer]]"])
def test_variables_that_no_shell_takes(
    site: Site, envlock: Envlock, where: str, variables: str, told: str
) -> None:
    offer = 'component = "openmpi"\nversion = "4.1.6"\n' if "offer" in where else ""
    site.manifest(f"{TINY}{where}\n{offer}variables = {variables}\n")
    said = envlock("check", "--target", "far" if offer else "here", "alpha==2.0")
    refused_well(said, 2)
    assert told in said.err


def test_an_overlay_with_a_link_to_itself(site: Site, envlock: Envlock) -> None:
    (site.root / "over").mkdir()
    (site.root / "over/coverage.toml").symlink_to("coverage.toml")
    said = envlock("kb", "show", "--knowledge", str(site.root / "over"))
    refused_well(said, 3)
    assert "over/coverage.toml" in said.err


@pytest.mark.parametrize("arguments", [["verify"], ["nonsense"], ["solve", "tiny", "--nonsense"]])
def test_usage(arguments: list[str], envlock: Envlock):
    said = envlock(*arguments)
    assert said.status == 2
    assert said.out == ""
    assert "Usage: envlock" in said.err
    assert said.err.endswith("\n  code   usage\n")


def test_usage_is_told_to_programs_as_to_people(envlock: Envlock):
    said = envlock("where", "--json")
    assert json.loads(said.out)["error"]["message"] == "Missing argument 'GROUP'."
    assert "Missing argument 'GROUP'." in said.err


def test_a_command_to_run_comes_after_two_dashes(envlock: Envlock):
    said = envlock("run", "tiny", "python", "-c", "1")
    assert (said.status, "envlock run GROUP -- COMMAND" in said.err) == (2, True)
    assert "-- COMMAND" not in envlock("status", "--nothing").err


def test_the_end_of_a_file_is_no_interruption(envlock: Envlock, monkeypatch: pytest.MonkeyPatch):
    """As of bytecode of Python's own, which a full disk cut off."""

    def cut_off(*_given: object, **_named: object) -> None:
        raise EOFError("marshal data too short")

    monkeypatch.setattr("envlock.app.project.load_decoded", cut_off)
    said = envlock("status")
    assert (said.status, "marshal data too short" in said.err, "a bug" in said.err) == (3, True, True), (
        said.err
    )
    document = json.loads(envlock("status", "--json").out)
    assert (document["error"]["code"], document["error"]["exit_status"]) == ("bug", 3)
    assert document["error"]["why"] == "EOFError: marshal data too short"


def test_options_common_to_all_before_the_command(site: Site, envlock: Envlock):
    told = envlock("--json", f"--project={site.project}", "status")
    assert json.loads(told.out)["schema"] == "envlock/status/1"
    assert told == envlock("status", "--json", "--project", str(site.project))
    assert json.loads(envlock("--offline", "--json", "kb", "show").out)["schema"] == "envlock/kb/1"
    assert "Missing command: envlock COMMAND --target here" in envlock("--target", "here").err
    assert "No such option: --target" in envlock("--target", "here", "cache").err


def test_a_misspelt_command_is_told_the_nearest(envlock: Envlock):
    assert "Did you mean 'solve'?" in envlock("sovle", "tiny").err


@pytest.mark.parametrize(("word", "told"), [("install", "requires in envlock.toml"), ("lock", "--lock-only")])
def test_a_command_of_another_tool_is_told_what_it_is_here(envlock: Envlock, word: str, told: str):
    said = envlock(word, "numpy")
    assert (said.status, told in " ".join(said.err.split())) == (2, True), said.golden


def test_a_manifest_in_place_of_its_folder(site: Site, envlock: Envlock):
    said = envlock("status", "--project", str(site.project / "envlock.toml"))
    refused_well(said, 2)
    assert "next   --project <root>/project\n" in said.err


def test_an_upgrade_names_no_version(envlock: Envlock):
    said = envlock(*SOLVE, "--lock-only", "-P", "alpha==1.0")
    refused_well(said, 2)
    assert "code   invalid-name" in said.err


@pytest.mark.parametrize(
    "options",
    [
        ["--compare", "--ranks-only"],
        ["--compare", "--fail-if-slower"],
        ["--compare", "--submit", "sbatch"],
        ["--timeline"],
        ["--ranks-only", "--html", "page.html"],
        ["--ranks-only", "--fail-if-slower"],
        ["--ranks-only", "--accept-slower"],
        ["--compare", "--accept-slower"],
        ["--fail-if-slower", "--accept-slower"],
    ],
)
def test_options_that_would_go_unheeded(envlock: Envlock, options: list[str]):
    said = envlock("verify", "tiny", "--target", "here", *options)
    refused_well(said, 2)
    assert "code   options-contradict" in said.err


@pytest.mark.parametrize("command", ["where", "run"])
def test_no_environment_yet(command: str, envlock: Envlock):
    assert envlock(*SOLVE, "--lock-only").status == 0
    said = envlock(command, "--target", "here", "tiny", *(["true"] if command == "run" else []))
    refused_well(said, 2)
    assert "next   envlock solve tiny" in said.err


def test_errors_for_programs(envlock: Envlock):
    said = envlock("where", "tinny", "--json")
    document = json.loads(said.out)
    assert said.status == 2
    assert document["schema"] == "envlock/where/1"
    assert document["error"]["code"] == "unknown-group"
    assert document["error"]["exit_status"] == 2
    assert said.err.startswith("error: ")


def test_options_of_the_command_that_is_run_are_not_ours(envlock: Envlock):
    refused_well(envlock("run", "tinny", "--", "tool", "--json"), 2)


def test_a_lock_cut_in_the_middle(site: Site, envlock: Envlock, golden: Golden):
    assert envlock(*SOLVE, "--lock-only").status == 0
    whole = site.lock.read_bytes()
    site.lock.write_bytes(whole[: len(whole) // 2])
    before = site.listing()
    said = envlock("where", "tiny", "--target", "here")
    refused_well(said, 2)
    assert "next   restore it from version control" in said.err
    assert "envlock solve tiny --target here --lock-only" in said.err
    said = envlock(*SOLVE, "--lock-only")
    refused_well(said, 2)
    assert "pylock.tiny.toml" in said.err
    assert site.listing() == before


@pytest.mark.parametrize(
    "edit", [('sha256 = "', 'sha256 = "x'), ("size = ", "size = -"), ("size = ", 'size = "1"  # ')]
)
def test_a_lock_that_says_what_no_lock_says(site: Site, envlock: Envlock, edit: tuple[str, str]) -> None:
    assert envlock(*SOLVE, "--lock-only").status == 0
    site.lock.write_text(site.lock.read_text().replace(*edit))
    said = envlock("export", "tiny", "--target", "here")
    refused_well(said, 2)
    assert "next   restore it from version control" in said.err


def test_offline_with_an_empty_cache(site: Site, envlock: Envlock, monkeypatch, golden: Golden):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    before = site.listing()
    said = envlock(*SOLVE, "--offline")
    refused_well(said, 3)
    golden("error-offline", said)
    assert site.listing() == before


def test_nobody_answers(site: Site, envlock: Envlock, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    before = site.listing()
    said = envlock(*SOLVE)
    refused_well(said, 3)
    assert "127.0.0.1:9" in said.err
    assert site.listing() == before


def test_a_wheel_that_is_not_what_a_frozen_lock_says(site: Site, envlock: Envlock):
    assert envlock("solve", "tiny", "--target", "real", "--lock-only").status == 0
    site.manifest(f'{TINY}[groups.tiny.frozen]\nuntil = 2999-12-31\nreason = "it must not move"\n')
    site.offer("alpha", "2.0", requires=["beta>=1"], source="stolen = True\n")
    before = site.listing()
    said = envlock("solve", "tiny", "--target", "real")
    refused_well(said, 3)
    assert "hash-mismatch" in said.err
    assert {name: site.listing()[name] for name in before} == before
    assert not list(site.project.glob(".envlock/environments/*"))


def test_a_broken_configuration_of_pip(site: Site, envlock: Envlock, monkeypatch):
    broken = site.root / "pip.conf"
    broken.write_text("index-url = x\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(broken))
    said = envlock(*SOLVE)
    refused_well(said, 2)
    assert "<root>/pip.conf" in said.err


def test_a_target_has_versions_where_a_component_has_them(site: Site, envlock: Envlock):
    site.manifest('[groups.tiny]\nrequires = []\n[targets.odd]\ncomponents = { gpu_cc = "hopper" }\n')
    said = envlock("solve", "tiny", "--target", "odd", "--lock-only")
    refused_well(said, 2)
    assert "'hopper' is not a version of gpu_cc" in said.err


def test_a_project_that_may_not_be_entered_is_no_bug(
    envlock: Envlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(path: Path, **_: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", closed)
    said = envlock("status", "--project", "/srv/another")
    refused_well(said, 3)
    assert "/srv/another/envlock.toml" in said.err
    assert "system-refuses" in said.err


def test_environments_live_where_a_path_can_name_them(site: Site, envlock: Envlock, golden: Golden):
    """In ``/srv/grid:2/.envlock`` another ``python`` would run than the environment's."""
    place = site.root / "grid:2"
    site.project.rename(place)
    before = sorted(place.rglob("*"))
    said = envlock(*SOLVE, "--project", str(place))
    refused_well(said, 2)
    golden("error-store-off-path", said)
    assert sorted(place.rglob("*")) == before
    assert envlock(*SOLVE, "--project", str(place), "--lock-only").status == 0
    said = envlock("solve", "--all-groups", "--target", "here", "--project", str(place), "--json")
    assert said.status == 2


def test_a_revision_in_the_place_of_a_target_is_told(site: Site, envlock: Envlock):
    said = envlock("diff", "tiny@HEAD", "tiny", "--target", "here")
    assert said.status == 2
    assert "there is no target 'HEAD'" in said.err
    assert "a git revision comes first: HEAD:tiny" in said.err


@pytest.mark.parametrize("more", [["--lock-only"], []])
def test_a_target_that_is_none_is_told_of_a_frozen_group_too(site: Site, envlock: Envlock, more: list[str]):
    site.manifest('[groups.tiny]\nrequires = []\n[groups.tiny.frozen]\nuntil = 2999-01-01\nreason = "x"\n')
    said = envlock("solve", "tiny", "--target", "gone", *more)
    assert (said.status, "there is no target 'gone'" in said.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["torch=1.4.0"], "write torch==1.4.0"),
        (["torch@1.4.0"], "write torch==1.4.0"),
        (["torch:v1.4.0"], "write torch==1.4.0"),
        (["-"], "envlock check --from -"),
        (["torch"], "write NAME==VERSION"),
        (["--from", "EMPTY"], "where  a requirements file"),
        (["--from", "EMPTY"], "next   name a file that pins versions, or write NAME==VERSION"),
    ],
)
def test_what_a_check_may_have_meant(site: Site, envlock: Envlock, arguments: list[str], told: str):
    (site.root / "EMPTY").write_text("# nothing\n")
    said = envlock("check", *(str(site.root / one) if one == "EMPTY" else one for one in arguments))
    assert (said.status, told in said.err) == (2, True), said.golden


def test_a_misspelt_name_in_why_is_told_the_nearest(site: Site, envlock: Envlock):
    assert envlock("solve", "tiny", "--target", "here", "--lock-only").status == 0
    assert "did you mean alpha?" in envlock("why", "alhpa", "tiny", "--target", "here").err


def test_a_failing_command_is_told_by_its_own_name(envlock):
    """A folder may be called as a command is."""
    told = envlock("--project", "verify", "--json", "solve", "stack")
    assert json.loads(told.out)["schema"] == "envlock/solve/1"
    assert "envlock run GROUP" not in envlock("kb", "search", "run", "--bad").err
    assert "envlock run GROUP" in envlock("run", "stack", "--bad").err


@pytest.mark.parametrize(
    ("wish", "meant"),
    [
        ("gpu_cc==sm_90", "gpu_cc==9.0"),
        ("gpu_cc >= 90, <12.1", "gpu_cc >= 9.0, <12.1"),
        ("driver>=R470", "driver>=470"),
        ("cuda==cu118", "cuda==11.8"),
    ],
)
def test_a_wish_in_other_words_than_versions_leads_to_these(
    site: Site, envlock: Envlock, wish: str, meant: str
):
    site.manifest(f'[groups.tiny]\nrequires = []\nsystem = ["{wish}"]\n')
    said = envlock(*SOLVE)
    refused_well(said, 2)
    assert f'next   write system = ["{meant}"]\n' in said.err
