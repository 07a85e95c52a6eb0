"""A server's result for a person: its text, and with `--save DIR` its images, sounds and files.

The text is neutral; files get names of ours.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final

from elicit_tui.errors import UsageError
from elicit_tui.host.offers import objects
from elicit_tui.paths import open_to_others, private_directory, write_private
from elicit_tui.text import ascii_json, neutral, neutral_line


def result_text(result: Mapping[str, Any]) -> str:
    """The result of a tool, a prompt or a resource, block by block."""
    return "\n".join(_lines(result))


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    for message in objects(result.get("messages")):
        yield f"[{neutral_line(str(message.get('role', '?')), 40)}]"
        content = message.get("content")
        yield _block(content if isinstance(content, Mapping) else {})
    blocks = [*objects(result.get("content")), *objects(result.get("contents"))]
    for block in blocks:
        yield _block(block)
    if not blocks and "messages" not in result and result.get("structuredContent") is not None:
        yield ascii_json(result["structuredContent"], indent=2)


def _block(block: Mapping[str, Any]) -> str:
    """One content block or resource: its text, or one line about what it is."""
    text = block.get("text")
    if isinstance(text, str):
        return neutral(text)
    resource = block.get("resource")
    if isinstance(resource, Mapping):
        return _block(resource)
    kind = neutral_line(str(block.get("type", "resource")), 40)
    about = [kind]
    for key in ("name", "uri", "mimeType"):
        if isinstance(block.get(key), str):
            about.append(neutral_line(block[key]))
    data = block.get("data", block.get("blob"))
    if isinstance(data, str):
        about.append(f"{len(data)} characters of base64")
    return f"[{', '.join(about)}]"


ENDINGS: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/ogg": "ogg",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "application/json": "json",
    "text/plain": "txt",
    "text/csv": "csv",
    "text/html": "html",
}
"""The ending of a file by what the server calls it; anything else is `bin`."""


def save_binaries(result: Mapping[str, Any], directory: Path) -> list[str]:
    """Write each binary part of a result (0600, in a 0700 folder); a sentence for each.

    The names are `result-1.png` and so on; a file that is there is never written over. Raises
    UsageError when one cannot be written.
    """
    sentences = []
    numbers = count(1)
    for kind, text in _binaries(result):
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            sentences.append("a part of the result is no base64 and was not saved")
            continue
        ending = ENDINGS.get(kind.partition(";")[0].strip().lower(), "bin")
        try:
            # Else what stands in the way of the folder would look like a file that is there.
            private_directory(directory)
        except OSError as error:
            raise _not_written(directory, error) from None
        while True:
            path = directory / f"result-{next(numbers)}.{ending}"
            try:
                write_private(path, data)
                break
            except FileExistsError:
                continue
            except OSError as error:
                raise _not_written(path, error) from None
        sentences.append(f"saved {path} ({len(data)} bytes)")
    # Only where something was saved the folder is there.
    if directory.is_dir() and sentences and (why := open_to_others(directory)) is not None:
        sentences.append(f"{directory} {why}: others may replace what is saved there")
    return sentences


def _not_written(path: Path, error: OSError) -> UsageError:
    return UsageError(f"--save: {path} cannot be written: {error.strerror}")


def _binaries(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The type and base64 of each part that is no text."""
    blocks = [*objects(result.get("content")), *objects(result.get("contents"))]
    for message in objects(result.get("messages")):
        # In prompts a message has one part; as a list it is no part of the protocol, and read.
        content = message.get("content")
        blocks += [content] if isinstance(content, dict) else objects(content)
    for block in blocks:
        resource = block.get("resource")
        # A part itself, or the resource that it holds.
        for part in (block, resource if isinstance(resource, Mapping) else {}):
            data = part.get("data", part.get("blob"))
            if isinstance(data, str):
                kind = part.get("mimeType")
                yield (kind if isinstance(kind, str) else ""), data
