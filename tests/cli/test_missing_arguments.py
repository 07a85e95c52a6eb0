"""What a call or a prompt lacks is named, with the way to give it, before the server is asked."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.cli.arguments import read_given
from elicit_tui.errors import UsageError
from tests.cli.running import DEMO, run
from tests.form.test_shape import ENTITIES

TEXTS = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("property", "way"),
    [
        ({"type": "string"}, "it=TEXT"),
        ({"type": "integer"}, "it=INTEGER"),
        ({"type": ["number", "null"]}, "it=NUMBER"),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, "it=true|false"),
        ({"enum": ["London", 5, "a", "b", "c"]}, "it=London|5|a|b|…"),
        ({"enum": [True, False, "both"]}, "it=true|false|both"),
        (TEXTS, "it=TEXT"),
        ({"type": "array", "items": {"enum": ["a"]}}, "it:='[\"a\", …]'"),
        ({"type": "object"}, "it:='{…}'"),
        ({"$ref": "#/$defs/rows"}, "it:='[[\"…\", …], …]'"),
        (None, "it=VALUE"),
        (True, "it=VALUE"),
    ],
)
def test_the_way_to_give_what_is_missing_goes_by_its_type(property: Any, way: str) -> None:
    rows = {"type": "array", "items": TEXTS}
    schema = {"properties": {"it": property}, "$defs": {"rows": rows}, "required": ["it"]}
    with pytest.raises(UsageError) as refused:
        read_given([], None).for_schema(schema)
    assert str(refused.value) == (
        f"The tool needs the argument 'it'. Give it as {way}. If it asks for what is missing, "
        "--incomplete calls it as it stands."
    )


def test_several_that_are_missing_can_be_typed_as_they_are_told() -> None:
    with pytest.raises(UsageError, match=r"'a', 'b'\. Give them as a=TEXT b=VALUE\. If"):
        read_given(["c=1"], None).for_schema(
            {"properties": {"a": {"type": "string"}}, "required": [*"abc"], "allOf": []}
        )
    names = [f"n{number}" for number in range(30)]
    with pytest.raises(UsageError, match=r"'n19', …\. Give them as .* n3=VALUE …\. If"):
        read_given([], None).for_schema({"required": names})
    with pytest.raises(UsageError, match=r"entities:='\[\{\"name\": \"…\", "):
        read_given([], None).for_schema(ENTITIES)


def test_a_prompt_is_not_asked_for_without_what_it_requires() -> None:
    ended = run("--with", DEMO, "prompt", "demo", "welcome", "--output", "json")
    assert ended.code == 2
    said = "The prompt needs the argument 'name'. Give it as name=TEXT."
    assert said in ended.stderr
    assert ended.document["error"]["message"] == said
