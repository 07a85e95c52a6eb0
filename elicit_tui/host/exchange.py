"""One request of ours and what came back for it: the answer as it was, or a round of questions.

A round is judged where it arrives (spec: 2026-07-28, InputRequiredResult).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import field
from typing import Any, Final, NamedTuple

from elicit_tui.broker import Broker
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Call, ElicitationRequest, Outcome, ServerIdentity
from elicit_tui.host.messages import ELICITATION

MOST_AT_ONCE: Final = 10_000
"""Input requests of one round; each of more would be judged, told and recorded, for minutes."""


class Judged(NamedTuple):
    """One elicitation of a round: let through when it has no outcome yet."""

    key: str
    request: ElicitationRequest
    outcome: Outcome | None


class Round(NamedTuple):
    """One InputRequiredResult, judged (spec: 2026-07-28, multi round-trip requests)."""

    elicitations: tuple[Judged, ...] = ()
    refused_methods: tuple[str, ...] = ()
    """What it asked for that was never advertised: sampling, roots, or unknown methods."""
    request_state: str | None = None
    defect: str | None = None
    """Why the round as a whole cannot be answered, in a sentence."""

    @property
    def let_through(self) -> tuple[Judged, ...]:
        """The questions that go on to the broker's later steps."""
        return tuple(judged for judged in self.elicitations if judged.outcome is None)


@dataclass
class Exchange:
    """Travels with our request in a context variable; the wire fills in what it sees."""

    call: Call | None = None
    round: int = 1
    """Which round of the call its questions will belong to."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Params that go out beside the SDK's own, untouched: inputResponses and requestState."""
    answering: tuple[ElicitationRequest, ...] = ()
    """The questions whose answers this request carries."""
    of_task: bool = False
    """Whether the answer tells of a task, which may ask for input."""
    last: bool = False
    """Whether the call was given up: what comes back is not asked of anybody."""
    acknowledged: Callable[[], None] | None = None
    """Told when the server says that it has begun a stream that answers only at its end."""
    result: dict[str, Any] | None = None
    answered_by_error: bool = False
    new_round: Round | None = None


# A context variable, as the SDK sends a request from deep inside and passes nothing of ours along:
# the wire finds here which exchange a request is of, and a question that comes on the answer's
# stream which call it belongs to.
CURRENT: ContextVar[Exchange | None] = ContextVar("elicit_tui_exchange", default=None)


def is_round(result: Any) -> bool:
    """Whether a result asks for input instead of being the answer."""
    return isinstance(result, Mapping) and result.get("resultType") == "input_required"


def is_task(result: Any) -> bool:
    """Whether a result is a task in the place of the answer (spec: SEP-2663)."""
    return isinstance(result, Mapping) and result.get("resultType") == "task"


def judge_round(
    result: Mapping[str, Any], broker: Broker, server: ServerIdentity, call: Call, number: int
) -> Round:
    """Ask the broker's first steps for each elicitation of a round.

    A malformed one is taken out of its round and answered alone, since an error would end its
    siblings too. When the round asks for something that was never advertised the call cannot go
    on, so none of its questions reaches a person.
    """
    defect = _defect_of(result)
    if defect is not None:
        return Round(defect=defect)
    state, requests = result.get("requestState"), result.get("inputRequests") or {}
    # Kept apart here and refused by the driver: what stands beside the questions decides whether
    # the call can go on at all.
    refused = tuple(entry["method"] for entry in requests.values() if _is_other_method(entry))
    elicitations = {key: entry for key, entry in requests.items() if not _is_other_method(entry)}
    judged = []
    for key, entry in elicitations.items():
        request = ElicitationRequest(
            server=server,
            params=entry.get("params") if isinstance(entry, Mapping) else None,
            era="modern",
            calls=(call,),
            round=number,
            group_size=len(elicitations),
            wire_id=key,
            # Judged as a malformed question, whatever its params are.
            defect=None if _is_well_formed(entry) else "The input request names no method.",
        )
        # Asked while the answer is read, so that of a flood nothing is kept.
        judged.append(Judged(key, request, broker.admit(request)))
    return Round(tuple(judged), refused_methods=refused, request_state=state)


def _defect_of(result: Mapping[str, Any]) -> str | None:
    """Why a round as a whole cannot be answered, in a sentence."""
    state, requests = result.get("requestState"), result.get("inputRequests")
    if state is not None and not isinstance(state, str):
        return "The server's requestState is not a string."
    if requests is not None and not isinstance(requests, Mapping):
        return "The server's inputRequests is not an object."
    if requests and len(requests) > MOST_AT_ONCE:
        return (
            f"The server asked for {len(requests):,} things at once; no more than "
            f"{MOST_AT_ONCE:,} are looked at."
        )
    # Requests without a state are those of a server that keeps it itself, a state without requests
    # says "ask me again". A round without either could not be answered.
    if not requests and state is None:
        return "The server asked for input without saying for what."
    return None


def _is_other_method(entry: Any) -> bool:
    """Something without a method at all is a malformed question, not another method."""
    method = entry.get("method") if isinstance(entry, Mapping) else None
    return isinstance(method, str) and method != ELICITATION


def _is_well_formed(entry: Any) -> bool:
    return isinstance(entry, Mapping) and entry.get("method") == ELICITATION
