"""Reads one TOML file into checked values that know their lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from elicit_tui.config.keys import FileKind
from elicit_tui.config.validating import Diagnostic, KeyPath, path_key, validate
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import Layer, Provenance
from elicit_tui.elicitation.toml_spelling import in_ascii

LARGEST_FILE: Final = 4 * 1024 * 1024
"""Bytes; a configuration beyond it is a mistake."""


@dataclass(frozen=True)
class Document:
    """One layer as it was written. With `problems`, `values` must not be used."""

    layer: Layer
    file: str | None
    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Diagnostic, ...] = ()
    notices: tuple[str, ...] = ()
    exposed: tuple[Diagnostic, ...] = ()
    """How others could have written it; told with each command, and a problem to `config check`."""
    broken: frozenset[KeyPath] = frozenset()
    """Where types are wrong; what stands at, above and below such a path is not looked at."""

    @cached_property
    def _lines(self) -> Mapping[KeyPath, int]:
        from elicit_tui.config.locating import locate

        return locate(self.text)

    def line(self, path: KeyPath) -> int | None:
        """The line of a key, or of the nearest table above it."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[:-1]
        return None

    def provenance(self, path: KeyPath, *, locked: bool) -> Provenance:
        """Where a value of this document stands."""
        return Provenance(self.layer, locked, self.file, self.line(path))

    def problem(self, message: str, path: KeyPath) -> Diagnostic:
        """A problem with a value of this document."""
        return Diagnostic(message, path_key(path), self.file, self.line(path))

    def sound_tables(self, *path: str) -> Iterator[tuple[KeyPath, Mapping[str, Any]]]:
        """The tables of `[path.NAME]` or `[[path]]` whose types are right, with their paths."""
        tables = self.get(*path)
        if isinstance(tables, list):
            items: list[tuple[Any, Any]] = list(enumerate(tables))
        else:
            items = list(tables.items()) if isinstance(tables, Mapping) else []
        for name, table in items:
            here = (*path, name)
            if isinstance(table, Mapping) and not any(
                # A fault above it, below it or in it.
                place[: len(here)] == here or here[: len(place)] == place
                for place in self.broken
            ):
                yield here, table

    def get(self, *path: str) -> Any:
        """The value at a key, or None when it is not set."""
        value: Any = self.values
        for key in path:
            if not isinstance(value, Mapping) or key not in value:
                return None
            value = value[key]
        return value


def parse(raw: bytes, kind: FileKind, layer: Layer, file: str | None) -> Document:
    """Read and check TOML bytes; never raises: what is wrong is in `problems`."""
    import tomli

    if len(raw) > LARGEST_FILE:
        return unreadable(layer, file, f"is larger than {LARGEST_FILE // 2**20} MiB")
    try:
        # A byte order mark, as editors on Windows write it, is no part of the text.
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return unreadable(layer, file, "is not UTF-8 text", line)
    try:
        values = tomli.loads(text)
    # Before ValueError, which it is one of.
    except tomli.TOMLDecodeError as error:
        at = getattr(error, "lineno", None)
        return unreadable(layer, file, f"is not TOML: {in_ascii(str(error))}", at)
    except (ValueError, RecursionError, OverflowError) as error:
        return unreadable(layer, file, f"cannot be read as TOML: {in_ascii(str(error))}")
    document = Document(layer, file, text, values)
    faults = validate(values, kind)
    weighed = [(fault.weight, document.problem(fault.message, fault.path)) for fault in faults]
    return replace(
        document,
        problems=tuple(problem for weight, problem in weighed if weight != "notice"),
        notices=tuple(str(problem) for weight, problem in weighed if weight == "notice"),
        # An unknown key breaks nothing near it.
        broken=frozenset(fault.path for fault in faults if fault.weight == "wrong"),
    )


def read(path: Path, kind: FileKind, layer: Layer) -> Document:
    """Read and check a file; a file that cannot be read is a problem of the document."""
    try:
        with path.open("rb") as stream:
            # One byte more than may be, so that a larger file is seen to be one.
            raw = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return unreadable(layer, str(path), f"cannot be read: {in_ascii(why)}")
    return parse(raw, kind, layer, str(path))


def unreadable(layer: Layer, file: str | None, message: str, line: int | None = None) -> Document:
    """A document of which nothing is known but what is wrong."""
    return Document(layer, file, problems=(Diagnostic(message, None, file, line),))
