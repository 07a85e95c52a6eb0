"""Judges a round of questions where it arrives (spec: 2026-07-28, InputRequiredResult)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elicit_tui.broker import Broker
from elicit_tui.elicitation import Call, ElicitationRequest, ServerIdentity
from elicit_tui.host.exchange import Judged, Round


def is_round(result: Any) -> bool:
    """Whether a result asks for input instead of being the answer."""
    return isinstance(result, Mapping) and result.get("resultType") == "input_required"


def judge_round(
    result: Mapping[str, Any], broker: Broker, server: ServerIdentity, call: Call, number: int
) -> Round:
    """Ask the broker's first steps for each elicitation of a round.

    A malformed one is taken out of its round and answered alone, since an error would end its
    siblings too. When the round asks for something that was never advertised the call cannot go
    on, so none of its questions reaches a person.
    """
    state = result.get("requestState")
    asked = result.get("inputRequests")
    if state is not None and not isinstance(state, str):
        return Round(defect="The server's requestState is not a string.")
    if asked is not None and not isinstance(asked, Mapping):
        return Round(request_state=state, defect="The server's inputRequests is not an object.")
    if not asked and state is None:
        return Round(defect="The server asked for input without saying for what.")
    asked = asked or {}
    refused = tuple(entry["method"] for entry in asked.values() if _is_other_method(entry))
    elicitations = {key: entry for key, entry in asked.items() if not _is_other_method(entry)}
    return Round(
        elicitations=tuple(
            _judged(broker, server, call, number, len(elicitations), key, entry)
            for key, entry in elicitations.items()
        ),
        refused_methods=refused,
        request_state=state,
    )


def _is_other_method(entry: Any) -> bool:
    """Something without a method at all is a malformed question, not another method."""
    method = entry.get("method") if isinstance(entry, Mapping) else None
    return isinstance(method, str) and method != "elicitation/create"


def _judged(
    broker: Broker,
    server: ServerIdentity,
    call: Call,
    number: int,
    group_size: int,
    key: str,
    entry: Any,
) -> Judged:
    well_formed = isinstance(entry, Mapping) and entry.get("method") == "elicitation/create"
    request = ElicitationRequest(
        server=server,
        params=entry.get("params") if isinstance(entry, Mapping) else None,
        era="modern",
        call=call,
        round=number,
        group_size=group_size,
        wire_id=key,
        defect=None if well_formed else "The input request names no method.",
    )
    return Judged(key, request, broker.admit(request))
