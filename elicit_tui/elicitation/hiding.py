"""Finds literal secrets in the values of a server's table, so that none is copied or shown.

What secrets look like, and which names they have, is known by `shapes`. Here stands where a command
line, a header or an environment keeps one: behind a name, beside a reference, inside a string that
a shell reads. Every pattern begins where a word begins, so that all work is linear.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from elicit_tui.elicitation.shapes import has_password, is_secret_name, known_shape, secrets_in

Put = Callable[[], str]
"""Gives what stands in a secret's place, `${NAME}` or a mask; called once for each secret."""

_REFERENCE: Final = re.compile(r"\$\{[^{}]*\}")
_SCHEME: Final = re.compile(r"(?:bearer|basic|token|bot|apikey|digest)[ \t]+", re.IGNORECASE)
_NAMED_WORD: Final = re.compile(r"(?P<name>-{0,2}[A-Za-z_][\w.-]*)(?P<between>=|[ \t]*:[ \t]*)")
"""The name with which a word begins: `--token=…`, `A=…`, `Header: …`."""
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME: Final = re.compile(
    r"(?<![\w.-])(?P<name>-{0,2}[A-Za-z_][\w.-]*)"
    r"(?:[\"']?[ \t]*[=:][ \t]*|(?P<flag>(?<=\w)[ \t]+(?=[^\s-])))"
)
"""A name anywhere in a text, with what parts it from its value: a sign, or blanks for a flag."""
_VALUE: Final = re.compile(r"\"(?:[^\"\\]|\\.)*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\s\"']+")
"""What stands behind a name: in quotes, closed or not, or up to the next blank or quote."""
_LOGIN: Final = re.compile(r"[^\s:/]+:(?!//)(?!\d+\Z)\S+")
"""`name:password`, and neither an address nor a host with its port."""
_LOGIN_FLAGS: Final = ("-u", "--user", "--proxy-user")
_BEFORE_A_PLACE: Final = frozenset("~.:@}")
"""Stand before a path or a package: `~/…`, `./…`, `volume:/…`, `@scope/…`, `${NAME}/…`."""


def stars() -> str:
    """What stands in a secret's place wherever a configuration is shown.

    Not `MASK`: TOML and JSON go out as ASCII, where its dots would be escapes.
    """
    return "***"


def is_variable(name: str) -> bool:
    """Whether a text is the name of an environment variable, and no secret put in its place."""
    return _VARIABLE.fullmatch(name) is not None and hidden(name, lambda: "") == name


def hidden_under(name: str, text: str, put: Put) -> str:
    """A value under its name (a variable, a header) without the secret that it is or holds."""
    if not is_secret_name(name):
        return hidden(text, put)
    scheme = _SCHEME.match(text)
    start = scheme.end() if scheme else 0
    return text if _refers_only(text[start:]) else text[:start] + put()


def hidden(text: str, put: Put) -> str:
    """A word of a command line, or a string with a whole one, with `put()` for each secret."""
    named = _NAMED_WORD.match(text)
    if named is not None:
        name, value = named["name"], text[named.end() :]
        # With `//` behind it the name is a scheme, as in `token://…`.
        if is_secret_name(name) and value and not value.startswith("//"):
            # Behind `=` a blank ends the value, and `_spans` finds it; a header's may hold blanks.
            if named["between"] != "=" or not re.search(r"\s", value):
                return text[: named.end()] + hidden_under(name, value, put)
        elif named["between"] == "=" and name.startswith("-"):
            return text[: named.end()] + hidden(value, put)
    spans = _merged(_spans(text))
    if not spans:
        return text
    # A single word is hidden as a whole: what stands beside the part that was recognised is of it.
    if not re.search(r"\s", text):
        return put()
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces += (text[position:start], put())
        position = end
    return "".join(pieces) + text[position:]


def hidden_argument(before: str, text: str, put: Put) -> str:
    """One argument, which may be the value of the flag that stands before it."""
    follows_secret = before.startswith("-") and "=" not in before and is_secret_name(before)
    if follows_secret and not text.startswith("-"):
        return text if _refers_only(text) else put()
    if (
        before in _LOGIN_FLAGS
        and _LOGIN.fullmatch(text)
        and not _refers_only(text.partition(":")[2])
    ):
        return put()
    return hidden(text, put)


def hidden_arguments(arguments: Sequence[str], put: Put) -> list[str]:
    """The arguments of a command without the secrets among them."""
    pairs = zip(["", *arguments], arguments, strict=False)
    return [hidden_argument(before, text, put) for before, text in pairs]


def shown_command(command: str, arguments: Sequence[str]) -> str:
    """A command line as it is shown and recorded, with stars for each secret in it."""
    shown = [hidden(command, stars), *hidden_arguments(arguments, stars)]
    return " ".join(word if stars() in word else shlex.quote(word) for word in shown)


def shown_address(url: str) -> str:
    """A URL as it may be shown and recorded: without user information and query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "?"
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "…" if parts.query else "", ""))


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order; of those that overlap one that holds all of them."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            start, end = merged[-1][0], max(end, merged.pop()[1])
        merged.append((start, end))
    return merged


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where literal secrets stand in a text."""
    yield from _named(text)
    for span in secrets_in(text):
        literal = text[span.start : span.end]
        place = span.kind == "high_entropy" and _is_place(text, span.start, literal)
        if place and known_shape(literal) is None:
            continue
        if span.kind == "password_in_url" and not has_password(_REFERENCE.sub("", literal)):
            continue
        if not _refers_only(literal):
            yield span.start, span.end
    if "://" in text and has_password(_REFERENCE.sub("", text)):
        yield 0, len(text)


def _named(text: str) -> Iterator[tuple[int, int]]:
    """The values that stand behind the name of a secret: `A=…`, `Header: …`, `--flag …`."""
    position = 0
    while (match := _NAME.search(text, position)) is not None:
        position = match.end()
        if match["flag"] and not match["name"].startswith("-"):
            position = match.end("name")
        elif is_secret_name(match["name"]):
            scheme = _SCHEME.match(text, position)
            value = _VALUE.match(text, scheme.end() if scheme else position)
            if value is not None:
                position = value.end()
                if not _refers_only(value[0].strip("\"'")):
                    yield _inside_quotes(value[0], *value.span())


def _inside_quotes(value: str, start: int, end: int) -> tuple[int, int]:
    if value[0] in "\"'":
        return start + 1, end - 1 if len(value) > 1 and value[-1] == value[0] else end
    return start, end


def _refers_only(text: str) -> bool:
    """Whether nothing literal that could be a secret stands in a text beside its references."""
    rest = _REFERENCE.sub("", text)
    if rest != text and "://" in text:
        return not has_password(rest)
    return not any(character.isalnum() for character in rest)


def _is_place(text: str, start: int, literal: str) -> bool:
    """Whether what looks random is a path or a package's name."""
    before = text[start - 1] if start else ""
    return "/" in literal and (literal.startswith("/") or before in _BEFORE_A_PLACE)
