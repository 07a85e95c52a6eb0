"""Servers that each break one promise about their questions, and their mended twins.

    python lab.py [STATE [later]]

A tool's name is its flaw; `NAME_mended` is the same tool without it. STATE is a file that a
booking is written to. With `later`, `changes_its_schema` asks for something else than before.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elicit_tui.demo.conversation import Conversation, ElicitResult
from elicit_tui.demo.json_rpc import JsonRpcStdio, Message
from elicit_tui.demo.server import DemoServer
from elicit_tui.demo.tool import DemoTool, ToolResult

STATE = Path(sys.argv[1]) if len(sys.argv) > 1 else None
LATER = sys.argv[2:] == ["later"]

CONFIRM = {"type": "object", "properties": {}}
GUESTS = {
    "type": "object",
    "properties": {"guests": {"type": "integer", "minimum": 1, "maximum": 12}},
    "required": ["guests"],
}
SEATS = {"window": "At the window", "bar": "At the bar"}
SEAT = {
    "type": "object",
    "properties": {
        "seat": {
            "type": "string",
            "oneOf": [{"const": value, "title": title} for value, title in SEATS.items()],
        }
    },
    "required": ["seat"],
}

FORMS: dict[str, dict[str, Any]] = {
    "acts_on_decline": CONFIRM,
    "acts_on_cancel": CONFIRM,
    "crashes_on_cancel": CONFIRM,
    "fails_within_on_decline": CONFIRM,
    "hangs_on_decline": CONFIRM,
    "asks_twice": CONFIRM,
    "loses_its_question": CONFIRM,
    "changes_its_schema": GUESTS,
    "asks_until_it_is_accepted": CONFIRM,
    "leaves_a_trace_when_cancelled": CONFIRM,
    "forgets_the_second_no": CONFIRM,
    "accepts_a_wrong_type": GUESTS,
    "accepts_nothing": GUESTS,
    "accepts_any_number": GUESTS,
    "accepts_a_title": SEAT,
    "takes_over_what_it_did_not_ask": GUESTS,
    "reads_the_content_of_a_decline": GUESTS,
    "books_for_each_answer": CONFIRM,
    "acts_on_a_late_answer": CONFIRM,
    "hangs_after_a_late_answer": CONFIRM,
}
"""Each flaw, and the form that its tool asks with."""

NO = ToolResult("No table was booked.", {"booked": False})


class Stray(JsonRpcStdio):
    """A wire that knows of answers to questions that had their answer."""

    flaw = ""
    """What the tool that was called last makes of such an answer."""
    strays = 0

    def _settle(self, message: Message) -> None:
        if str(message.get("id")) in self._waiting:
            super()._settle(message)
            return
        self.strays += 1
        if self.flaw == "acts_on_a_late_answer":
            book()
        if self.flaw == "hangs_after_a_late_answer":
            time.sleep(3600)


def book() -> None:
    if STATE is not None:
        with STATE.open("a", encoding="utf-8") as state:
            state.write("booked\n")


class Booking:
    """One tool: asks, looks at the answer unless its flaw forbids, and books."""

    def __init__(self, flaw: str, form: dict[str, Any], wire: Stray) -> None:
        self.flaw = flaw
        self.form = form
        self.wire = wire

    async def __call__(self, talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
        self.wire.flaw = self.flaw
        if self.flaw == "leaves_a_trace_when_cancelled":
            book()
        if self.flaw == "loses_its_question":
            return self.booked({})
        answer = await self.ask(talk, "Book the table?")
        while self.flaw == "asks_until_it_is_accepted" and answer.action == "decline":
            answer = await self.ask(talk, "Book the table?")
        if self.flaw == "asks_twice":
            answer = await self.ask(talk, "Book the table?")
        if not await self.allowed(answer):
            return NO
        if "second" in self.flaw or "twice_sure" in arguments:
            sure = await self.ask(talk, "Really?")
            if not sure.accepted and self.flaw != "forgets_the_second_no":
                return NO
        await asyncio.sleep(0.1)  # Long enough for what follows on an answer to arrive.
        return self.booked(answer.content)

    async def ask(self, talk: Conversation, message: str) -> ElicitResult:
        form = self.form
        if self.flaw == "changes_its_schema" and LATER:
            form = {**GUESTS, "required": []}
        params = {"mode": "form", "message": message, "requestedSchema": form}
        return await talk.ask(params) or ElicitResult("cancel")

    async def allowed(self, answer: ElicitResult) -> bool:
        flaw, action = self.flaw, answer.action
        if flaw == "crashes_on_cancel" and action == "cancel":
            os._exit(3)
        if flaw == "fails_within_on_decline" and action == "decline":
            raise KeyError("guests")
        if flaw == "hangs_on_decline" and action == "decline":
            await asyncio.sleep(3600)
        if flaw == f"acts_on_{action}":
            return True
        if flaw == "reads_the_content_of_a_decline" and action == "decline" and answer.content:
            return True
        return action == "accept" and self.valid(dict(answer.content))

    def valid(self, content: dict[str, Any]) -> bool:
        """Whether the content is what was asked for."""
        if self.form is SEAT:
            titles = SEATS.values() if self.flaw == "accepts_a_title" else ()
            return content.get("seat") in (*SEATS, *titles)
        if self.form is CONFIRM:
            return True
        if "guests" not in content:
            return self.flaw in ("accepts_nothing", "changes_its_schema")
        guests = content["guests"]
        if not isinstance(guests, int) or isinstance(guests, bool):
            return self.flaw == "accepts_a_wrong_type"
        return 1 <= guests <= 12 or self.flaw == "accepts_any_number"

    def booked(self, content: Mapping[str, Any]) -> ToolResult:
        if self.flaw != "leaves_a_trace_when_cancelled":
            book()
        more = content if self.flaw == "takes_over_what_it_did_not_ask" else {}
        tables = 1 + (self.wire.strays if self.flaw == "books_for_each_answer" else 0)
        return ToolResult("The table is booked.", {"booked": True, "tables": tables, **more})


async def serve() -> None:
    wire = Stray()
    tools = {}
    for flaw, form in FORMS.items():
        for name, own in ((flaw, flaw), (f"{flaw}_mended", "second" if "second" in flaw else "")):
            tools[name] = DemoTool(name, name, "Books a table.", Booking(own, form, wire))
    await DemoServer(wire, tools).run()


if __name__ == "__main__":
    asyncio.run(serve())
