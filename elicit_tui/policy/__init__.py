"""Decides without a person: what may surface, what a rule answers, which tool may be called.

Every decision carries one plain sentence with the key and the layer it came from.
"""

from elicit_tui.policy.decision import Decision, ends
from elicit_tui.policy.policy import Policy
from elicit_tui.policy.surfacing import issuer_refusal

__all__ = ["Decision", "Policy", "ends", "issuer_refusal"]
