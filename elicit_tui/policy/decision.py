"""What one step decided, why, by which key of which layer, and what would change it."""

from __future__ import annotations

from typing import Any, NamedTuple

from elicit_tui.elicitation.guardian_settings import Layer
from elicit_tui.elicitation.outcome import Outcome


class Decision(NamedTuple):
    """One step of the walk that a request takes: it ends there, asks a person, or goes on."""

    step: str
    sentence: str
    """What was decided and why, with the key and the layer it came from; one plain sentence."""
    key: str | None = None
    layer: Layer | None = None
    change: str | None = None
    """Which key would make this step come out otherwise, in a sentence."""
    outcome: Outcome | None = None
    """The end of it; None where it goes on."""
    asks: bool = False
    """Whether this step wants a person to be asked."""

    @property
    def note(self) -> str | None:
        """What a person is told about why they are asked, where this step wants that."""
        return self.sentence if self.asks else None

    def as_json(self) -> dict[str, Any]:
        """The step for `config explain --output json`."""
        return {
            "step": self.step,
            "sentence": self.sentence,
            "key": self.key,
            "layer": self.layer,
            "ends": self.outcome is not None,
            "change": self.change,
        }


def ends(step: str, outcome: Outcome, change: str | None = None) -> Decision:
    """A step that ends with this outcome, and says what the outcome says."""
    layer: Any = outcome.layer
    return Decision(step, outcome.reason, outcome.key, layer, change, outcome)
