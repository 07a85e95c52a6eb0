"""What a result points to: the blocks that are links, and the links of its texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from elicit_tui.text import neutral, quoted
from elicit_tui.tui.console.markdown_bounds import is_long_to_parse
from elicit_tui.tui.console.results import MOST_LINKS, Link, blocks, links, texts_of

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord

TEXT_CHARACTERS: Final = 50_000
"""Of texts that are looked through: for more the parser would be waited for."""

_WHOLE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|$")
"""The beginning of an address that is whole, or that leads to a place of the same text."""


_RELATIVE: Final = re.compile(r"\[[^][\n]{1,200}\]\((?!#|[\w+.-]+:)([^() \n]{1,400})\)")
"""A link as Markdown writes it; where none of a text has an address, it is relative."""


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


def why_no_link(result: Mapping[str, Any]) -> str:
    """Why a result has nothing to follow, though its text may show links."""
    texts = list(islice(texts_of(result), MOST_LINKS))
    if sum(map(len, texts)) > TEXT_CHARACTERS and any("://" in text for text in texts):
        return f"Links are looked for in {TEXT_CHARACTERS:,} characters: this text has more."
    if any(map(is_long_to_parse, texts)):
        return "Its links are not looked for: too many brackets or addresses stand in one piece."
    found = next(filter(None, map(_RELATIVE.search, texts)), None)
    if found is None:
        return "This result has no link."
    such = quoted(found[1], 60)
    return f"Its links, such as {such}, are relative: nothing says from which address they lead on."


def _written(result: Mapping[str, Any]) -> Iterator[Link]:
    """The links of its texts, with the address that the drawn text shows for each.

    One without an address of its own, such as one to another file, leads on from the address of
    the resource that it stands in; in any other text it leads nowhere from here.
    """
    found = (block.get("resource", block) for block in blocks(result))
    texts = [
        (block["text"], str(block.get("uri") or ""))
        for block in found
        if isinstance(block, Mapping) and isinstance(block.get("text"), str)
    ]
    if sum(len(text) for text, _ in texts) > TEXT_CHARACTERS:
        return
    for text, base in texts:
        if is_long_to_parse(text):
            continue
        if "://" in text or ("://" in base and "](" in text):
            yield from _in_text(text, base)


def _in_text(text: str, base: str) -> Iterator[Link]:
    from elicit_tui.tui.console.markdown_page import honest_parser

    for block in honest_parser().parse(neutral(text)):
        yield from _in_line(block.children or (), base)


def _from(base: str, address: str) -> str:
    """Where an address leads that is given from another one; as it is where it is whole."""
    scheme, whole, _ = base.partition("://")
    if not whole or _WHOLE.match(address):
        return address
    # The library joins the addresses of the schemes that it knows alone.
    return scheme + urljoin(f"http{base[len(scheme) :]}", address).removeprefix("http")


def _in_line(tokens: Sequence[Any], base: str) -> Iterator[Link]:
    address, words = "", ""
    for token, behind in zip(tokens, (*tokens[1:], None), strict=False):
        if token.type == "link_open":
            address, words = _from(base, str(token.attrs.get("href", ""))), ""
        elif token.type == "link_close":
            # The library takes `notes.md` for a page of Moldova.
            guessed = token.markup == "linkify" and "://" not in words
            # A sign that acts unseen stands in the address: without the rest it leads elsewhere.
            cut = token.markup == "linkify" and behind is not None and behind.content[:1] == "⟨"
            if "://" in address and not guessed and not cut:
                yield Link(address, "" if words == address else words, "", "")
        else:
            words += token.content
