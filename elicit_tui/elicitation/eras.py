"""What sets the protocol's eras apart: one entry for each, which every room asks.

What a room does in one era only stands under a trait; no era is compared by its name. Which one is
tried first with a server, and what an agent is offered, stands where that is spoken
(`host/session.py`, `gateway/front.py`). Beside the revisions stands the extension of tasks, in the
place of a call's result (spec: SEP-2663); both sides say it with each request anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import INVALID_ANSWER, ProtocolCallError

HANDSHAKE: Final = "2025-11-25"
MODERN: Final = "2026-07-28"
Revision = Literal["auto", "2025-11-25", "2026-07-28"]
"""The revision that a server is spoken to in, one for each era; `auto`: the one that it offers."""
Era = Literal["handshake", "modern"]
"""`handshake`: revisions up to 2025-11-25; `modern`: 2026-07-28 and its rounds."""


@dataclass(frozen=True)
class EraTraits:
    """What the revisions of one era have in common, as far as a question can tell."""

    shown: str
    """Which revisions these are, for a person."""
    rounds: bool
    """Whether a call ends with what it asks, and is made again with the answers (spec: 2026-07-28,
    multi round-trip requests).

    Else the server sends each question as a request of its own: it may come at any time and does
    not always tell its call, may be withdrawn, and may be answered with an error.
    """
    page_ids: bool
    """Whether a question for a page has an elicitationId, by which its end is told."""
    listening: bool
    """Whether what a server tells by itself comes on a stream that was asked for
    (subscriptions/listen). Else it comes unasked, and resources are subscribed to one by one."""
    stateless: bool
    """Whether a server keeps nothing between two requests.

    Each then says anew what it is to know (the log level, over HTTP also arguments as headers); no
    open stream shows that the server is gone, and no `ping` asks.
    """
    tasks: bool
    """Whether a call may be answered with a task (spec: SEP-2663); the tasks of 2025-11-25 are
    another thing, which nobody is offered here."""


ERAS: Final[Mapping[Era, EraTraits]] = {
    "handshake": EraTraits(
        "2025-11-25 or older",
        rounds=False,
        page_ids=True,
        listening=False,
        stateless=False,
        tasks=False,
    ),
    "modern": EraTraits(
        MODERN, rounds=True, page_ids=False, listening=True, stateless=True, tasks=True
    ),
}
"""Every era, the oldest first."""


def era_of(revision: str) -> Era:
    """The era of a revision; these are dates, and the modern ones begin with 2026-07-28."""
    return "modern" if revision >= MODERN else "handshake"


_OF_THE_OTHER_ERA: Final = frozenset({-32603, -32601, -32600, -32021, -32022})
"""Errors with which a server fails that was made for the other era: it cannot ask in this one."""


def revision_to_try(error: BaseException | None, spoken: str | None) -> str | None:
    """The revision of the other era, where the error may come of being spoken to in this one."""
    broke = isinstance(error, ProtocolCallError) and error.code in _OF_THE_OTHER_ERA
    broke = broke or getattr(error, "code", None) == INVALID_ANSWER
    if not broke or spoken is None:
        return None
    return HANDSHAKE if era_of(spoken) == "modern" else MODERN


# Tasks

EXTENSION: Final = "io.modelcontextprotocol/tasks"

TaskStatus = Literal["working", "input_required", "completed", "cancelled", "failed"]
ENDS: Final[frozenset[str]] = frozenset({"completed", "cancelled", "failed"})
"""The states that never change any more."""


def declares_tasks(capabilities: Any) -> bool:
    """Whether these capabilities of a client or a server say that it knows tasks."""
    extensions = capabilities.get("extensions") if isinstance(capabilities, Mapping) else None
    return isinstance(extensions, Mapping) and isinstance(extensions.get(EXTENSION), Mapping)
