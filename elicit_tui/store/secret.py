"""The secret that seals: from the environment, else from a key file beside the store.

The key file is made once, exclusively, and never again while anything is sealed: a second key
would make what waits unreadable for ever. Both are decided inside one of the store's transactions,
so that six processes that start at once agree.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from elicit_tui.errors import SealError, SecretError
from elicit_tui.paths import create_private, keep_private
from elicit_tui.store.sealing import SECRET_BYTES, Sealer
from elicit_tui.text import neutral_line


class Secrets:
    """What this process can seal and open with."""

    def __init__(self, key_file: Path, given: bytes | None = None) -> None:
        """`given`: the secret of the environment; then there is no key file."""
        self._key_file = key_file
        self._known: dict[str, Sealer] = {}
        self._given = self._learn(given) if given is not None else None

    def sealer(self, sealed_exists: Callable[[], bool]) -> Sealer:
        """The sealer for what is new; to be called while nobody else can write to the store.

        Raises SecretError: the key file is lost, and `sealed_exists`, or it cannot be made.
        """
        if self._given is not None:
            return self._given
        secret = self._from_file()
        if secret is None:
            if sealed_exists():
                raise SecretError(
                    f"The key {self._shown} is gone, and what it sealed still waits; nothing new"
                    " can wait until that has ended."
                )
            secret = self._make()
        return self._learn(secret)

    def with_id(self, key_id: str) -> Sealer:
        """The sealer that sealed something; raises SealError when this process has it not."""
        if key_id not in self._known and self._given is None:
            secret = self._from_file()
            if secret is None:
                raise SealError(f"It is sealed with a key that is gone ({self._shown}).")
            self._learn(secret)
        if key_id not in self._known:
            raise SealError("It is sealed with another secret than this process has.")
        return self._known[key_id]

    @property
    def _shown(self) -> str:
        return neutral_line(str(self._key_file))

    def _learn(self, secret: bytes) -> Sealer:
        sealer = Sealer(secret)
        return self._known.setdefault(sealer.key_id, sealer)

    def _from_file(self) -> bytes | None:
        """The key, or None when there is none; a file cut short by a death counts as none."""
        try:
            if (why := keep_private(self._key_file)) is not None:
                raise SecretError(f"The key {self._shown} {why}.")
            secret = self._key_file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SecretError(f"The key {self._shown} cannot be read: {error.strerror}.") from error
        return secret if len(secret) == SECRET_BYTES else None

    def _make(self) -> bytes:
        secret = secrets.token_bytes(SECRET_BYTES)
        try:
            if self._key_file.exists():  # cut short: whoever made it died before it was used
                self._key_file.unlink()
            with create_private(self._key_file) as file:
                file.write(secret)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise SecretError(f"The key {self._shown} cannot be made: {error.strerror}.") from error
        return secret
