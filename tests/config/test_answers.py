# ruff: noqa: E501 - a case is one line
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit_tui.config import load_answers
from elicit_tui.config.answer_entry import exactly, ready_entry, recorded_entry
from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Finding,
    Question,
    Review,
    ServerIdentity,
    Severity,
)
from elicit_tui.elicitation.settings import Rule, Settings
from elicit_tui.errors import ConfigError
from elicit_tui.form.schema_reading import read_form
from elicit_tui.policy import Policy
from tests.config.texts import read_answers

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "environment": {"type": "string", "enum": ["staging", "production"]},
        "replicas": {"type": "integer", "default": 3},
        "token": {"type": "string"},
    },
    "required": ["environment"],
}


def asked(
    message: str = "Select [*] target?", schema: Any = SCHEMA, **params: Any
) -> ElicitationRequest:
    return ElicitationRequest(
        ServerIdentity("deploy", "stdio", "x"),
        {"message": message, "requestedSchema": schema, **params},
        calls=(Call("tools/call", "deploy"),),
        wire_id=1,
    )


def test_an_answers_file_is_read_in_order_with_every_key(write: Callable[..., Path]) -> None:
    path = write(
        '[[answers]]\nmessage = "A*"\naction = "accept"\ncontent = { a = 1 }\nonce = true\n'
        'use_defaults = true\ndespite = ["x.*"]\n[[answers]]\naction = "decline"\n'
    )
    assert load_answers(path) == (
        Rule("accept", message="A*", content={"a": 1}, once=True, use_defaults=True,
             despite=("x.*",), layer="command line", position=1),
        Rule("decline", layer="command line", position=2),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[answers]]\naction = "accept"', "F:1: answers[1]: an accept answer needs content, or use_defaults = true; a page is accepted by no entry"),
        ('[[answers]]\nmessage = "A"', "F:1: answers[1]: an accept answer needs content, or use_defaults = true; a page is accepted by no entry"),
        ('[[answers]]\naction = "cancel"\ncontent = {}', "F:3: answers[1].content: content goes with accept only"),
        ('[[rules]]\naction = "ask"', "F:1: rules: an answers file has its entries under [[answers]]"),
        ('[[answer]]\naction = "ask"', "F:1: answer: is not a key here; did you mean answers?"),
        ('[[answers]]\nacton = "ask"', "F:2: answers[1].acton: is not a key here; did you mean action?"),
    ],
)  # fmt: skip
def test_a_mistake_in_an_answers_file_is_named(
    write: Callable[..., Path], text: str, told: str
) -> None:
    path = write(text)
    with pytest.raises(ConfigError) as caught:
        load_answers(path)
    assert told.replace("F", str(path), 1) in caught.value.problems


def test_an_answer_without_an_action_accepts(write: Callable[..., Path]) -> None:
    (entry,) = load_answers(write("[[answers]]\ncontent = { a = 1 }\n"))
    assert (entry.action, entry.content) == ("accept", {"a": 1})


def test_an_empty_answers_file_answers_nothing(write: Callable[..., Path]) -> None:
    assert load_answers(write("")) == ()


def test_a_missing_answers_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_answers(tmp_path / "none")


def test_a_recorded_entry_answers_the_same_question_again_and_no_other() -> None:
    content = {"environment": "staging", "replicas": 2}
    review = Review((Finding("destructive.production", Severity.WARN, "message", "x", "Look."),))
    entry = recorded_entry(asked(), "accept", content, review)
    policy = Policy(Settings(), read_answers(entry.encode()))
    question = Question(asked(), review, read_form(SCHEMA))
    other = replace(question, request=asked("Select x target?"))
    assert policy.answer(other).outcome.action == "cancel"  # type: ignore[union-attr]
    outcome = policy.answer(question).outcome
    assert outcome is not None
    assert (outcome.action, outcome.content) == ("accept", content)
    assert policy.answer(question).outcome.action == "cancel"  # type: ignore[union-attr]


def test_what_must_not_be_written_stands_there_as_a_comment() -> None:
    content = {"environment": "staging", "token": "s3cr3t-value"}
    entry = recorded_entry(asked(), "accept", content, Review(), {"token": "sensitive\nvalue"})
    assert "s3cr3t-value" not in entry
    assert "# token was left out: sensitive\\u000avalue" in entry
    assert tomli.loads(entry)["answers"][0]["content"] == {"environment": "staging"}


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_is_recorded_without_content(action: str) -> None:
    (entry,) = read_answers(recorded_entry(asked(), action, None, Review()).encode())
    assert (entry.action, entry.content, entry.once) == (action, None, True)


def test_a_form_without_fields_is_recorded_so_that_it_replays() -> None:
    request = asked(schema={"type": "object", "properties": {}})
    entries = read_answers(recorded_entry(request, "accept", {}, Review()).encode())
    question = Question(request, form=read_form(request.requested_schema))
    outcome = Policy(Settings(), entries).answer(question).outcome
    assert outcome is not None
    assert outcome.action == "accept"


def test_several_recorded_entries_make_one_file() -> None:
    text = "".join(recorded_entry(asked(str(n)), "accept", {"a": n}, Review()) for n in range(3))
    assert [entry.content for entry in read_answers(text.encode())] == [{"a": n} for n in range(3)]


def test_a_ready_entry_can_be_pasted_and_says_what_is_wanted() -> None:
    review = Review((Finding("destructive.x", Severity.WARN, "message", "x", "Look."),))
    entry = ready_entry(asked(), review)
    (rule,) = read_answers(entry.encode())
    assert rule.content == {"replicas": 3}
    assert '# environment =   # required, one of "staging", "production"' in entry
    assert '# despite = ["destructive.x"]' in entry
    assert Policy(Settings(), (rule,)).answer(Question(asked("Select * target?"))).outcome


def test_a_url_has_only_a_refusal_ready() -> None:
    (rule,) = read_answers(ready_entry(asked(mode="url", url="https://x"), Review()).encode())
    assert (rule.action, rule.mode) == ("decline", "url")


def test_a_block_has_only_a_refusal_ready() -> None:
    review = Review((Finding("credentials.token", Severity.BLOCK, "message", "x", "No."),))
    entry = ready_entry(asked(), review)
    assert entry.startswith("# no entry can accept what the guardian blocks\n")
    assert read_answers(entry.encode())[0].action == "decline"


NAMES = st.text(max_size=8) | st.sampled_from(
    ["a\n[[answers]]", '"', "'''", "#", "\x1b[2J", "\ud800"]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | NAMES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(NAMES, st.dictionaries(NAMES, JSON, max_size=4))
def test_whatever_a_server_asks_is_recorded_as_toml_that_matches_itself(
    message: str, content: dict[str, Any]
) -> None:
    request = asked(message, {"type": "object", "properties": {name: {} for name in content}})
    for text in (
        recorded_entry(request, "accept", content, Review()),
        ready_entry(request, Review()),
    ):
        assert text.isascii()
        entries = tomli.loads(text)["answers"]
        assert len(entries) == 1
        rule = Rule("decline", message=entries[0]["message"])
        assert Policy(Settings(), (rule,)).answer(Question(request)).outcome.action == "decline"  # type: ignore[union-attr]
    written = tomli.loads(recorded_entry(request, "accept", content, Review()))["answers"][0]
    for name, value in written["content"].items():
        assert value == content[name]


def test_a_glob_that_matches_itself() -> None:
    assert exactly("a*b?[c]") == "a[*]b[?][[]c]"
