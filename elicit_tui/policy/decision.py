"""What one step decided, why, by which key of which layer, and what would change it, in words."""

from __future__ import annotations

from typing import Any, NamedTuple

from elicit_tui.elicitation.outcome import Outcome, decline
from elicit_tui.elicitation.settings import Layer, Rule, Settings, granted
from elicit_tui.elicitation.toml_spelling import toml_value


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


def setting_text(key: str, value: Any, layer: Layer) -> str:
    """`approval_policy = "never" (command line)`."""
    return f"{key} = {toml_value(value)} ({layer})"


def layer_of(settings: Settings, key: str) -> Layer:
    """The layer of a key's effective value; a server's key that no file sets is a default."""
    if key.startswith("mcp_servers.") and key not in settings.provenance:
        return "default"
    return settings.origin(key).layer


def who_can_change(settings: Settings, key: str, advice: str) -> str:
    """The advice, or whose business it is when the key is locked."""
    if settings.origin(key).locked:
        return f"{key} is locked by managed configuration; only the administrator can change it."
    return advice


class PolicyRefusal(NamedTuple):
    """The key of the approval policy that lets no person be asked about something."""

    key: str
    layer: Layer
    setting: str
    """The key with its value and its layer, as `setting_text`."""
    remedy: str
    """The setting with which a person would be asked."""

    def declined(self, reason: str | None = None) -> Outcome:
        """What is refused by it, for this reason or for its own."""
        reason = reason or f"Declined by policy: {self.setting}."
        return decline("policy", reason, key=self.key, layer=self.layer)

    def change(self, settings: Settings, asked: str) -> str:
        """Which setting would let it be `asked`, or whose business that is."""
        return who_can_change(settings, self.key, f"{self.remedy} would let {asked}.")


def refusal(settings: Settings, flag: str) -> PolicyRefusal | None:
    """What of the approval policy refuses to ask about `flag`; None where it is granted."""
    if getattr(granted(settings.approval_policy), flag):
        return None
    never = settings.approval_policy == "never"
    key = "approval_policy" if never else f"approval_policy.granular.{flag}"
    layer = layer_of(settings, key)
    setting = setting_text(key, "never" if never else False, layer)
    return PolicyRefusal(key, layer, setting, f'{key} = "on-request"' if never else f"{key} = true")


def entry_key(rule: Rule, table: str) -> str:
    """`rules[2]`: the entry's table and its position in its file, from 1."""
    return f"{table}[{rule.position}]"
