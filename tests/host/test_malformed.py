"""Requests that break the rules, sent raw in both eras: each ends as the design's table says."""

from __future__ import annotations

import asyncio

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.errors import ProtocolCallError, ServerError
from tests.host.world import HANDSHAKE, MODERN, raw_answers, raw_server, says, world
from tests.servers.cases import MALFORMED

WAIT = 20

pytestmark = pytest.mark.anyio

HANDSHAKE_SERVER = raw_server(HANDSHAKE)
MODERN_SERVER = raw_server(MODERN)

OUTCOME = "dev.elicit-tui/outcome"


async def test_malformed_requests_are_refused_with_an_error_in_the_handshake_era() -> None:
    async with world(HANDSHAKE_SERVER) as here:
        for number, case in enumerate(sorted(MALFORMED), start=1):
            (answer,) = await raw_answers(here, case, id=f"q{number}")
            assert answer["id"] == f"q{number}", case
            assert answer["error"]["code"] == -32602, case
            assert answer["error"]["data"][OUTCOME]["decidedBy"] == "policy", case
        assert here.person.asked == []
        assert [(outcome.action, outcome.decided_by) for _, outcome in here.outcomes] == [
            (None, "policy")
        ] * len(MALFORMED)
        recorded = [step for step, _ in here.ledger.steps]
        assert recorded == ["asked", "decided", "sent"] * len(MALFORMED)


async def test_malformed_requests_are_declined_alone_in_a_round() -> None:
    async with world(MODERN_SERVER, answer=says({"value": "x"})) as here:
        for case in (*sorted(MALFORMED), "no_method", "no_object"):
            responses, _ = await raw_answers(here, case)
            assert responses["bad"]["action"] == "decline", case
            assert responses["bad"]["_meta"][OUTCOME]["decidedBy"] == "policy", case
            assert responses["good"]["action"] == "accept", case
            assert responses["good"]["content"] == {"value": "x"}, case
        assert {question.request.message for question in here.person.asked} == {"Well formed"}


async def test_what_a_server_is_told_names_no_rule_and_no_key() -> None:
    async with world(HANDSHAKE_SERVER) as here:
        (answer,) = await raw_answers(here, "unknown_mode", id="q")
        assert answer["error"]["message"] == "Invalid elicitation request"
        assert answer["error"]["data"][OUTCOME] == {
            "decidedBy": "policy",
            "reason": "The client's policy decided; no person was asked.",
        }


async def test_the_second_request_with_the_same_id_is_malformed() -> None:
    async with world(HANDSHAKE_SERVER, answer=says({"value": "x"})) as here:
        both = await raw_answers(here, "same_id_twice", id="q")
        assert [answer["id"] for answer in both] == ["q", "q"]
        kinds = sorted("error" if "error" in answer else "result" for answer in both)
        assert kinds == ["error", "result"]
        assert len(here.person.asked) == 1
        assert len(here.outcomes) == 2


async def test_an_id_that_was_answered_before_is_malformed_too() -> None:
    async with world(HANDSHAKE_SERVER, approval_policy="never") as here:
        both = await raw_answers(here, "same_id_twice", id="q")
        assert both[0]["result"]["action"] == "decline"
        assert both[1]["error"]["code"] == -32602


async def test_a_request_sent_as_a_notification_is_recorded_and_gets_no_answer() -> None:
    async with world(HANDSHAKE_SERVER, answer=says({"value": "x"})) as here:
        (answer,) = await raw_answers(here, "as_a_notification")
        assert answer["id"] == "after"
        assert [(outcome.action, outcome.decided_by) for _, outcome in here.outcomes] == [
            (None, "policy"),
            ("accept", "user"),
        ]


async def test_sampling_and_roots_are_refused_in_the_handshake_era() -> None:
    async with world(HANDSHAKE_SERVER) as here:
        refusals = await raw_answers(here, "sampling")
        assert [(refusal["id"], refusal["error"]["code"]) for refusal in refusals] == [
            ("s", -32601),
            ("r", -32601),
        ]


async def test_sampling_in_a_round_ends_the_call_and_asks_nobody() -> None:
    async with world(MODERN_SERVER, answer=says({"value": "x"})) as here:
        with pytest.raises(ProtocolCallError, match=r"sampling/createMessage") as caught:
            await raw_answers(here, "sampling")
        assert caught.value.code == -32601
        assert here.person.asked == []
        outcome = here.only_outcome()
        assert (outcome.action, outcome.decided_by) == (None, "server")
        assert here.ledger.sent_ids() == []


async def test_a_pushed_question_in_the_modern_era_is_refused() -> None:
    async with world(MODERN_SERVER) as here:
        (answer,) = await raw_answers(here, "pushed")
        assert answer["error"]["code"] == -32602
        assert here.only_outcome().decided_by == "policy"


