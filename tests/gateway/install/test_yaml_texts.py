"""One server goes into YAML text and out of it, and every other character stays."""

from __future__ import annotations

import pytest

from elicit_tui.gateway.install import yaml_text

PATH = ("extensions",)
ENTRY = {"cmd": "y"}
NEW = "  new:\n    cmd: y\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"extensions:\n{NEW}"),
        ("# mine\n", f"# mine\nextensions:\n{NEW}"),
        ("other: 1", f"other: 1\nextensions:\n{NEW}"),
        ("extensions:\n", f"extensions:\n{NEW}"),
        ("extensions: null\nother: 1\n", f"other: 1\nextensions:\n{NEW}"),
        ("extensions: {}\nother: 1\n", f"extensions:\n{NEW}other: 1\n"),
        ("extensions: {}", f"extensions:\n{NEW}"),
        (
            "# top\nextensions:\n  a:\n    cmd: x  # mine\n\n# end\nother: 1\n",
            f"# top\nextensions:\n  a:\n    cmd: x  # mine\n{NEW}\n# end\nother: 1\n",
        ),
        ("extensions:\n  a: {cmd: x}", f"extensions:\n  a: {{cmd: x}}\n{NEW}"),
        (
            "extensions:\n    a:\n        cmd: x\n",
            "extensions:\n    a:\n        cmd: x\n    new:\n      cmd: y\n",
        ),
        (
            "extensions: {a: {cmd: x}} # b\n",
            'extensions: {a: {cmd: x}, "new": {"cmd": "y"}} # b\n',
        ),
        ("extensions: {a: {cmd: x},}\n", 'extensions: {a: {cmd: x}, "new": {"cmd": "y"}}\n'),
        (
            "extensions:\n  new:\n    cmd: old\n  a:\n    cmd: x\n",
            f"extensions:\n  a:\n    cmd: x\n{NEW}",
        ),
        (
            "extensions:\n  a:\n    said: |\n      one\n\n      two\nother: 1\n",
            f"extensions:\n  a:\n    said: |\n      one\n\n      two\n{NEW}other: 1\n",
        ),
    ],
)
def test_a_server_is_put_in_as_the_last_one(before: str, after: str) -> None:
    assert yaml_text.put(before, PATH, "new", ENTRY, listed=False) == after
    windows = before.replace("\n", "\r\n")
    if "\n" in before:
        found = yaml_text.put(windows, PATH, "new", ENTRY, listed=False)
        assert found == after.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "extensions:\n  - name: new\n    cmd: y\n"),
        ("extensions: []\n", "extensions:\n  - name: new\n    cmd: y\n"),
        (
            "extensions:\n  - name: a\n    cmd: x\nother: 1\n",
            "extensions:\n  - name: a\n    cmd: x\n  - name: new\n    cmd: y\nother: 1\n",
        ),
        (
            "extensions:\n- name: a\n  cmd: x\n",
            "extensions:\n- name: a\n  cmd: x\n- name: new\n  cmd: y\n",
        ),
        (
            "extensions:\n  - name: new\n    cmd: old\n  - cmd: x\n    name: a\n",
            "extensions:\n  - cmd: x\n    name: a\n  - name: new\n    cmd: y\n",
        ),
        (
            "extensions: [{name: a}]\n",
            'extensions: [{name: a}, {"name": "new", "cmd": "y"}]\n',
        ),
    ],
)
def test_a_server_is_put_into_a_list_with_its_name(before: str, after: str) -> None:
    assert yaml_text.put(before, PATH, "new", ENTRY, listed=True) == after


@pytest.mark.parametrize(
    ("before", "listed", "after", "removed"),
    [
        (
            "extensions:\n  a:\n    cmd: x  # mine\n  # of b\n  b: {cmd: y}\n\n# end\n",
            False,
            "extensions:\n  # of b\n  b: {cmd: y}\n\n# end\n",
            "cmd: x\n",
        ),
        ("extensions:\n  a:\n    cmd: x\nother: 1\n", False, "extensions:\n  {}\nother: 1\n",
         "cmd: x\n"),
        (
            "extensions:\n  - name: b\n  - name: a\n    cmd: x\n",
            True,
            "extensions:\n  - name: b\n",
            "name: a\ncmd: x\n",
        ),
        ("extensions:\n  - name: a\n", True, "extensions:\n  []\n", "name: a\n"),
        ("extensions:\r\n  a: 1\r\n  b: 2\r\n", False, "extensions:\r\n  b: 2\r\n", "1\n...\n"),
    ],
)  # fmt: skip
def test_a_server_is_taken_out_with_its_text(
    before: str, listed: bool, after: str, removed: str
) -> None:
    assert yaml_text.taken(before, PATH, "a", listed) == (after, removed)
    assert yaml_text.loads(after) is not None


@pytest.mark.parametrize(
    "text", ["", "other: 1\n", "extensions:\n", "extensions: {a: {cmd: x}}\n", "extensions: 5\n"]
)
def test_what_is_not_there_or_stands_between_braces_cannot_be_taken_out(text: str) -> None:
    with pytest.raises(KeyError):
        yaml_text.taken(text, PATH, "a", listed=False)


def test_a_whole_key_is_taken_out_and_the_last_one_leaves_nothing() -> None:
    text = "first: 1\nextensions:\n  a: 1\n# end\nother: 2\n"
    assert yaml_text.without(text, PATH) == "first: 1\n# end\nother: 2\n"
    assert yaml_text.without("# mine\nextensions:\n  a: 1\n", PATH) == ""
    within = "mcp:\n  a: 1\n  servers:\n    b: 2\n"
    assert yaml_text.without(within, ("mcp", "servers")) == "mcp:\n  a: 1\n"
    for path in (("none",), ("first", "none"), ("extensions", "b")):
        with pytest.raises(KeyError):
            yaml_text.without(text, path)


def test_each_line_of_a_text_that_ends_them_in_two_ways_stays_as_it_is() -> None:
    before = "# one\r\nextensions:\n  a:\n    cmd: x\nother: 1\r\nlast: 2\n"
    after = yaml_text.put(before, PATH, "new", ENTRY, listed=False)
    new = NEW.replace("\n", "\r\n")
    assert after == before.replace("cmd: x\n", f"cmd: x\n{new}")
    assert yaml_text.taken(after, PATH, "new", listed=False)[0] == before
