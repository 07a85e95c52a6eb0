"""The prompts of an agent itself, put to a person here; what is decided is handed to the agent.

An agent's hook runs `elicit-tui bridge AGENT`. Importing this package loads nothing else.
"""

from collections.abc import Mapping
from typing import Final

BRIDGED: Final[Mapping[str, str]] = {"claude-code": "Claude Code", "codex": "Codex"}
"""The agents whose hooks are known: key and title, as `agents.toml` has them, which takes time."""
