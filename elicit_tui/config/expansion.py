"""`${NAME}` in a value becomes the environment's; names it does not have are collected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Expansion:
    """Expands texts with one environment; what it replaces is not expanded again."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._missing: dict[str, None] = {}

    @property
    def missing(self) -> tuple[str, ...]:
        """The names that were wanted and are not there, each once, in order."""
        return tuple(self._missing)

    def want(self, name: str) -> None:
        """Note a variable that must be there although no text names it."""
        if name not in self._environment:
            self._missing[name] = None

    def text(self, text: str) -> str:
        """`text` with each reference replaced; one to a missing name stays as it is."""

        def value(match: re.Match[str]) -> str:
            name = match.group(1)
            if name in self._environment:
                return self._environment[name]
            self._missing[name] = None
            return match.group()

        # One pass: what a variable holds is not looked at for more references.
        return REFERENCE.sub(value, text)

    def texts(self, texts: list[str]) -> tuple[str, ...]:
        """Each of a list expanded."""
        return tuple(self.text(text) for text in texts)

    def table(self, table: Mapping[str, str]) -> dict[str, str]:
        """Each value of a table expanded; its keys are taken as they are."""
        return {key: self.text(value) for key, value in table.items()}


class NoExpansion(Expansion):
    """Leaves every text as it is."""

    def __init__(self) -> None:
        super().__init__({})

    def text(self, text: str) -> str:
        """`text` itself."""
        return text
