from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.cli.arguments import Prepared, prepare, read_given
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.parser import find_command, parse
from elicit_tui.elicitation.saved_call import SavedCall
from elicit_tui.errors import UsageError

SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "yes": {"type": "boolean"},
        "list": {"type": "array"},
        "either": {"type": ["string", "integer"]},
        "odd": True,
    },
    "additionalProperties": True,
}


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("text=5", "5"),
        ("text=", ""),
        ("text=a=b", "a=b"),
        ("count=5", 5),
        ("count=5.0", 5.0),
        ("count=123456789012345678901234567890", 123456789012345678901234567890),
        (f"count=1{400 * '0'}", 10**400),
        ("ratio=0.5", 0.5),
        ("yes=true", True),
        ('list=["a"]', ["a"]),
        ("either=5", "5"),
        ("odd=5", "5"),
        ("unknown=true", "true"),
        ('text:={"deep": [1, null]}', {"deep": [1, None]}),
        ("unknown:=-1", -1),
    ],
)
def test_a_value_is_a_string_unless_the_schema_gives_the_key_one_other_type(
    pair: str, expected: Any
) -> None:
    key = pair.partition("=")[0].rstrip(":")
    value = read_given([pair], None).for_schema(SCHEMA)[key]
    assert value == expected
    assert type(value) is type(expected)


OPTIONAL = {
    "properties": {
        "count": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "names": {
            "anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Name"}}, {"type": "null"}]
        },
        "yes": {"type": ["boolean", "null"]},
        "text": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "ratio": {"$ref": "#/$defs/Ratio"},
        "many": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "level": {"enum": [1, True, "high", "2", 2]},
        "version": {"const": 3},
        "size": {"oneOf": [{"const": 1, "title": "small"}, {"const": "2"}]},
        "sizes": {"type": "array", "items": {"enum": [1, "2"]}},
        "any": {"type": ["integer", "number", "null"]},
        "other": {"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]},
        "mixed": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    },
    "$defs": {"Name": {"type": "string"}, "Ratio": {"allOf": [{"type": "number"}]}},
}


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("count=5", 5),
        ("count=null", None),
        ("names=a", ["a"]),
        ('names=["a", "b"]', ["a", "b"]),
        ("names=null", None),
        ("yes=true", True),
        ("text=null", "null"),
        ("text=5", "5"),
        ("ratio=0.5", 0.5),
        ("many=5", [5]),
        ("level=1", 1),
        ("level=true", True),
        ("level=high", "high"),
        ("level=2", "2"),
        ("version=3", 3),
        ("size=1", 1),
        ("size=2", "2"),
        ("sizes=1", [1]),
        ("sizes=2", ["2"]),
        ('sizes=[1, "2"]', [1, "2"]),
        ("any=3", 3),
        ("other=0.5", 0.5),
        ("other=null", None),
        ("mixed=3", "3"),
    ],
)
def test_a_value_of_a_type_or_null_or_of_one_that_is_referred_to_has_that_type(
    pair: str, expected: Any
) -> None:
    value = read_given([pair], None).for_schema(OPTIONAL)[pair.partition("=")[0]]
    assert value == expected
    assert type(value) is type(expected)


def test_a_value_that_may_be_null_and_is_of_another_type_is_refused_by_its_type() -> None:
    with pytest.raises(UsageError, match="'count' must be integer, and 'five' is not"):
        read_given(["count=five"], None).for_schema(OPTIONAL)


@pytest.mark.parametrize(
    "pair",
    [
        "count=five",
        "count=1.5",
        "count=true",
        "yes=1",
        "yes=yes",
        "list=a",
        "ratio=NaN",
        "ratio=1e999",
    ],
)
def test_a_value_of_the_wrong_type_is_refused_before_the_call(pair: str) -> None:
    with pytest.raises(UsageError, match="must be"):
        read_given([pair], None).for_schema(SCHEMA)


@pytest.mark.parametrize(
    "pair",
    [
        "text",
        "=5",
        ":=5",
        "text:=",
        "text:={",
        "text:=NaN",
        "text:=[-1e999]",
        'text:={"a": 1, "a": 2}',
    ],
)
def test_a_pair_that_is_none_is_refused(pair: str) -> None:
    with pytest.raises(UsageError):
        read_given([pair], None)


