"""The documents tell the truth: commands, exit codes, examples and links are the real ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from elicit_tui.cli import exit_codes
from elicit_tui.config import load
from elicit_tui.gateway.install.places import installable
from elicit_tui.scenarios import read_scenarios

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
GUIDES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
}
VIRTUAL_ENVIRONMENT = "python3 -m venv .venv && "


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of one language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def table(text: str, heading: str) -> list[tuple[str, str]]:
    """The rows of the table with this first column, as Markdown without its escapes."""
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        first, second = re.split(r"(?<!\\)\|", line.strip("|"))
        rows.append((first.strip().replace("\\|", "|"), second.strip()))
    return rows


def printed(*arguments: str) -> str:
    """What `elicit-tui` prints on standard output, where nothing is cut to a narrow terminal."""
    ran = subprocess.run(
        [sys.executable, "-m", "elicit_tui", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "200", "PYTHONUTF8": "1"},
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def help_text() -> str:
    return printed("--help")


def commands_of_readme() -> dict[str, str]:
    """Each usage after `elicit-tui`, with its summary; a row of several commands is taken apart."""
    told = {}
    for cell, summary in table(README, "command"):
        usage = cell.strip("`").removeprefix("elicit-tui").strip().replace("…", "...")
        names, _, rest = usage.partition(" ")
        for name in names.split("|"):
            told[f"{name} {rest}".strip() or "[run]"] = summary
    return told


def test_the_command_table_names_exactly_the_commands_of_the_help(help_text: str) -> None:
    section = help_text.split("\ncommands:\n")[1].split("\n\n")[0].splitlines()
    assert list(commands_of_readme()) == [line.strip() for line in section[::2]]


def test_a_command_that_has_its_own_row_is_told_as_in_the_help(help_text: str) -> None:
    section = help_text.split("\ncommands:\n")[1].split("\n\n")[0].splitlines()
    summaries = dict(zip(map(str.strip, section[::2]), map(str.strip, section[1::2]), strict=True))
    told = commands_of_readme()
    alone = [usage for usage in told if list(told.values()).count(told[usage]) == 1]
    different = {usage for usage in alone if told[usage] != summaries[usage]}
    assert different == {"[run]"}  # each names the other spelling of the same command


@pytest.mark.parametrize("command", ["config", "history", "inbox"])
def test_the_commands_of_a_command_are_the_ones_in_the_table(command: str) -> None:
    words = next(usage for usage in commands_of_readme() if usage.startswith(f"{command} "))
    offered = re.findall(r"^    (\w+)  ", printed(command, "--help"), re.MULTILINE)
    named = words.removeprefix(f"{command} ").strip("[]").split("|")
    assert offered == [word.partition(" ")[0] for word in named]


def test_the_exit_codes_are_the_ones_of_the_help_and_of_the_code(help_text: str) -> None:
    section = help_text.split("\nexit codes:\n")[1].splitlines()
    in_help = dict(re.split(r"\s+", line.strip(), maxsplit=1) for line in section if line.strip())
    in_readme = dict(table(GUIDES["ci"], "exit code"))
    assert in_readme.keys() == in_help.keys()
    for code, meaning in in_help.items():
        assert in_readme[code].replace("`", "").startswith(meaning.replace("`", "")), code
    constants = {value for name, value in vars(exit_codes).items() if name.isupper()}
    assert {int(code) for code in in_help} == constants - {exit_codes._CODES}


def test_one_command_starts_the_demo_and_one_runs_the_tests() -> None:
    demo, tests = (block.strip() for block in blocks(README, "sh")[:2])
    assert demo.startswith(VIRTUAL_ENVIRONMENT)
    assert demo.endswith("/elicit-tui demo")
    assert tests.startswith(VIRTUAL_ENVIRONMENT)
    assert tests.endswith("/python -m tests")
    assert "\n" not in demo + tests


def test_ci_and_contributing_run_the_test_command_of_the_readme() -> None:
    command = blocks(README, "sh")[1].strip()
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert command in CONTRIBUTING.splitlines()


@pytest.mark.parametrize(("guide", "kind"), [("ci", "answers"), ("administrators", "managed")])
def test_the_configuration_in_a_guide_is_valid(guide: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"{kind}.toml"
    path.write_text(blocks(GUIDES[guide], "toml")[0], encoding="utf-8")
    printed("config", "check", str(path), "--as", kind)


def test_the_hooks_of_the_guide_are_valid(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(blocks(GUIDES["hooks"], "toml")[0], encoding="utf-8")
    environment = {"HOME": "/home/me", "NTFY_TOPIC": "topic"}
    settings = load(config_path=path, environment=environment, managed_path=tmp_path / "none")
    assert [hook.cannot_run for hook in settings.hooks] == [None] * 5


def test_the_guide_names_every_agent_that_install_knows() -> None:
    named = GUIDES["agents"].split("puts everything back:")[1].split(".\n")[0]
    assert set(re.findall(r"[\w-]+", named)) == set(installable())
    assert [key for key, agent in installable().items() if not agent.restart] == []


def test_the_scenario_in_the_guide_is_one(tmp_path: Path) -> None:
    path = tmp_path / "book.toml"
    path.write_text(blocks(GUIDES["testing-your-server"], "toml")[0], encoding="utf-8")
    (scenario,) = read_scenarios([path])
    assert scenario.accepts
    assert scenario.watch


def test_whoever_runs_a_scenario_file_reads_that_it_is_code() -> None:
    assert "A scenario file is code" in GUIDES["testing-your-server"]
    assert "code: their `watch` runs commands" in printed("test", "--help")


def test_the_readme_is_short_and_leads_to_every_guide() -> None:
    assert len(README.split()) <= 1500
    linked = set(re.findall(r"\]\(docs/([\w-]+)\.md\)", README))
    assert linked == GUIDES.keys()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_file_that_is_named_or_linked_exists(name: str) -> None:
    document = DOCUMENTS[name]
    text = document.read_text(encoding="utf-8")
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    named = re.findall(r"`((?:\.ci|elicit_tui|tests|screenshots)/[\w./-]*)`", text)
    run = re.findall(r"(?:python|pytest) ((?:tests|screenshots)/[\w./]+)", text)
    places = {document.parent / link for link in linked} | {ROOT / path for path in named + run}
    assert [place for place in places if not place.exists()] == []


def test_every_module_that_contributing_runs_exists() -> None:
    modules = re.findall(r"python -m (tests[\w.]*)", CONTRIBUTING)
    paths = [ROOT.joinpath(*module.split(".")) for module in modules]
    assert all(
        path.with_suffix(".py").exists() or (path / "__main__.py").exists() for path in paths
    ), modules


def test_the_house_in_contributing_names_every_room() -> None:
    house = CONTRIBUTING.split("## The house")[1].split("\n## ")[0]
    rooms = {path.stem for path in (ROOT / "elicit_tui").iterdir() if path.name[0] not in "_."}
    assert {room for room in rooms - {"py"} if not re.search(rf"\b{room}\b", house)} == set()


def test_every_module_that_contributing_names_exists() -> None:
    inside = re.findall(r"`(?:elicit_tui/)?((?!tests/|elicit_tui/)\w+(?:/\w+)+\.py)`", CONTRIBUTING)
    assert len(inside) > 10
    assert [name for name in inside if not (ROOT / "elicit_tui" / name).exists()] == []


def test_the_store_of_the_guide_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(blocks(GUIDES["several-machines"], "toml")[0], encoding="utf-8")
    printed("config", "check", str(path))
