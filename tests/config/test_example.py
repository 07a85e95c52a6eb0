"""config.example.toml: it loads, each key in it is explained, and it shows the defaults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import tomli

from elicit_tui.config import load
from elicit_tui.config.example import example_text
from elicit_tui.config.keys import USER_FILE
from elicit_tui.config.locating import locate
from elicit_tui.config.nodes import Either, Named, Node, Table, Tables, Value
from elicit_tui.elicitation.settings import Settings

ROOT = Path(__file__).parents[2]


def uncommented(text: str) -> str:
    """The example with its examples in use, and the granular table in place of the word."""
    text = re.sub(r"^approval_policy = .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^#(?=\S)", "", text, flags=re.MULTILINE)
    granular = text.index("[approval_policy.granular]")
    end = text.index("\n\n", granular)
    block, rest = text[granular:end], text[:granular] + text[end:]
    return rest + "\n" + block + "\n"


def keys_of(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(node, Value):
        yield path
    elif isinstance(node, Either):
        yield path
        yield from keys_of(node.table, path)
    elif isinstance(node, Table):
        for key, below in node.keys.items():
            yield from keys_of(below, (*path, key))
    elif isinstance(node, (Named, Tables)):
        yield from keys_of(node.item, path)


def test_the_example_as_it_stands_is_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(example_text())
    settings = load(config_path=path, environment={}, managed_path=tmp_path / "none")
    defaults = Settings()
    unlike = ("provenance", "config_file", "managed_file")
    for name in [item.name for item in fields(Settings) if item.name not in unlike]:
        assert getattr(settings, name) == getattr(defaults, name), name


def test_every_example_in_it_loads(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(uncommented(example_text()))
    environment = {
        "HOME": "/home/me",
        "REGION": "eu",
        "TEAM": "a",
        "REMOTE_TOKEN": "t",
        "REMOTE_SECRET": "s",
        "NTFY_TOPIC": "n",
    }
    settings = load(config_path=path, environment=environment, managed_path=tmp_path / "none")
    assert all(server.missing == () for server in settings.servers.values())
    assert set(settings.servers) == {"deploy", "remote"}
    assert len(settings.rules) == len(settings.guardian.rules) == 1
    assert [hook.cannot_run for hook in settings.hooks] == [None, None]


def test_every_key_is_in_the_example() -> None:
    found = {
        tuple(
            str(part)
            for part in path
            if not isinstance(part, int) and part not in ("deploy", "remote", "rollback")
        )
        for path in locate(uncommented(example_text()))
    }
    missing = [path for path in keys_of(USER_FILE) if path not in found]
    assert missing == []


def test_every_key_of_the_example_is_explained() -> None:
    lines = example_text().splitlines()
    unexplained = []
    for number, line in enumerate(lines):
        if not re.match(r"#?[\w.]+ = |#?\[", line):
            continue
        beside = re.search(r"\s#\s\S", line) is not None
        above = number > 0 and re.match(r"# \S", lines[number - 1]) is not None
        table_below_explained = line.lstrip("#").startswith("[")
        if not (beside or above or table_below_explained):
            unexplained.append(line)
    assert unexplained == []


def test_the_example_is_found_in_a_checkout_and_shipped_in_the_package() -> None:
    assert example_text() == (ROOT / "config.example.toml").read_text(encoding="utf-8")
    project = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {
        "config.example.toml": "elicit_tui/config/config.example.toml"
    }


@pytest.mark.parametrize("line", example_text().splitlines())
def test_the_example_fits_a_terminal(line: str) -> None:
    assert len(line) <= 110
