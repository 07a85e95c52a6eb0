"""Seals what waits: AES-256-GCM, so that a copy of the file says nothing and no blob can be moved.

The key of a session is HKDF-SHA256(secret, info: version and session). Each blob has a nonce of its
own, and as additional data the place it belongs to, so that one that was put into another row,
session, attempt or field, or an older one that was put back, does not open.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from dataclasses import astuple, dataclass
from typing import Final

from elicit_tui.errors import SealError, SecretError
from elicit_tui.text import neutral_line

SECRET_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32
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
        self.key_id: Final = self._derive(b"key id", b"")[:8].hex()
        """Names the secret beside what it sealed, and tells nothing of it."""

    def seal(self, place: BlobPlace, text: bytes) -> bytes:
        """`text`, readable only at this place and with this secret."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

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
        key = self._derive(b"digest", session.encode())
        return hmac.new(key, text, hashlib.sha256).hexdigest()

    def _session_key(self, session: str) -> bytes:
        if session not in self._keys:
            self._keys[session] = self._derive(b"session", session.encode())
        return self._keys[session]

    def _derive(self, purpose: bytes, about: bytes) -> bytes:
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        info = _prefixed(_VERSION, purpose, about)
        return HKDF(SHA256(), _KEY_BYTES, salt=None, info=info).derive(self._secret)


def _prefixed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def secret_from(variable: str, value: str) -> bytes:
    """The secret that an environment variable spells; raises SecretError, never with its value."""
    name = neutral_line(variable)
    try:
        secret = base64.b64decode(value.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SecretError(f"The secret in {name} (store.secret_env) is no base64.") from error
    if len(secret) < SECRET_BYTES:
        raise SecretError(
            f"The secret in {name} (store.secret_env) is shorter than {SECRET_BYTES} bytes."
        )
    return secret