def test_a_key_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="twice"):
        read_given(["a=1", "a:=2"], None)


def test_the_arguments_object_comes_from_text_a_file_or_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = {"text": "é", "count": 2}
    file = tmp_path / "arguments.json"
    # It is UTF-8 where this machine writes something else too, and may begin as on Windows.
    for mark in (b"", b"\xef\xbb\xbf"):
        raw = mark + json.dumps(document, ensure_ascii=False).encode()
        file.write_bytes(raw)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="latin-1"))
        for source in (json.dumps(document), f"@{file}", "-"):
            assert read_given(["count=3"], source).for_schema(SCHEMA) == {"text": "é", "count": 3}


def test_a_standard_input_that_is_closed_or_no_text_is_refused_as_arguments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for closed in (None, io.TextIOWrapper(io.BytesIO(b'{"a": "\xff"}'))):
        monkeypatch.setattr("sys.stdin", closed)
        with pytest.raises(UsageError, match="--arguments"):
            read_given([], "-")


@pytest.mark.parametrize("source", ["[1]", "{", "@/nowhere/at/all", "5", "@"])
def test_an_arguments_object_that_is_none_is_refused(source: str) -> None:
    with pytest.raises(UsageError, match="--arguments"):
        read_given([], source)


def test_a_schema_that_is_none_makes_every_value_a_string() -> None:
    assert read_given(["a=1"], None).for_schema({"properties": []}) == {"a": "1"}


def test_a_prompts_arguments_are_strings() -> None:
    assert read_given(["a=1"], '{"b": "2"}').as_texts() == {"a": "1", "b": "2"}
    with pytest.raises(UsageError, match="strings"):
        read_given(["a:=1"], None).as_texts()


CLOSED = {"type": "object", "properties": {"restaurant": {"type": "string"}, "people": True}}


@pytest.mark.parametrize("pair", ["restaurnt=Luigi", 'restaurnt:="Luigi"'])
def test_an_argument_that_the_tool_does_not_have_is_refused_with_the_nearest_name(
    pair: str,
) -> None:
    with pytest.raises(UsageError, match="Did you mean 'restaurant'"):
        read_given([pair], None).for_schema(CLOSED)
    with pytest.raises(UsageError, match="Did you mean 'restaurant'"):
        read_given([], '{"restaurnt": 1}').for_schema(CLOSED)


@pytest.mark.parametrize(
    "more",
    [
        {"additionalProperties": True},
        {"additionalProperties": {"type": "string"}},
        {"patternProperties": {"^x": {}}},
        {"$ref": "#/$defs/other"},
        {"allOf": [{}]},
        {"anyOf": [{}]},
        {"oneOf": [{}]},
    ],
)
def test_where_the_schema_leaves_names_open_they_are_passed_on(more: dict[str, Any]) -> None:
    assert read_given(["xx=1"], None).for_schema({**CLOSED, **more}) == {"xx": "1"}


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"properties": []}])
def test_a_schema_that_says_nothing_of_names_lets_all_through(schema: dict[str, Any]) -> None:
    assert read_given(["xx=1"], None).for_schema(schema) == {"xx": "1"}


def test_missing_arguments_are_named() -> None:
    with pytest.raises(UsageError, match="needs the argument 'restaurant'"):
        read_given(["people=2"], None).for_schema({**CLOSED, "required": ["restaurant"]})
    with pytest.raises(UsageError, match="needs the arguments 'restaurant', 'people'"):
        read_given([], None).for_schema({**CLOSED, "required": ["restaurant", "people", 5]})


# A saved call, and the template of a resource


def test_a_saved_call_is_made_with_what_the_command_line_adds(tmp_path: Path) -> None:
    path = tmp_path / "deploy.call.json"
    SavedCall("demo", "deploy", {"branch": "main", "note": "as ever"}).write(path)
    prepared = _prepared(["call", f"@{path}", "branch=fix/login"])
    assert (prepared.options.server, prepared.options.name) == ("demo", "deploy")
    assert prepared.given.filled_in({}) == {"branch": "fix/login", "note": "as ever"}


def test_a_saved_call_is_found_by_its_name_without_the_ending(tmp_path: Path) -> None:
    SavedCall("demo", "deploy", {"branch": "main"}).write(tmp_path / "ship.call.json")
    assert _prepared(["call", f"@{tmp_path}/ship"]).options.name == "deploy"
    # A file of exactly that name is the one that is meant.
    SavedCall("demo", "roll_back", {}).write(tmp_path / "ship")
    assert _prepared(["call", f"@{tmp_path}/ship"]).options.name == "roll_back"


