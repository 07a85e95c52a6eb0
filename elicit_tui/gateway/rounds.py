"""The rounds of one call that its agent's client answers: `inputRequests` and back (modern era).

A round's state names the call and the round, so that an answer to an earlier round is known for
one. The keys are the server's own where an agent can use them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
SEPARATOR: Final = "-"


@dataclass(eq=False)
class _Asked:
    params: Mapping[str, Any]
    answer: asyncio.Future[Mapping[str, Any]]
    sent: bool = False


class Rounds:
    """The questions of one held call that wait for its agent's client."""

    def __init__(self) -> None:
        self._asked: dict[str, _Asked] = {}
        """By their keys in `inputRequests`."""
        self._number = 0

    @property
    def open(self) -> bool:
        """Whether a question waits for the client."""
        return bool(self._asked)

    @contextmanager
    def asking(
        self, wanted: str | int | None, otherwise: str, params: Mapping[str, Any]
    ) -> Iterator[asyncio.Future[Mapping[str, Any]]]:
        """Let a question wait for the client; what the client answers.

        Its key is `wanted`, or `otherwise` where that is no plain word or stands for another one.
        """
        usable = isinstance(wanted, str) and KEY.fullmatch(wanted) and wanted not in self._asked
        key = str(wanted) if usable else otherwise
        answer: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[key] = _Asked(params, answer)
        try:
            yield answer
        finally:
            del self._asked[key]

    def begin(self) -> dict[str, Mapping[str, Any]]:
        """All of the questions as a new round, as soon as one was in none yet; else nothing."""
        # One whose answer has just come is still being put away.
        asked = {key: one for key, one in self._asked.items() if not one.answer.done()}
        if all(one.sent for one in asked.values()):
            return {}
        for one in asked.values():
            one.sent = True
        self._number += 1
        return {key: one.params for key, one in asked.items()}

    def ask_again(self) -> None:
        """Ask whoever waits in a new round: the client has lost its round, or left it out."""
        for one in self._asked.values():
            one.sent = False

    def state(self, call_id: str) -> str:
        """The `requestState` of the newest round."""
        return f"{call_id}{SEPARATOR}{self._number}"

    def has_begun(self, number: str) -> bool:
        """Whether this is the number of a round, as it stands in its state."""
        return number in {str(begun) for begun in range(1, self._number + 1)}

    def answered(self, state: str, responses: Any) -> bool:
        """Hand a round's answers to whoever waits for them; False when nobody does any more."""
        if not self._asked:
            return False
        newest = state.rpartition(SEPARATOR)[2] == str(self._number)
        given = responses if newest and isinstance(responses, Mapping) else {}
        for key, one in self._asked.items():
            answer = given.get(key)
            if not isinstance(answer, Mapping):
                one.sent = False
            elif not one.answer.done():
                one.answer.set_result(answer)
        return True
