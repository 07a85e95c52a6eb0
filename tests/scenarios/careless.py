"""Further flaws of the lab: ways in which a tool that asks is careless."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from elicit_tui.demo.conversation import Conversation, ElicitResult, ToolResult

SEATS = ("window", "bar")
SEAT = {
    "type": "object",
    "properties": {"seat": {"type": "string", "title": "Seat", "enum": list(SEATS)}},
    "required": ["seat"],
}
PARTY = {
    "type": "object",
    "properties": {"guests": {"type": "integer", "title": "Guests", "minimum": 1, "maximum": 12}},
    "required": ["guests"],
}
WISHES = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 60},
        "outdoors": {"type": "boolean", "title": "Outdoors"},
    },
}
AGREED = {
    "type": "object",
    "properties": {"agreed": {"type": "boolean", "title": "I agree"}},
    "required": ["agreed"],
}
SURE: dict[str, Any] = {"type": "object", "properties": {}}

CARELESS: dict[str, dict[str, Any]] = {
    "acts_while_it_asks": SURE,
    "acts_when_its_question_waits": SURE,
    "acts_when_its_call_is_cancelled": SURE,
    "acts_and_says_that_it_failed": SURE,
    "acts_though_its_page_was_declined": SURE,
    "asks_again_with_a_page": SURE,
    "breaks_its_output_schema_on_a_no": SURE,
    "says_that_it_acted_and_did_not": SURE,
    "asks_two_at_once_in_the_later_era": SURE,
    "prints_beside_its_messages": SURE,
    "ends_with_an_exit_code": SURE,
    "answers_twice": SURE,
    "forgets_to_ask_again": SURE,
    "remembers_the_answer_as_a_default": PARTY,
    "breaks_without_an_optional_field": WISHES,
    "takes_a_fraction": PARTY,
    "takes_null": PARTY,
    "takes_any_text_for_a_yes": AGREED,
    "falls_back_to_a_choice": SEAT,
    "hangs_on_what_it_cannot_read": PARTY,
    "crashes_on_what_it_did_not_ask": PARTY,
    "tells_its_progress_what_was_typed": WISHES,
}
"""Each flaw, and the form that its tool asks with."""

QUESTION = "Book the table?"
PAGE = {
    "mode": "url",
    "message": QUESTION,
    "url": "https://book.example/table",
    "elicitationId": "1",
}
NO = ToolResult("No table was booked.", {"booked": False})


class CarelessBooking:
    """One tool: asks, looks at the answer unless its flaw forbids, and books."""

    def __init__(
        self, flaw: str, form: dict[str, Any], book: Callable[..., None], wire: Any, page: bool
    ) -> None:
        self.flaw = flaw
        self.form = form
        self.book = book
        self.wire = wire
        self.page = page
        self.calls = 0
        self.last: Any = None

    async def __call__(self, talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
        flaw = self.wire.flaw = self.flaw
        self.calls += 1
        if flaw == "forgets_to_ask_again" and self.calls > 1:
            return self.booked({})
        if flaw == "acts_while_it_asks":
            self.book()
        if flaw == "prints_beside_its_messages":
            print("booking", flush=True)
        began = time.monotonic()
        try:
            answer = await self.ask(talk)
        except asyncio.CancelledError:
            if flaw == "acts_when_its_call_is_cancelled":
                self.book()
            raise
        waited = time.monotonic() - began
        if flaw == "acts_while_it_asks" and not answer.accepted:
            self.book(undo=True)
        if flaw == "acts_when_its_question_waits" and answer.action == "cancel" and waited > 0.25:
            return self.booked({})
        if flaw == "acts_and_says_that_it_failed" and answer.action == "decline":
            self.book()
            return ToolResult("It failed.", {"booked": False}, is_error=True)
        if flaw == "acts_though_its_page_was_declined" and answer.action == "decline":
            return self.booked({})
        if flaw == "asks_again_with_a_page" and answer.action == "decline":
            await talk.ask(dict(PAGE))
        if flaw == "breaks_its_output_schema_on_a_no" and not answer.accepted:
            return ToolResult("No.", {"booked": "no"})
        if not answer.accepted or not await self.valid(dict(answer.content)):
            return NO
        if flaw == "tells_its_progress_what_was_typed":
            talk.progress(1, 2, f"for {answer.content.get('name')}")
        self.last = answer.content.get("guests")
        return self.booked(answer.content)

    async def ask(self, talk: Conversation) -> ElicitResult:
        if self.page:
            return await talk.ask(dict(PAGE)) or ElicitResult("cancel")
        form = self.form
        if self.flaw == "remembers_the_answer_as_a_default" and self.last is not None:
            guests = {**form["properties"]["guests"], "default": self.last}
            form = {**form, "properties": {"guests": guests}}
        params = {"mode": "form", "message": QUESTION, "requestedSchema": form}
        if self.flaw == "asks_two_at_once_in_the_later_era" and not talk.can_withdraw:
            more = {**params, "message": "Book a taxi?"}
            answers = await asyncio.gather(talk.ask(params), talk.ask(more))
            return answers[0] or ElicitResult("cancel")
        return await talk.ask(params) or ElicitResult("cancel")

    async def valid(self, content: dict[str, Any]) -> bool:
        flaw = self.flaw
        if self.form is WISHES:
            if flaw == "breaks_without_an_optional_field":
                content["name"], content["outdoors"]
            name, outdoors = content.get("name", "Ada"), content.get("outdoors", False)
            return isinstance(name, str) and 0 < len(name) <= 60 and isinstance(outdoors, bool)
        if self.form is AGREED:
            agreed = content.get("agreed")
            return bool(agreed) if flaw == "takes_any_text_for_a_yes" else agreed is True
        if self.form is SEAT:
            return content.get("seat") in SEATS or (
                flaw == "falls_back_to_a_choice" and "seat" in content
            )
        if self.form is not PARTY:
            return True
        if flaw == "crashes_on_what_it_did_not_ask" and len(content) > 1:
            os._exit(3)
        return "guests" in content and await self.valid_guests(content["guests"])

    async def valid_guests(self, guests: Any) -> bool:
        if guests is None:
            return self.flaw == "takes_null"
        if self.flaw == "takes_a_fraction" and isinstance(guests, float):
            guests = int(guests)
        if not isinstance(guests, int) or isinstance(guests, bool):
            if self.flaw == "hangs_on_what_it_cannot_read":
                await asyncio.sleep(3600)
            return False
        return 1 <= guests <= 12

    def booked(self, content: Mapping[str, Any]) -> ToolResult:
        if self.flaw not in ("acts_while_it_asks", "says_that_it_acted_and_did_not"):
            self.book()
        return ToolResult("The table is booked.", {"booked": True, "tables": 1})
