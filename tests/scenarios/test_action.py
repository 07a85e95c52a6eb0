"""The GitHub Action does what it says, step by step, as a runner follows its file."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from elicit_tui.cli.github import LARGEST_SUMMARY, add_to_summary
from tests.cli.running import DEMO, run
from tests.forks import ready_elicit_tui
from tests.guardian.test_check import sarif_schema
from tests.scenarios.runs import CACHE, scenarios
from tests.scenarios.test_lint import form
from tests.scenarios.workflow_runner import Job

ACTION = Path(__file__).parents[2] / "action.yml"
PYTHON = """#!/bin/sh
# Stands for a Python whose pip needs no network: `-m venv PLACE`.
mkdir -p "$3/bin"
printf '#!/bin/sh\\necho "pip $@"\\n' > "$3/bin/pip"
printf '#!/bin/sh\\nexec {words} "$@"\\n' > "$3/bin/elicit-tui"
chmod +x "$3/bin/pip" "$3/bin/elicit-tui"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a scenario in a directory below, and its snapshots."""
    place = tmp_path / "checkout" / "server"
    (place / "scenarios").mkdir(parents=True)
    file = scenarios(place / "scenarios", CACHE, "cache.toml")
    assert run("--with", DEMO, "test", str(file), "--update").code == 0
    return place.parent


def job(checkout: Path, **given: str) -> Job:
    """The action, used in this checkout for the bundled server."""
    temporary = checkout.parent / "temporary"
    temporary.mkdir()
    python = temporary / "python"
    python.write_text(PYTHON.format(words=shlex.join(ready_elicit_tui())))
    python.chmod(0o755)
    usual = {"python": str(python), "servers": f"{DEMO}\n", "working-directory": "server"}
    return Job(ACTION, checkout, temporary, {**usual, **given}).run()


def test_what_passes_is_covered_in_the_summary_and_its_reports_are_kept(checkout: Path) -> None:
    done = job(checkout)
    assert set(done.outcomes.values()) == {"success"}, done.log
    assert f"pip install --quiet --disable-pip-version-check {ACTION.parent}\n" in done.log
    assert "::error" not in done.log
    summary = done.summary.read_text()
    assert "### Scenarios: " in summary
    assert ", 0 failed" in summary
    assert re.search(r"clear&#95;cache of demo \| accept&nbsp;✓ decline&nbsp;✓", summary)
    assert "### Lint: 0 findings" in summary
    kept = done.used["actions/upload-artifact"]
    reports = checkout / kept["path"]
    assert sorted(file.name for file in reports.iterdir()) == ["junit.xml", "lint.sarif"]
    assert Path(done.output("junit")) == reports / "junit.xml"
    sarif_schema().validate(json.loads(Path(done.output("sarif")).read_text()))


def test_what_fails_is_annotated_at_its_line_and_all_reports_are_kept_all_the_same(
    checkout: Path,
) -> None:
    file = checkout / "server" / "scenarios" / "cache.toml"
    file.write_text(f"# One that passes, and two that do not.\n{CACHE}{failing('::x, 100%')}")
    snapshots = file.with_name("cache.snapshots.json")
    kept = json.loads(snapshots.read_text())
    kept["::x, 100%"] = {"2025-11-25": [form("password", type="string")]}
    snapshots.write_text(json.dumps(kept, indent=2))
    done = job(checkout, options="")
    assert done.outcomes["test"] == done.outcomes["lint"] == "failure"
    line = file.read_text().splitlines().index('name = "::x, 100%"')
    place = f"file=server/scenarios/cache.toml,line={line},title=%3A%3Ax%2C 100%25%3A accept"
    (told,) = [each for each in done.log.splitlines() if each.startswith(f"::error {place}::")]
    assert "structured /cleared is true, not false" in told
    lint = [each for each in done.log.splitlines() if "cache.snapshots.json" in each]
    assert any(each.startswith("::error ") and "credentials.secret" in each for each in lint)
    commands = [each for each in done.log.splitlines() if each.lstrip().startswith("::")]
    assert all(each.startswith(("::error file=", "::warning file=")) for each in commands)
    summary = done.summary.read_text()
    assert "1 passed, 1 failed" in summary
    assert "&#58;&#58;x, 100%: accept" in summary
    reports = checkout / done.used["actions/upload-artifact"]["path"]
    assert "structured /cleared" in (reports / "junit.xml").read_text()
    assert json.loads((reports / "lint.sarif").read_text())["runs"][0]["results"]


def failing(name: str) -> str:
    return CACHE.replace("clears the cache", name).replace("= true }", "= false }")


def test_globs_that_find_nothing_fail_with_a_sentence(checkout: Path) -> None:
    done = job(checkout, scenarios="nowhere/*.toml", lint="false")
    assert done.outcomes["test"] == "failure"
    assert done.outcomes["lint"] == "skipped"
    assert "::error title=elicit-tui::No scenario file is there" in done.log


def test_a_glob_is_a_line_with_blanks_in_it_and_options_may_be_on_several(checkout: Path) -> None:
    place = checkout / "server"
    (place / "scenarios").rename(place / "my scenarios $(touch ran)")
    globs = "my scenarios $(touch ran)/*.toml\n\n"
    done = job(
        checkout, scenarios=globs, options="--branches\n--answers-gone-wrong\n", lint="false"
    )
    assert done.outcomes["test"] == "success", done.log
    told = Path(done.output("junit")).read_text()
    assert ': decline"' in told
    assert ': an extra property"' in told
    assert not list(checkout.rglob("ran"))


def test_a_summary_is_cut_to_what_github_shows_in_whole_lines(tmp_path: Path) -> None:
    place = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    add_to_summary(["一" * 100] * 5_000, place)
    written = (tmp_path / "summary.md").read_bytes()
    assert LARGEST_SUMMARY - 400 < len(written) <= LARGEST_SUMMARY + 2
    assert {*written.decode().split("\n")} == {"一" * 100, ""}
