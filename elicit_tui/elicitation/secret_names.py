"""What is secret by its name, whatever it looks like: variables, headers, flags, parts of a URL."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_SECRET_NAME: Final = re.compile(
    r"token|secret|passw|passphrase|pwd|auth|cred|cookie|api.?key|private|session|bearer"
    r"|(?:^|[_.-])(?:key|pat|pass|dsn)(?:$|[_.-])|key$|connection[_-]?string|database[_-]?url",
    re.IGNORECASE,
)


def is_secret_name(name: str) -> bool:
    """Whether what is called so (a variable, header, flag, parameter) is a secret by its name."""
    return _SECRET_NAME.search(name) is not None


def has_password(url: str) -> bool:
    """Whether a URL carries a password, or a secret in its query."""
    if "://" not in url:
        return False
    try:
        parts = urlsplit(url)
        if parts.password:
            return True
        names = [pair.partition("=") for pair in parts.query.split("&")]
    except ValueError:
        return "@" in url
    return any(equals and value and is_secret_name(name) for name, equals, value in names)
