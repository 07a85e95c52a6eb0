"""A call's result to be read, as text or as JSON, as private files, and as a command."""

from __future__ import annotations

import base64
import binascii
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from elicit_tui import paths
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Call
from elicit_tui.host.offers import objects
from elicit_tui.text import ascii_json, neutral, neutral_line
from elicit_tui.text.hostile_json import SHOWN_CHARACTERS, bounded_json
from elicit_tui.text.hosts import is_web_address

LINK_CHARACTERS: Final = 4_000
EMPTY: Final = "(an empty result)"
MOST_LINKS: Final = 500
"""Blocks that are looked through for links."""

SUFFIXES: Final[Mapping[str, str]] = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "audio/wav": ".wav",
    "audio/mpeg": ".mp3",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "application/zip": ".zip",
    "application/gzip": ".gz",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/markdown": ".md",
}
"""Suffixes of ours for the kinds we know; any other text is saved as `.txt`, all else as `.bin`."""


@dataclass(frozen=True)
class Binary:
    """A part of a result that is not text."""

    kind: str
    """Its media type, neutral text."""
    data: str
    """Base64, as the server wrote it."""

    @property
    def suffix(self) -> str:
        """With what the name of its file ends; parameters of its kind do not matter."""
        kind = self.kind.partition(";")[0].strip().lower()
        return SUFFIXES.get(kind, ".txt" if kind.startswith("text/") else ".bin")

    @property
    def size(self) -> int:
        """How many bytes it is, if it is what it says."""
        return len(self.data) * 3 // 4 - self.data[-2:].count("=")

    @property
    def is_picture(self) -> bool:
        """Whether it calls itself one."""
        return self.kind.lower().startswith("image/")

    def label(self) -> str:
        """`image/png, 12 kB`."""
        size = self.size
        amount = f"{size:,} bytes" if size < 2_000 else f"{size // 1_000:,} kB"
        return f"{self.kind}, {amount}"

    @property
    def text(self) -> str:
        """What it says, where it calls itself text and is; empty else."""
        if not self.kind.lower().startswith("text/") or self.size > SHOWN_CHARACTERS:
            return ""
        try:
            return base64.b64decode(self.data, validate=True).decode("utf-8")
        except ValueError:
            return ""

    @property
    def content(self) -> bytes:
        """What it holds. Raises ValueError."""
        try:
            return base64.b64decode(self.data, validate=False)
        except binascii.Error as error:
            raise ValueError("It is not valid base64.") from error


