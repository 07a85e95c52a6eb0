"""What a broker is given beside what it cannot do without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from elicit_tui.broker.contracts import CallingAgent
from elicit_tui.broker.drafts import Drafts
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Queue

if TYPE_CHECKING:
    from elicit_tui.hooks import Hooks


@dataclass(frozen=True)
class BrokerOptions:
    """What a broker can do without."""

    queue: Queue | None = None
    """The one that the responder was given, where its screens show what waits."""
    hooks: Hooks | None = None
    drafts: Drafts | None = None
    """Where what was typed is kept; as shipped, in memory."""
    agent: CallingAgent | None = None
    """Given where an agent makes the calls. No tool is approved while it is away, and no more
    approvals wait at once than `elicitation.limits.pending` says."""


NO_OPTIONS: Final = BrokerOptions()
