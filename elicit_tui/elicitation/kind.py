"""What sets the kinds of questions apart: one entry for each, which every room asks.

A kind is compared nowhere else. What a room does for one kind only stands under a trait, so that
another kind is another entry of `KINDS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.outcome import DecidedBy, Scope

Kind = Literal["elicitation", "approval", "authorization"]
"""A server's question, or our own before a tool is called or a server is logged in to."""

Flag = Literal["mcp_elicitations", "tool_calls", "logins"]
"""A key of `[approval_policy.granular]`."""


@dataclass(frozen=True)
class KindTraits:
    """What one kind of question is, who may accept it, and what an accept of it holds."""

    from_server: bool
    """Whether a server sent it, and it counts as that server's question.

    The server's own settings, limits and muting, `concurrent`, rules and answers files apply to
    these only; our own questions are written by us.
    """
    flag: Flag
    """The granular flag that lets it surface."""
    accepted_by: frozenset[DecidedBy]
    """Who may accept it. Whoever else would is told `only_person`, and a person is asked."""
    only_person: str = ""
    """Why nobody but a person accepts it, as a clause without an end."""
    mode: str | None = None
    """How it is shown; None: as the server wrote it (spec: client/elicitation, `mode`)."""
    about_call: bool = False
    """Whether it asks if one call of a tool may be made.

    The call and the tool's definition are shown, who waits for the result must be there, and a
    refusal may tell the agent why.
    """
    scopes: tuple[Scope, ...] = ()
    """How long an accept may hold, the shortest first; none: it holds for this question."""
    for_server: bool = False
    """Whether, where it names no call, every call of its server waits for it."""
    takes_redirect: bool = False
    """Whether an accept may hold the address that its page led back to, pasted by the person.

    It is given to who waits for it, and neither recorded nor told to anybody.
    """
    limit: Literal["server", "caller"] | None = None
    """Whose `elicitation.limits` it counts for: its server's, those of who calls, or nobody's."""

    @property
    def client_confirms(self) -> bool:
        """Whether the agent's client shows it as a yes or no in our words, and nothing else."""
        return not self.from_server and "client" in self.accepted_by


KINDS: Final[Mapping[Kind, KindTraits]] = {
    "elicitation": KindTraits(
        from_server=True,
        flag="mcp_elicitations",
        accepted_by=frozenset({"user", "rule", "answers", "hook", "client", "agent"}),
        limit="server",
    ),
    "approval": KindTraits(
        from_server=False,
        flag="tool_calls",
        accepted_by=frozenset({"user", "client"}),
        only_person="only a person allows a tool call",
        mode="approval",
        about_call=True,
        scopes=("once", "session"),
        limit="caller",
    ),
    "authorization": KindTraits(
        from_server=False,
        flag="logins",
        accepted_by=frozenset({"user"}),
        only_person="only a person logs in",
        mode="url",
        for_server=True,
        takes_redirect=True,
    ),
}
"""Every kind. The ledger, the store, hooks and data spell a kind as its key here."""

HANDED_KINDS: Final[Mapping[Kind, KindTraits]] = {
    **KINDS,
    "approval": replace(
        KINDS["approval"],
        accepted_by=frozenset({"user"}),
        only_person="only a person allows what an agent asks for",
        scopes=("once",),
        limit=None,
    ),
}
"""The same for the prompts of an agent itself, which keeps its own grants for a session."""