def blocks(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The content blocks of a tool's, a prompt's or a resource's result, in order."""
    yield from objects(result.get("content"))
    for message in objects(result.get("messages")):
        content = message.get("content")
        if isinstance(message.get("role"), str):
            yield {"type": "text", "text": f"{message['role']}:"}
        if isinstance(content, Mapping):
            yield content
        yield from objects(content)
    for resource in objects(result.get("contents")):
        yield {"type": "resource", "resource": resource}


def binary_of(block: Mapping[str, Any]) -> Binary | None:
    """The binary part of a block: an image, audio, or a resource's blob."""
    resource = block.get("resource")
    holder, key = (resource, "blob") if isinstance(resource, Mapping) else (block, "data")
    data = holder.get(key)
    if not isinstance(data, str):
        return None
    return Binary(neutral_line(str(holder.get("mimeType") or "application/octet-stream"), 80), data)


def binaries(result: Mapping[str, Any]) -> tuple[Binary, ...]:
    """Every binary part."""
    found = (binary_of(block) for block in blocks(result))
    return tuple(binary for binary in found if binary is not None)


@dataclass(frozen=True)
class Link:
    """What a result points to, as the server names it: untrusted, and not neutral yet."""

    uri: str
    title: str
    about: str
    kind: str
    """Its media type; empty where none is said."""

    @property
    def is_page(self) -> bool:
        """Whether it is an address of the web; else the server that named it reads it."""
        return is_web_address(self.uri)

    @property
    def sign(self) -> str:
        """What marks it wherever it stands: a page, or something of the server's."""
        return "↗" if self.is_page else "▤"

    def line(self) -> str:
        """Its title and where it leads, on one neutral line."""
        uri = neutral_line(self.uri, LINK_CHARACTERS)
        named = f"{neutral_line(self.title, 120)}  {uri}" if self.title else uri
        return f"{self.sign} {named}"


def link_of(block: Mapping[str, Any]) -> Link | None:
    """The link that a block is (`resource_link`; spec: tools, resource links)."""
    uri = block.get("uri")
    if not isinstance(uri, str) or not uri:
        return None
    words = [block.get(key) for key in ("title", "name", "description", "mimeType")]
    title, name, about, kind = (word if isinstance(word, str) else "" for word in words)
    return Link(uri, title or name, about, kind)


def links(result: Mapping[str, Any]) -> tuple[Link, ...]:
    """What a result points to, in order."""
    found = (link_of(block) for block in islice(blocks(result), MOST_LINKS))
    return tuple(link for link in found if link is not None)


def as_text(result: Mapping[str, Any], characters: int = SHOWN_CHARACTERS) -> str:
    """The result for reading: its texts, a word for each binary part, else its JSON."""
    return neutral(whole_text(result), characters)


def whole_text(result: Mapping[str, Any]) -> str:
    """The same as the server wrote it: neither neutral yet nor cut."""
    return "\n".join(texts_of(result)) or EMPTY


def texts_of(result: Mapping[str, Any]) -> Iterator[str]:
    """What each part of a result says, as the server wrote it: not neutral yet."""
    found = None
    for found in blocks(result):
        yield _text_of(found)
    if found is None and isinstance(result.get("structuredContent"), Mapping):
        yield bounded_json(result["structuredContent"])


def _text_of(block: Mapping[str, Any]) -> str:
    if (binary := binary_of(block)) is not None:
        return binary.text or f"[{binary.label()}]"
    for holder in (block, block.get("resource")):
        if isinstance(holder, Mapping) and isinstance(holder.get("text"), str):
            return str(holder["text"])
    link = link_of(block)
    return link.line() if link is not None else bounded_json(block)


# The same call on a command line.

_COMMANDS: Final[Mapping[str, str]] = {
    "tools/call": "call",
    "prompts/get": "prompt",
    "resources/read": "read",
}


def as_command(server: str, call: Call, secrets: Collection[str] = ()) -> str | None:
    """`elicit-tui call SERVER TOOL KEY=VALUE …`, quoted for a shell; None: it cannot be written.

    A server chose the tool's name: one that could be taken for an option, or holds what cannot be
    seen, is not put on a command line. Arguments named in `secrets` are taken from the environment.
    """
    names = (server, call.name)
    if any(not name.isprintable() or name.startswith(("-", "@")) or not name for name in names):
        return None
    if any(name.startswith("-") for name in secrets):
        return None
    plain = {name: value for name, value in call.arguments.items() if name not in secrets}
    words = ["elicit-tui", _COMMANDS[call.method], *names, *_written(plain)]
    hidden = [
        f'{shlex.quote(name)}{"=" if isinstance(call.arguments[name], str) else ":="}"${variable}"'
        for name, variable in variables_of(secrets).items()
    ]
    return " ".join([*map(shlex.quote, words), *hidden])


def variables_of(secrets: Iterable[str]) -> dict[str, str]:
    """The variable of the environment in which each of these arguments is looked for."""
    return {name: _NO_VARIABLE.sub("_", name.upper()) for name in secrets if _is_word(name)}


_NO_VARIABLE: Final = re.compile(r"^(?=[0-9])|[^A-Z0-9_]")


def _is_word(key: str) -> bool:
    """Whether an argument of this name is written as KEY=VALUE."""
    return bool(key) and key.isprintable() and "=" not in key and not key.endswith(":")


def _written(arguments: Mapping[str, Any]) -> list[str]:
    """Arguments as KEY=VALUE and KEY:=JSON; as one object where a key or a text is no such word."""
    pairs = []
    for key, value in arguments.items():
        text = value if isinstance(value, str) else ascii_json(value)
        if not _is_word(key) or not text.isprintable() or key.startswith("-"):
            return ["--arguments", ascii_json(dict(arguments))]
        pairs.append(f"{key}={text}" if isinstance(value, str) else f"{key}:={text}")
    return pairs


def results_directory() -> Path:
    """Where results are saved."""
    return paths.state_directory() / "results"


def at_home(path: Path) -> str:
    """A path as it is shortest: with `~` for the person's home."""
    try:
        return str("~" / path.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(path)


def here_in_words() -> str:
    """The working directory, as it is shortest."""
    here = paths.here()
    return "a folder that is gone" if here is None else at_home(here)


def saved_parts(result: Mapping[str, Any]) -> list[tuple[str, Binary | bytes]]:
    """Each binary part, or the whole text when there is none, with the suffix of its file."""
    parts = binaries(result)
    if parts:
        return [(part.suffix, part) for part in parts]
    return [(".txt", _whole_text(result).encode("utf-8", "backslashreplace"))]


def _whole_text(result: Mapping[str, Any]) -> str:
    texts = [block["text"] for block in blocks(result) if isinstance(block.get("text"), str)]
    return "\n".join(texts) if texts else as_text(result)
