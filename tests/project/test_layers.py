"""The layers of the house hold, in the static graph and in a running process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

ROOT = Path(__file__).parents[2]

LOADED = """
import contextlib, io, json, sys
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    from elicit_tui.__main__ import main
    sys.argv = ["elicit-tui", *json.loads(sys.argv[1])]
    with contextlib.suppress(SystemExit):
        main()
print(json.dumps(sorted(name for name in sys.modules if "." not in name)))
"""


def modules_loaded_by(*arguments: str) -> set[str]:
    """The top-level modules in memory after a command ran in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return set(json.loads(ran.stdout))


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("config", "path"),
        ("config", "show"),
        ("config", "check"),
        ("check", "/dev/null"),
        ("history", "list"),
        ("inbox", "list"),
    ],
    ids=" ".join,
)
def test_a_command_that_starts_no_server_loads_neither_the_sdk_nor_textual(
    arguments: tuple[str, ...],
) -> None:
    assert modules_loaded_by(*arguments).isdisjoint({"mcp", "mcp_types", "textual"})


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("config", "path")], ids=str)
def test_the_lightest_commands_load_no_library_at_all(arguments: tuple[str, ...]) -> None:
    heavy = {"mcp", "textual", "rich", "jsonschema", "sqlite3", "asyncio", "tldextract", "regex"}
    assert modules_loaded_by(*arguments).isdisjoint(heavy)


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).parent / "lint-imports"
    return subprocess.run(
        [str(command), "--no-cache", "--config", str(root / "pyproject.toml")],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_every_room_stands_in_the_layers_contract() -> None:
    contracts = tomli.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    [layers] = [each for each in contracts["contracts"] if each["type"] == "layers"]
    rooms = {path.stem for path in (ROOT / "elicit_tui").iterdir() if path.name[0] not in "_."}
    named = {room.strip() for layer in layers["layers"] for room in layer.split("|")}
    assert named - {"__main__"} == rooms - {"demo", "py"}
    assert layers["exhaustive"]