async def test_request_state_goes_back_byte_for_byte() -> None:
    async with world(MODERN_SERVER, answer=says({"value": "x"})) as here:
        _, state = await raw_answers(here, "no_message")
        assert state == 'st\u00e4te "quoted" \ud83d\ude00'.encode("utf-16", "surrogatepass").decode(
            "utf-16"
        )


async def test_a_round_that_asks_for_nothing_cannot_be_understood() -> None:
    async with world(MODERN_SERVER) as here:
        for case in ("neither", "state_is_a_number"):
            with pytest.raises(ServerError):
                await raw_answers(here, case)
        assert here.person.asked == []


async def test_a_round_with_a_thousand_questions_is_within_the_limits_of_one_server() -> None:
    async with world(MODERN_SERVER, approval_policy="on-request", answer=says({})) as here:
        responses, _ = await raw_answers(here, "many")
        assert len(responses) == 1000
        decided = [answer["_meta"][OUTCOME]["decidedBy"] for answer in responses.values()]
        assert decided.count("user") == 16
        assert decided.count("flood") == 984
        assert len(here.outcomes) == 1000


async def test_only_configured_modes_are_advertised() -> None:
    for server, tool in ((HANDSHAKE_SERVER, "capabilities"), (MODERN_SERVER, "capabilities")):
        from dataclasses import replace

        for settings, expected in (
            (server, {"elicitation": {"form": {}, "url": {}}}),
            (replace(server, elicitation_modes=("form",)), {"elicitation": {"form": {}}}),
            (replace(server, elicitations="off"), {}),
        ):
            async with world(settings) as here:
                told = await raw_answers(here, tool)
                # What is offered beside it is tried with tasks.
                assert {key: told[key] for key in told if key != "extensions"} == expected


async def test_a_mode_that_was_not_advertised_is_malformed() -> None:
    from dataclasses import replace

    async with world(replace(HANDSHAKE_SERVER, elicitations="off")) as here:
        (answer,) = await raw_answers(here, "good_question", id="q")
        assert answer["error"]["code"] == -32602


async def test_completions_for_unknown_pages_are_tolerated() -> None:
    from elicit_tui.host.events import UrlCompleted

    async with world(HANDSHAKE_SERVER) as here:
        assert await raw_answers(here, "early_and_unknown_completion") == []
        completed = [event for event in here.events if isinstance(event, UrlCompleted)]
        assert [event.elicitation_id for event in completed] == ["never-seen", "page"]


async def test_pages_for_ever_end_with_the_calls_error_after_five_retries() -> None:
    async with world(HANDSHAKE_SERVER, answer=says(None)) as here:
        with pytest.raises(ProtocolCallError) as caught:
            await raw_answers(here, "pages_for_ever")
        assert caught.value.code == -32042
        assert len(here.person.asked) == 5


async def test_a_page_that_is_not_consented_to_ends_with_the_calls_error() -> None:
    from elicit_tui.elicitation import decline

    async with world(HANDSHAKE_SERVER, answer=lambda question: decline("user", "No.")) as here:
        with pytest.raises(ProtocolCallError, match="Visit a page first"):
            await raw_answers(here, "pages_for_ever")
        assert len(here.person.asked) == 1


async def test_malformed_pages_end_with_the_calls_error() -> None:
    async with world(HANDSHAKE_SERVER, answer=says(None)) as here:
        with pytest.raises(ProtocolCallError):
            await raw_answers(here, "pages_malformed")
        assert here.person.asked == []


async def test_questions_of_two_calls_at_once_never_mix() -> None:
    async with world(HANDSHAKE_SERVER, answer=says({"value": "x"})) as here:
        connection = await here.host.connect("raw")
        calls = [Call("tools/call", "asks_for_two_calls", {"number": n}) for n in (1, 2, 3)]
        await asyncio.wait_for(asyncio.gather(*map(connection.call, calls)), WAIT)
        for question in here.person.asked:
            assert question.request.call is not None
            number = question.request.call.arguments["number"]
            assert question.request.wire_id == f"for {number}"


async def test_a_request_of_no_version_is_malformed() -> None:
    async with world(HANDSHAKE_SERVER, answer=says({"value": "x"})) as here:
        (answer,) = await raw_answers(here, "no_version", id="q")
        assert answer["error"]["code"] == -32602
        assert here.person.asked == []


async def test_a_question_whose_call_has_ended_is_cancelled_and_its_server_told() -> None:
    async with world(HANDSHAKE_SERVER) as here:
        assert await raw_answers(here, "ends_while_asking", id="q") == "over"
        (answer,) = await raw_answers(here, "late")
        assert answer["id"] == "q"
        assert answer["result"]["action"] == "cancel"
        outcome = here.only_outcome()
        assert (outcome.action, outcome.decided_by) == ("cancel", "server")
