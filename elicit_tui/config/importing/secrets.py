"""Finds literal secrets in another program's values, so that they are named and not copied."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

SECRET_NAME: Final = re.compile(
    r"token|secret|passw|pwd|auth|cred|cookie|api[_-]?key|private|session|bearer"
    r"|(?:^|[_-])(?:key|pat|pass|dsn)(?:$|[_-])|connection[_-]?string|database[_-]?url",
    re.IGNORECASE,
)
_KEY_SHAPE: Final = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|hf|npm|pypi|shpat|AKIA|ASIA|AIza|ya29)"
    r"[-_A-Za-z0-9.]{12,}|-----BEGIN|eyJ[A-Za-z0-9_-]{10,}\.|\b[A-Fa-f0-9]{32,}\b"
)
_LONG_WORD: Final = re.compile(r"[A-Za-z0-9+/=_-]{24,}")


def is_secret(name: str, text: str) -> bool:
    """Whether a literal value under this name must not be copied."""
    if not text or "${" in text:
        return False
    return SECRET_NAME.search(name) is not None or looks_secret(text)


def looks_secret(text: str) -> bool:
    """Whether a text has the shape of a key, holds a password in a URL, or looks random."""
    if "${" in text:
        return False
    return _KEY_SHAPE.search(text) is not None or has_password(text) or _is_random(text)


def has_password(text: str) -> bool:
    """Whether a URL carries a password, or a secret in its query."""
    if "://" not in text:
        return False
    try:
        parts = urlsplit(text)
        if parts.password:
            return True
        names = [pair.partition("=") for pair in parts.query.split("&")]
    except ValueError:
        return "@" in text
    return any(equals and value and SECRET_NAME.search(name) for name, equals, value in names)


def _is_random(text: str) -> bool:
    """A long word that mixes digits, capitals and small letters, as keys do and names do not."""
    return any(
        re.search(r"[0-9]", word) and re.search(r"[A-Z]", word) and re.search(r"[a-z]", word)
        for word in _LONG_WORD.findall(text)
        if "/" not in word
    )