def test_a_saved_call_that_is_not_there_is_told_with_both_its_names_and_those_that_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    both = r"^There is no neither and no neither\.call\.json\. "
    with pytest.raises(UsageError, match=f"{both}No call is kept in this folder"):
        _prepared(["call", "@neither"])
    # What cannot be shown as it is would be no name of a file.
    for name in ("ship", "deploy", "l\nn", "v\x0bt"):
        SavedCall("demo", name, {}).write(tmp_path / f"{name}.call.json")
    with pytest.raises(UsageError, match=f"{both}Kept in this folder: @deploy, @ship\\."):
        _prepared(["call", "@neither"])
    with pytest.raises(UsageError, match=r"other\.call\.json cannot be read: No such file"):
        _prepared(["call", "@other.call.json"])


def test_a_template_is_filled_in_before_its_server_starts() -> None:
    template = "demo://greeting/{language}"
    prepared = _prepared(["read", "demo", template, "language=en glish"])
    assert prepared.options.name == "demo://greeting/en%20glish"
    with pytest.raises(UsageError, match="only: language"):
        _prepared(["read", "demo", template, "tongue=x"])
    with pytest.raises(UsageError, match="'language' is to be filled in"):
        _prepared(["read", "demo", template, "language="])


def _prepared(arguments: list[str]) -> Prepared:
    name, rest = find_command(arguments)
    _, namespace = parse(name, rest)
    return prepare(namespace, Narration())


LISTS = {
    "properties": {
        "names": {"type": "array", "items": {"type": "string"}},
        "counts": {"type": "array", "items": {"type": "integer"}},
        "rows": {"type": "array", "items": {"type": "object"}},
        "place": {"type": "string", "enum": ["London", "Paris"]},
        "size": {"type": "integer", "minimum": 1, "maximum": 3},
    }
}


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (["names=Todo"], {"names": ["Todo"]}),
        (["names="], {"names": [""]}),
        (["names=a", "names=b, c"], {"names": ["a", "b, c"]}),
        (['names=["a","b"]'], {"names": ["a", "b"]}),
        (["names=3"], {"names": ["3"]}),
        (["counts=3"], {"counts": [3]}),
        (["counts=3", "counts=4"], {"counts": [3, 4]}),
    ],
)
def test_a_list_takes_one_value_several_or_json(pairs: list[str], expected: dict[str, Any]) -> None:
    assert read_given(pairs, None).for_schema(LISTS) == expected


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["counts=three"], "'counts' must be integer, and 'three' is not"),
        (['names=["a'], "write it as JSON, names="),
        (["rows=a b"], """write it as JSON, rows='["a b"]'"""),
        (["place=Paris", "place=London"], "twice"),
        (["names=a", 'names:=["b"]'], "twice"),
        (["place=Boston"], "place: choose one of: London, Paris"),
        (["size=5"], "size: between 1 and 3"),
    ],
)
def test_what_the_schema_does_not_allow_is_refused_with_what_it_does(
    pairs: list[str], words: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read_given(pairs, None).for_schema(LISTS)
    assert words in str(refused.value)


def test_what_is_given_as_json_is_sent_as_it_is_and_the_rest_is_checked() -> None:
    assert read_given(['place:="Boston"'], None).for_schema(LISTS) == {"place": "Boston"}
    with pytest.raises(UsageError, match="size: between 1 and 3"):
        read_given(['place:="Boston"'], '{"size": 5}').for_schema(LISTS)


def test_what_a_schema_that_cannot_be_used_says_is_left_to_the_server() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": "("}, "b": {"minimum": "x"}}}
    assert read_given(["a=1", "b:=2"], None).for_schema(schema) == {"a": "1", "b": 2}


def test_an_incomplete_call_may_lack_what_is_required_and_nothing_else() -> None:
    schema = {**LISTS, "required": ["place", "size"]}
    assert read_given(["size=2"], None).for_schema(schema, incomplete=True) == {"size": 2}
    with pytest.raises(UsageError, match="choose one of"):
        read_given(["place=x"], None).for_schema(schema, incomplete=True)
