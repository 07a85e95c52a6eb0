"""Decides without a person: what may surface, what a rule answers, which tool may be called.

Every decision carries one plain sentence with the key and the layer it came from.
"""

from elicit_tui.policy.explanation import Explanation, Step
from elicit_tui.policy.policy import Policy
from elicit_tui.policy.rules import RuleAnswer
from elicit_tui.policy.tools import Allowance, ToolGate

__all__ = ["Allowance", "Explanation", "Policy", "RuleAnswer", "Step", "ToolGate"]
