"""The deliberate step stands in the core: no face can pass a warning that nobody acknowledged."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Call,
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
    ServerIdentity,
    accept,
    approval_request,
    cancel,
    decline,
)
from elicit_tui.elicitation.settings import (
    GatewaySettings,
    GuardianSettings,
    Rule,
    ServerSettings,
    Settings,
)
from tests.broker.conftest import COLOUR, BenchFactory, form_request, run

SECRET = "ghp_" + "x7Kd92LmQ4" * 3 + "aBcDeF"
WARNED = "Delete all backups in production?"
BLOCKED: dict[str, Any] = {
    "type": "object",
    "properties": {"password": {"type": "string", "title": "Password"}},
    "required": ["password"],
}
ASKS = Settings(
    guardian=GuardianSettings(on_block="ask"), gateway=GatewaySettings(agent_answers="allow")
)


class Careless:
    """A face in ten lines without care: it sends what it is told to, and looks at nothing."""

    def __init__(self, content: dict[str, Any] | None) -> None:
        self.content = content
        self.asked: list[Question] = []

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        self.asked.append(question)
        return accept("user", "Sent.", self.content)


class Careful(Careless):
    """The same face, as it should be."""

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        self.asked.append(question)
        found = (*question.to_acknowledge, *question.examine(self.content or {}))
        seen = frozenset(finding.id for finding in found)
        return accept("user", "Sent.", self.content, acknowledged=seen)


class CarelessAgent(Careful):
    """A face that lets the agent answer whatever is asked, with everything acknowledged."""

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        outcome = await super().respond(question, deadline)
        return replace(outcome, decided_by="agent")


def page() -> ElicitationRequest:
    params = {
        "mode": "url",
        "message": "Sign in.",
        "url": "http://user:pw@192.0.2.1/login",
        "elicitationId": "e",
    }
    return ElicitationRequest(ServerIdentity("s", "stdio", "s"), params, wire_id=1)


def asked_by(bench: BenchFactory, face: Careless, request: ElicitationRequest) -> Outcome:
    async def body() -> Outcome:
        table = bench(ASKS, responder=face)
        outcome = await table.broker.resolve(request)
        assert table.ledger.row(request.id).action == outcome.action
        return outcome

    outcome: Outcome = run(body())
    return outcome


CASES = {
    "a warning": (form_request(WARNED), {"colour": "blue"}),
    "an asked block": (form_request(params={"requestedSchema": BLOCKED}), {"password": "hunter2"}),
    "an outgoing finding": (form_request(), {"colour": SECRET}),
    "a warned page": (page(), None),
}


@pytest.mark.parametrize(("request_", "content"), CASES.values(), ids=CASES)
def test_an_accept_without_acknowledgement_is_given_back_and_never_sent(
    bench: BenchFactory, request_: ElicitationRequest, content: dict[str, Any] | None
) -> None:
    face = Careless(content)
    outcome = asked_by(bench, face, request_)
    assert (outcome.action, outcome.decided_by, outcome.content) == ("cancel", "policy", None)
    assert [question.attempt for question in face.asked] == [1, 2, 3]
    first, again = face.asked[0], face.asked[1]
    assert "passed over" in (again.note or "")
    assert first.form is again.form
    assert first.draft is again.draft
    assert again.to_acknowledge or again.outgoing
    # What the question was warned of anyway is not told a second time as the answer's.
    assert not set(again.outgoing) & set(again.review.findings)


class InTurn(Careless):
    """A face that gives one answer after the other."""

    def __init__(self, *answers: Outcome) -> None:
        super().__init__(None)
        self.answers = answers

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        self.asked.append(question)
        return self.answers[len(self.asked) - 1]


@pytest.mark.parametrize(
    "second", [accept("user", "Sent.", {}), accept("agent", "Sent.", {"colour": SECRET})]
)
def test_what_an_answer_held_is_not_told_of_the_one_after_it(
    bench: BenchFactory, second: Outcome
) -> None:
    face = InTurn(accept("user", "Sent.", {"colour": SECRET}), second, decline("user", "No."))
    assert asked_by(bench, face, form_request()).action == "decline"
    assert [len(question.outgoing) for question in face.asked] == [0, 1, 0]


FOR_A_PERSON = {
    **CASES,
    "the agent's own question": (
        replace(form_request(), server=ServerIdentity("agent", "stdio", "")),
        {"colour": "blue"},
    ),
}


@pytest.mark.parametrize(("request_", "content"), FOR_A_PERSON.values(), ids=FOR_A_PERSON)
def test_no_face_can_let_an_agent_answer_what_only_a_person_may(
    bench: BenchFactory, request_: ElicitationRequest, content: dict[str, Any] | None
) -> None:
    face = CarelessAgent(content)
    outcome = asked_by(bench, face, request_)
    assert (outcome.action, outcome.decided_by, outcome.content) == ("cancel", "policy", None)
    assert [question.attempt for question in face.asked] == [1, 2, 3]
    assert (face.asked[1].note or "").startswith("An agent answered. ")


def test_what_anybody_may_answer_an_agent_may_too(bench: BenchFactory) -> None:
    outcome = asked_by(bench, CarelessAgent({"colour": "blue"}), form_request())
    assert (outcome.action, outcome.decided_by) == ("accept", "agent")


@pytest.mark.parametrize(
    "answer", [accept("agent", "Sent.", {"colour": "blue"}), decline("agent", "No.")]
)
def test_no_face_can_let_an_agent_answer_at_all_where_its_owner_does_not(
    bench: BenchFactory, answer: Outcome
) -> None:
    async def body() -> None:
        face = InTurn(answer, decline("user", "Not now."))
        outcome = await bench(responder=face).broker.resolve(form_request())
        assert outcome.reason == "Not now."
        assert face.asked[1].note == "An agent answered. No agent may answer here for its user."

    run(body())


def test_no_face_can_let_an_agent_approve_a_tool(bench: BenchFactory) -> None:
    async def body() -> None:
        server = ServerSettings("s", default_tools_approval_mode="prompt")
        table = bench(Settings(servers={"s": server}), responder=CarelessAgent(None))
        outcome = await table.broker.approve(
            ServerIdentity("s", "stdio", "s"), Call("tools/call", "drop"), {}, "pid 1"
        )
        assert outcome is not None
        assert (outcome.action, outcome.decided_by) == ("cancel", "policy")

    run(body())


def test_no_face_can_let_an_agent_refuse_what_it_asked_itself(bench: BenchFactory) -> None:
    face = InTurn(decline("agent", "No."), cancel("agent", "Never."), decline("user", "Not now."))
    request, _ = FOR_A_PERSON["the agent's own question"]
    assert asked_by(bench, face, request).reason == "Not now."
    assert [question.note for question in face.asked[1:]] == [
        "An agent answered. This is the agent's own question to its user."
    ] * 2
    # A server's question is anybody's to refuse.
    refuses = InTurn(decline("agent", "No."))
    assert asked_by(bench, refuses, form_request()).decided_by == "agent"


@pytest.mark.parametrize(("request_", "content"), CASES.values(), ids=CASES)
def test_the_same_accept_goes_out_once_what_was_found_is_acknowledged(
    bench: BenchFactory, request_: ElicitationRequest, content: dict[str, Any] | None
) -> None:
    face = Careful(content)
    outcome = asked_by(bench, face, request_)
    assert (outcome.action, outcome.decided_by, outcome.content) == ("accept", "user", content)
    assert len(face.asked) == 1


TOLD = {"type": "string", "title": "Passport number"}
NAMED = {"type": "string", "title": "Display name"}


def profile(*required: str, message: str = "Your profile", **more: Any) -> ElicitationRequest:
    schema = {
        "type": "object",
        "properties": {"name": NAMED, "passport": {**TOLD, **more}},
        "required": list(required),
    }
    return form_request(message, params={"requestedSchema": schema})


def test_what_only_an_unset_optional_field_carries_needs_no_deliberate_step(
    bench: BenchFactory,
) -> None:
    face = Careless({"name": "Ida"})
    outcome = asked_by(bench, face, profile("name"))
    assert (outcome.action, outcome.content) == ("accept", {"name": "Ida"})
    assert face.asked[0].to_acknowledge != ()


@pytest.mark.parametrize(
    ("request_", "content"),
    [
        (profile("name"), {"name": "Ida", "passport": "C01X"}),
        (profile("name"), {"name": "Ida", "passport": ""}),
        (profile("name", "passport"), {"name": "Ida", "passport": "C01X"}),
        (profile("name", message="Enter your passport number"), {"name": "Ida"}),
        (profile("name", message="Delete all backups?"), {"name": "Ida"}),
        (profile("name", title="Passport number \u202e"), {"name": "Ida"}),
    ],
)
def test_what_is_sent_or_said_of_the_whole_form_binds_whatever_is_left_unset(
    bench: BenchFactory, request_: ElicitationRequest, content: dict[str, Any]
) -> None:
    face = Careless(content)
    outcome = asked_by(bench, face, request_)
    assert (outcome.action, outcome.decided_by, outcome.content) == ("cancel", "policy", None)
    careful = asked_by(bench, Careful(content), request_)
    assert (careful.action, careful.content) == ("accept", content)


def test_a_prepared_answer_goes_out_unchanged_its_finding_noted_and_its_value_masked(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        rule = Rule("accept", server="paint", content={"colour": SECRET})
        table = bench(Settings(rules=(rule,)))
        request = form_request()
        outcome = await table.broker.resolve(request)
        assert (outcome.action, outcome.decided_by) == ("accept", "rule")
        assert outcome.content == {"colour": SECRET}
        (told,) = table.resolved
        assert [finding.where for finding in told.review.outgoing] == ["content.colour"]
        assert SECRET not in str(told.review.masked(outcome.content))
        row = table.ledger.row(request.id)
        assert SECRET not in str(row)
        assert row.details["outgoing"][0]["where"] == "content.colour"

    run(body())


FREE: dict[str, Any] = {
    "an enum that is none": {"type": "string", "enum": "abc"},
    "branches that are no constants": {"type": "string", "oneOf": [{"minLength": 0}]},
    "a plain text": {"type": "string"},
}
CHOSEN: dict[str, Any] = {
    "enum": {"type": "string", "enum": [SECRET, "b"]},
    "oneOf": {"type": "string", "oneOf": [{"const": SECRET, "title": "A"}, {"const": "b"}]},
    "anyOf of enums": {"type": "string", "anyOf": [{"enum": [SECRET]}, {"enum": ["b"]}]},
    "const": {"type": "string", "const": SECRET},
}


@pytest.mark.parametrize("described", FREE.values(), ids=FREE)
def test_what_the_form_draws_as_free_text_is_looked_at(
    bench: BenchFactory, described: dict[str, Any]
) -> None:
    assert found_in(bench, described) == ["content.colour"]


@pytest.mark.parametrize("described", CHOSEN.values(), ids=CHOSEN)
def test_what_the_form_draws_as_a_choice_is_the_servers_own(
    bench: BenchFactory, described: dict[str, Any]
) -> None:
    assert found_in(bench, described) == []


def found_in(bench: BenchFactory, described: dict[str, Any]) -> list[str]:
    async def body() -> list[str]:
        table = bench()
        schema = {"type": "object", "properties": {"colour": described}}
        asking = asyncio.ensure_future(
            table.broker.resolve(form_request(params={"requestedSchema": schema}))
        )
        question = await table.person.sees()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        return [finding.where for finding in question.examine({"colour": SECRET})]

    found: list[str] = run(body())
    return found


def test_what_was_typed_is_there_when_the_same_is_asked_again_and_only_then(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        from elicit_tui.form.field import Typed

        table = bench()

        async def put(count: int, *, end: bool = True, **more: Any) -> Question:
            request = form_request(**more)
            asking = table.asks(request)
            question = await table.person.sees(count)
            if end:
                table.broker.withdraw(request.id, "The server withdrew it.")
                await asking
            return question

        first = await put(1)
        assert not first.draft.typed
        first = await put(2, end=False)
        first.draft.write({"colour": Typed("bl")}, frozenset({"colour"}))
        table.broker.withdraw(first.id, "The server withdrew it.")
        await asyncio.sleep(0)
        assert (await put(3)).draft.entries == {"colour": Typed("bl")}
        assert not (await put(4, message="Which shade?")).draft.typed
        assert not (await put(5, server="other")).draft.typed
        other = {**COLOUR, "title": "Another"}
        assert not (await put(6, params={"requestedSchema": other})).draft.typed
        assert [event.draft_kept for event in table.resolved] == [
            *(False, True, True, False, False, False),
        ]
        request = form_request()
        asking = table.asks(request)
        question = await table.person.sees(7)
        sent = accept("user", "Sent.", {"colour": "blue"}, via="console")
        table.person.answers[question.id].set_result(sent)
        assert (await asking).action == "accept"
        assert not (await put(8)).draft.typed

    run(body())


@pytest.mark.parametrize("hidden", ["message", "content.colour"])
def test_what_was_not_all_on_the_screen_is_given_back_whatever_face_accepts_it(
    bench: BenchFactory, hidden: str
) -> None:
    class Cut(Careless):
        """A face that knows what it drew, and accepts before all of it was shown."""

        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            outcome = await super().respond(question, deadline)
            seen = question.to_see(outcome.content)
            return replace(outcome, seen=seen - {hidden} if question.attempt == 1 else seen)

    async def body() -> None:
        face = Cut({"colour": "blue"})
        table = bench(Settings(), responder=face)
        outcome = await table.broker.resolve(form_request())
        assert outcome.action == "accept"
        first, second = face.asked
        assert first.to_see({"colour": "blue"}) == {"message", "content.colour"}
        assert second.note is not None
        assert f"Not shown yet: {hidden}." in second.note

    run(body())


def test_an_address_and_a_call_have_to_be_seen() -> None:
    server = ServerIdentity("s", "stdio", "s")
    page = ElicitationRequest(server, {"mode": "url", "message": "Sign in.", "url": "https://a.b/"})
    assert Question(page).to_see(None) == {"message", "url"}
    call = approval_request(server, Call("tools/call", "drop"), None, "")
    assert Question(call).to_see(None) == {"message", "call"}


def test_what_was_not_shown_is_named_neutrally(bench: BenchFactory) -> None:
    class Blind(Careless):
        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            return replace(await super().respond(question, deadline), seen=frozenset())

    name = "co\x1b[2Jlour"
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    face = Blind({name: "blue"})
    asked_by(bench, face, form_request(params={"requestedSchema": schema}))
    note = face.asked[-1].note
    assert note is not None
    assert "Not shown yet: content.co" in note
    assert "\x1b" not in note
