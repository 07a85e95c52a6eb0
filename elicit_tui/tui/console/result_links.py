"""What a result points to: the blocks that are links, and the links of its texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.text import neutral
from elicit_tui.tui.console.results import MOST_LINKS, Link, blocks, links

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord

TEXT_CHARACTERS: Final = 50_000
"""Of texts that are looked through: for more the parser would be waited for."""


def links_of(record: CallRecord) -> Sequence[Link]:
    """What the result of a call points to, each address once; looked for once."""
    if record.result is None:
        return ()
    if record.links is None:
        once: dict[str, Link] = {}
        for link in (*links(record.result), *_written(record.result)):
            once.setdefault(link.uri, link)
        record.links = tuple(once.values())[:MOST_LINKS]
    return record.links


def _written(result: Mapping[str, Any]) -> Iterator[Link]:
    """The links of its texts, with the address that the drawn text shows for each.

    One without an address of its own, such as one to another file, leads nowhere from here.
    """
    found = (block.get("resource", block) for block in blocks(result))
    texts = [block["text"] for block in found if isinstance(block.get("text"), str)]
    text = "\n\n".join(texts)
    if "://" not in text or len(text) > TEXT_CHARACTERS:
        return
    from elicit_tui.tui.console.reader_views import honest_parser

    for block in honest_parser().parse(neutral(text)):
        yield from _in_line(block.children or ())


def _in_line(tokens: Sequence[Any]) -> Iterator[Link]:
    address, words = "", ""
    for token in tokens:
        if token.type == "link_open":
            address, words = str(token.attrs.get("href", "")), ""
        elif token.type == "link_close":
            # The library takes `notes.md` for a page of Moldova.
            guessed = token.markup == "linkify" and "://" not in words
            if "://" in address and not guessed:
                yield Link(address, "" if words == address else words, "", "")
        else:
            words += token.content
