"""What a server offers, read page by page, and what a call came to: plain values, no SDK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import INVALID_ANSWER, ProtocolCallError, ServerError
from elicit_tui.host.bounds import MOST_ENTRIES
from elicit_tui.policy.tools import needs_confirmation
from elicit_tui.text import as_name, ascii_json, neutral_line

if TYPE_CHECKING:
    from elicit_tui.host.session import Session

MOST_PAGES: Final = 200
MOST_CHARACTERS: Final = 64 * 1024 * 1024
"""Of all pages together, as JSON; one page alone is bounded by the size of a message."""
MOST_NAMED: Final = 5
"""Tools that a sentence about a list names."""


def _text(raw: Mapping[str, Any], key: str) -> str | None:
    value = raw.get(key)
    return value if isinstance(value, str) else None


def _described(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What every entry says of itself beside its name, and the entry as it came."""
    return {"title": _text(raw, "title"), "description": _text(raw, "description"), "raw": raw}


def _mapping(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list that a server sent; none in what is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


@dataclass(frozen=True)
class Tool:
    """One entry of tools/list (spec: server/tools). Every text is the server's: hostile."""

    name: str
    title: str | None = None
    description: str | None = None
    annotations: Mapping[str, Any] | None = None
    """The tool's own hints; None when it gave none."""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The entry exactly as the server wrote it."""

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Tool | None:
        """The entry as a value; None when it has no name, so that nobody could call it."""
        name = _text(raw, "name")
        if name is None:
            return None
        return cls(
            name=name,
            # Older servers have the title among the annotations (2025-03-26).
            title=_text(raw, "title") or _text(_mapping(raw, "annotations"), "title"),
            description=_text(raw, "description"),
            annotations=_mapping(raw, "annotations") if "annotations" in raw else None,
            input_schema=_mapping(raw, "inputSchema"),
            raw=raw,
        )

    @cached_property
    def secrets(self) -> frozenset[str]:
        """The arguments that its schema calls secrets, at any depth; looked for once."""
        from elicit_tui.form.shape import secret_names  # Loaded by the first call alone.

        return secret_names(self.input_schema)

    def result_problem(self, result: Mapping[str, Any]) -> str | None:
        """Why a result is not what its outputSchema says, as a sentence; None when it is.

        A result that says isError need not be (spec: server/tools, "Output Schema").
        """
        schema = self.raw.get("outputSchema")
        if schema is None or result.get("isError") is True:
            return None
        from elicit_tui.host.output_schema import output_problem

        return output_problem(result, schema)


class PromptArgument(NamedTuple):
    """One argument of a prompt; its value is always a string."""

    name: str
    description: str | None = None
    required: bool = False
    title: str | None = None


@dataclass(frozen=True)
class Prompt:
    """One entry of prompts/list (spec: server/prompts)."""

    name: str
    title: str | None = None
    description: str | None = None
    arguments: tuple[PromptArgument, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Prompt | None:
        """The entry as a value; None when it has no name."""
        name = _text(raw, "name")
        if name is None:
            return None
        arguments = tuple(
            PromptArgument(
                name=str(argument["name"]),
                description=_text(argument, "description"),
                required=argument.get("required") is True,
                title=_text(argument, "title"),
            )
            for argument in objects(raw.get("arguments"))
            if isinstance(argument.get("name"), str)
        )
        return cls(name, arguments=arguments, **_described(raw))

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """The arguments as a schema, so that one form serves tools and prompts."""
        return {
            "type": "object",
            "properties": {
                argument.name: {
                    "type": "string",
                    **({"title": argument.title} if argument.title else {}),
                    **({"description": argument.description} if argument.description else {}),
                }
                for argument in self.arguments
            },
            "required": [argument.name for argument in self.arguments if argument.required],
        }


@dataclass(frozen=True)
class Resource:
    """One entry of resources/list (spec: server/resources)."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Resource | None:
        """The entry as a value; None when it has no URI."""
        uri = _text(raw, "uri")
        if uri is None:
            return None
        return cls(
            uri=uri,
            name=_text(raw, "name") or uri,
            mime_type=_text(raw, "mimeType"),
            **_described(raw),
        )


@dataclass(frozen=True)
class ResourceTemplate:
    """One entry of resources/templates/list (spec: server/resources, "Resource Templates")."""

    uri_template: str
    name: str
    title: str | None = None
    description: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> ResourceTemplate | None:
        """The entry as a value; None when it has no template."""
        template = _text(raw, "uriTemplate")
        if template is None:
            return None
        return cls(
            uri_template=template,
            name=_text(raw, "name") or template,
            **_described(raw),
        )


class CallResult(NamedTuple):
    """How one call of the owner ended well: the server's result, exactly as it came.

    A JSON-RPC error of the server is raised as `ProtocolCallError` instead.
    """

    result: dict[str, Any]
    rounds: int = 0
    """How many rounds of questions there were; 0 when the server answered at once."""
    protocol_version: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether the tool itself says that it failed (spec: server/tools, "isError")."""
        return self.result.get("isError") is True


class Listed(NamedTuple):
    """What a server listed, as it came; what is no object is left out."""

    entries: list[dict[str, Any]]
    left_out: str | None = None
    """Why the list is not whole, in a sentence; None when it is."""


async def all_pages(session: Session, kind: str) -> Listed:
    """The entries of tools, prompts, resources or templates (spec: server/utilities/pagination).

    As many as a person could ever look at, and of tools one of each name.
    """
    listed = await _pages(session, kind)
    return _once_each(listed) if kind == "tools" else listed


def _once_each(listed: Listed) -> Listed:
    """One entry of each name: the one that is asked about where the other would not be."""
    entries: dict[Any, dict[str, Any]] = {}
    doubled: dict[str, None] = {}
    for entry in listed.entries:
        name = entry.get("name")
        # Against the entry that counts so far, so that of several the most cautious one stays.
        known = entries.setdefault(name, entry)
        if known is not entry:
            doubled[str(name)] = None
            if _caution(entry) > _caution(known):
                entries[name] = entry
    if not doubled:
        return listed
    names = ", ".join(as_name(name, 40) for name in list(doubled)[:MOST_NAMED])
    more = f" and {len(doubled) - MOST_NAMED:,} more" if len(doubled) > MOST_NAMED else ""
    sentence = f"It lists {names}{more} more than once; the entry that wants more caution counts."
    return Listed(list(entries.values()), " ".join(filter(None, (sentence, listed.left_out))))


def _caution(entry: Mapping[str, Any]) -> int:
    """In how many approval modes this tool would not be called without a confirmation."""
    return sum(needs_confirmation(mode, entry) is not None for mode in ("auto", "writes"))


async def _pages(session: Session, kind: str) -> Listed:
    entries: list[dict[str, Any]] = []
    cursor: str | None = None
    seen: set[str] = set()
    characters = 0
    for number in range(1, MOST_PAGES + 1):
        try:
            listed, valid, cursor = await _page(session, kind, cursor)
        except (ProtocolCallError, ServerError) as error:
            if number == 1:
                raise
            # What was read so far is not hidden by what could not be read.
            return Listed(entries, _broken_off(kind, len(entries), error))
        entries.extend(
            entry for entry in objects(listed) if valid is None or entry.get("name") in valid
        )
        # Of one page the SDK has looked at no more than that either (`bounds.sample`).
        if max(len(entries), len(listed)) > MOST_ENTRIES:
            entries = entries[:MOST_ENTRIES]
            return Listed(entries, _left_out(kind, len(entries)))
        if not isinstance(cursor, str):
            return Listed(entries)
        if cursor in seen:
            return Listed(entries, f"Its list of {kind} led back to a page that was read already.")
        seen.add(cursor)
        # The cursor is the server's too, and may be as long as a message.
        characters += len(cursor) + len(ascii_json(listed))
        if characters > MOST_CHARACTERS or number == MOST_PAGES:
            break
    return Listed(entries, _left_out(kind, len(entries)))


def _broken_off(kind: str, count: int, error: Exception) -> str:
    reason = neutral_line(str(error), 200).rstrip(".")
    return f"Its list of {kind} broke off after {count:,}: {reason}."


async def _page(
    session: Session, kind: str, cursor: str | None
) -> tuple[list[Any], set[str] | None, Any]:
    """The entries of one page, the names that the SDK kept of it (tools only), the next cursor."""
    page, kept = await session.page(kind, cursor)
    listed = page.get("resourceTemplates" if kind == "templates" else kind)
    if not isinstance(listed, list):
        raise ServerError(f"The server's list of {kind} is no list.", code=INVALID_ANSWER)
    return listed, kept, page.get("nextCursor")


def _left_out(kind: str, count: int) -> str:
    return f"It lists {kind} without an end in sight; what follows the first {count:,} is left out."
