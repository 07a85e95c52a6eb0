"""The rounds of one call that its agent's client answers: `inputRequests` and back (modern era).

A round's state names the call and the round, so that an answer to an earlier round is known for
one. The keys are the server's own where an agent can use them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import new_id

KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
SEPARATOR: Final = "-"


@dataclass(eq=False)
class _Asked:
    params: Mapping[str, Any]
    answer: asyncio.Future[Mapping[str, Any]]
    # Whether it went out in a round; without it, it goes out with the next one.
    sent: bool = False


def input_requests(outstanding: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The `inputRequests` of questions, given by key as the params of each."""
    return {
        key: {"method": "elicitation/create", "params": params}
        for key, params in outstanding.items()
    }


class Rounds:
    """The questions of one held call that wait for its agent's client."""

    def __init__(self) -> None:
        self._asked: dict[str, _Asked] = {}
        """By their keys in `inputRequests`."""
        self._number = 0
        self._keys: set[str] = set()
        """Every key that there was."""

    @property
    def open(self) -> bool:
        """Whether a question waits for the client."""
        return bool(self._asked)

    @contextmanager
    def asking(
        self, identifier: str | int | None, params: Mapping[str, Any], *, once: bool = False
    ) -> Iterator[asyncio.Future[Mapping[str, Any]]]:
        """Let a question wait for the client; what the client answers.

        Its key is `identifier`; or one of ours where that is no plain word, or the key of another
        one that waits. `once`: or of one that ever did, as a task wants it (spec: SEP-2663, "Task
        Update Requests").
        """
        taken = self._keys if once else self._asked
        usable = (
            isinstance(identifier, str) and KEY.fullmatch(identifier) and identifier not in taken
        )
        key = str(identifier) if usable else new_id()
        self._keys.add(key)
        answer: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[key] = _Asked(params, answer)
        try:
            yield answer
        finally:
            del self._asked[key]

    def begin(self) -> dict[str, Mapping[str, Any]]:
        """All of the questions as a new round, as soon as one was in none yet; else nothing."""
        # One whose answer has just come is still being put away.
        outstanding = self.outstanding()
        if all(self._asked[key].sent for key in outstanding):
            return {}
        for key in outstanding:
            self._asked[key].sent = True
        self._number += 1
        return outstanding

    def outstanding(self) -> dict[str, Mapping[str, Any]]:
        """All questions that the client has not answered, by key."""
        return {key: asked.params for key, asked in self._asked.items() if not asked.answer.done()}

    def take(self, responses: Mapping[str, Any]) -> None:
        """Hand a client's answers to a task over; what nobody waits for is ignored."""
        for key, response in responses.items():
            asked = self._asked.get(key)
            if asked is not None and not asked.answer.done():
                asked.answer.set_result(response)

    def ask_again(self) -> None:
        """Ask whoever waits in a new round: the client has lost its round, or left it out."""
        for asked in self._asked.values():
            asked.sent = False

    def state(self, call_id: str) -> str:
        """The `requestState` of the newest round."""
        return f"{call_id}{SEPARATOR}{self._number}"

    def has_begun(self, number: str) -> bool:
        """Whether this is the number of a round, as it stands in its state."""
        # `01` names no round, and no figure is made of what is longer than the newest one's.
        plain = re.fullmatch("[1-9][0-9]*", number) and len(number) <= len(str(self._number))
        return bool(plain) and int(number) <= self._number

    def answered(self, state: str, responses: Any) -> bool:
        """Hand a round's answers to whoever waits for them; False when nobody does any more."""
        if not self._asked:
            return False
        # An answer to an earlier round may be to another question under the same key. It counts as
        # no answer, and all is asked again.
        newest = state.rpartition(SEPARATOR)[2] == str(self._number)
        given = responses if newest and isinstance(responses, Mapping) else {}
        for key, asked in self._asked.items():
            answer = given.get(key)
            # Left out by the client, or given as something else: it is asked again in the next
            # round, never taken for a refusal.
            if not isinstance(answer, Mapping):
                asked.sent = False
            elif not asked.answer.done():
                asked.answer.set_result(answer)
        return True
