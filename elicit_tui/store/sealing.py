"""Seals what waits: AES-256-GCM, so that a copy of the file says nothing and no blob can be moved.

The key of a session is HKDF-SHA256(secret, info: version and session). Each blob has a nonce of its
own, and as additional data the place it belongs to, so that one that was put into another row,
session, attempt or field, or an older one that was put back, does not open.

The secret comes from the environment or a file of the owner's, else from a key file beside the
store. That is made once, exclusively, and never again while anything is sealed: a second key would
make what waits unreadable for ever. Both are decided inside one of the store's transactions, so
that six processes that start at once agree.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import secrets
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Final

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import SealError, SecretError
from elicit_tui.paths import create_private, keep_private
from elicit_tui.text import neutral_line

SECRET_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32
# Part of every key and every place: a later way of sealing opens nothing of this one.
_VERSION: Final = b"elicit-tui store 1"


@dataclass(frozen=True)
class BlobPlace:
    """Where a blob belongs."""

    session: str
    question: str
    attempt: int
    field: str
    digest: str
    """Of the request."""

    def additional_data(self) -> bytes:
        """Each part with its length before it, so that no two places read the same."""
        return _prefixed(_VERSION, *(str(part).encode() for part in astuple(self)))


class Sealer:
    """Seals and opens with one secret."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._keys: dict[str, bytes] = {}
        # Derived like a key, for a purpose of its own: from it nothing of the secret can be
        # guessed.
        self.key_id: Final = self._derive(b"key id", b"")[:8].hex()
        """Names the secret beside what it sealed, and tells nothing of it."""

    def seal(self, place: BlobPlace, text: bytes) -> bytes:
        """`text`, readable only at this place and with this secret."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        # Random, and 96 bits: no session has blobs enough to meet one twice.
        nonce = os.urandom(_NONCE_BYTES)
        key = self._session_key(place.session)
        return nonce + AESGCM(key).encrypt(nonce, text, place.additional_data())

    def open(self, place: BlobPlace, blob: bytes) -> bytes:
        """What was sealed at this place; raises SealError when it was not, or was changed since."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        key = self._session_key(place.session)
        try:
            return AESGCM(key).decrypt(
                blob[:_NONCE_BYTES], blob[_NONCE_BYTES:], place.additional_data()
            )
        except (InvalidTag, ValueError) as error:
            raise SealError("What is kept there was changed, or belongs elsewhere.") from error

    def digest(self, session: str, text: bytes) -> str:
        """A name for a text that nobody without the secret can guess the text from."""
        # By session, so that the same request in two sessions has two names.
        key = self._derive(b"digest", session.encode())
        return hmac.new(key, text, hashlib.sha256).hexdigest()

    def _session_key(self, session: str) -> bytes:
        if session not in self._keys:
            self._keys[session] = self._derive(b"session", session.encode())
        return self._keys[session]

    def _derive(self, purpose: bytes, about: bytes) -> bytes:
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        # With the length of each part, so that no purpose runs into the next.
        info = _prefixed(_VERSION, purpose, about)
        return HKDF(SHA256(), _KEY_BYTES, salt=None, info=info).derive(self._secret)


def _prefixed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def fresh_secret() -> str:
    """A secret as an environment variable or a file of the owner's spells it."""
    return base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def secret_from(variable: str, value: str) -> bytes:
    """The secret that an environment variable spells; raises SecretError, never with its value."""
    return _secret_in(value, f"{neutral_line(variable)} (store.secret_env)")


def secret_in_file(path: Path) -> bytes:
    """The secret in a file of the owner's; raises SecretError, never with its value."""
    source = f"{neutral_line(str(path))} (store.secret_file)"
    try:
        if (why := keep_private(path)) is not None:
            raise SecretError(f"The secret in {source} is not used: the file {why}.")
        return _secret_in(path.read_text(encoding="ascii"), source)
    except UnicodeDecodeError as error:
        raise SecretError(f"The secret in {source} is no base64.") from error
    except OSError as error:
        raise SecretError(f"The secret in {source} cannot be read: {error.strerror}.") from error


def _secret_in(text: str, source: str) -> bytes:
    try:
        secret = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SecretError(f"The secret in {source} is no base64.") from error
    if len(secret) < SECRET_BYTES:
        raise SecretError(f"The secret in {source} is shorter than {SECRET_BYTES} bytes.")
    return secret


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
            # The owner's own secret stands above any key file, and none is made.
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
        # Perhaps another process made the key file after this one had looked.
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
                # Before anything is sealed with it: a key that a power cut takes would take all of
                # that along.
                os.fsync(file.fileno())
        except OSError as error:
            raise SecretError(f"The key {self._shown} cannot be made: {error.strerror}.") from error
        return secret
