"""The rounds of revision 2026-07-28."""

from __future__ import annotations

from collections.abc import Callable

from .wire import ESC, Call, done, form, send


def spam_in_rounds(count: int) -> Callable[[Call], None]:
    def play(call: Call) -> None:
        if "inputResponses" in call["params"]:
            done(call, str(len(call["params"]["inputResponses"])), resultType="complete")
            return
        requests = {
            f"q{n}": {"method": "elicitation/create", "params": form("Which?")}
            for n in range(count)
        }
        send(
            {
                "id": call["id"],
                "result": {"resultType": "input_required", "inputRequests": requests},
            }
        )

    return play


def state_of(size: int) -> Callable[[Call], None]:
    def play(call: Call) -> None:
        if "inputResponses" in call["params"]:
            done(call, str(len(call["params"]["requestState"])), resultType="complete")
            return
        requests = {ESC: {"method": "elicitation/create", "params": form("Which?")}}
        result = {"resultType": "input_required", "inputRequests": requests}
        send({"id": call["id"], "result": {**result, "requestState": "s" * size}})

    return play


ATTACKS: dict[str, Callable[[Call], None]] = {
    "round_of_10000": spam_in_rounds(10_000),
    "state_of_10_megabytes": state_of(10_000_000),
    "round_odd": lambda call: send(
        {
            "id": call["id"],
            "result": {
                "resultType": "input_required",
                "inputRequests": {ESC: {"method": ESC}, "": None},
            },
        }
    ),
}
