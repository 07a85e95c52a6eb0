"""What the palette finds, and in which order: by how what was written stands in a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from textual.app import SystemCommand
from textual.content import Content

from elicit_tui.tui.console.servers import in_words, names_in_words
from elicit_tui.tui.console.wanted_words import has_all, telling_words, wanted_words

FAVOURITE, KEPT, RECENT, TOOL, COMMAND, CAREFUL = range(6)
"""What stands first among those that are found in the same way."""

Run = Callable[[], Any]


class Traits(NamedTuple):
    """How an entry is found; the texts are neutral."""

    called: Sequence[str] = ()
    """Its own names; empty: its title is."""
    place: int = COMMAND
    found_by: Sequence[str] = ()
    """The only words that find it, or their beginnings; empty: any of its title and its help."""
    meant_by: str = ""
    """What else one may call it who looks for it."""
    told: str = ""
    """All that is said of it, of which its help is the beginning."""
    is_grave: bool = False
    """Whether it ends or destroys something: nothing finds it but the beginning of its name."""
    beside: str = ""
    """What stands at the end of its line: its key, or what it is called with."""
    label: str = ""
    """What of its title is a word of ours, before its name: its beginning alone finds it."""
    cannot: bool = False
    """Whether it only tells why it cannot be done now: it is found behind all that can."""
    is_at_once: bool = False
    """Whether it is a tool that is called at once, with no form before."""
    verb: str = "Run"
    """What Enter does, in the bar of keys."""
    is_here: bool = False
    """Whether it has a key on the screen over which the palette lies."""


PLAIN: Final = Traits()


class Entry(SystemCommand):
    """A command of the palette; titles and helps are markup, as the library has it."""

    traits = PLAIN

    @property
    def words(self) -> str:
        """Its title, as it is read."""
        return Content.from_markup(self.title).plain

    @property
    def searched(self) -> str:
        """Its title without our word before its name."""
        return self.words.removeprefix(self.traits.label)

    @property
    def names(self) -> Sequence[str]:
        """What it is called."""
        return self.traits.called or (self.words,)


def entry(
    title: str, help_text: str, run: Run, traits: Traits = PLAIN, *, listed: bool = True
) -> Entry:
    """An entry of plain texts. `listed`: it is there before anything is searched."""
    made = Entry(title.replace("[", "\\["), help_text.replace("[", "\\["), run, listed)
    made.traits = traits
    return made


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """As they are listed before anything is searched: what is at hand, what has a key here, all.

    The latter two by their titles.
    """
    listed = [each for each in entries if each.discover]
    at_hand = [each for each in listed if each.traits.place < TOOL]
    others = [each for each in listed if each.traits.place >= TOOL]
    # What is at hand keeps its own order: of what was used the last is first.
    at_hand.sort(key=lambda each: each.traits.place)
    return [*at_hand, *sorted(others, key=lambda each: (not each.traits.is_here, each.title))]


def found(entries: Iterable[Entry], query: str) -> list[Entry]:
    """Those that are found, the nearest first; what cannot be done now stands last.

    A tool that runs at once stands behind the commands of ours that begin as its name does: its
    server chose that name.
    """
    near = ((_distance(each, query), each) for each in entries)
    hits = [(far, each) for far, each in near if far is not None]
    begun = any(far < BEHIND and each.traits.place >= COMMAND for far, each in hits)

    def order(hit: tuple[int, Entry]) -> tuple[bool, int, int, int]:
        far, traits = hit[0], hit[1].traits
        gives_way = begun and traits.is_at_once and traits.place == TOOL
        within = _within_words(hit[1], far, query)
        return traits.cannot, (max(far, BEHIND) if gives_way else far), within, traits.place

    return [each for _, each in sorted(hits, key=order)]


BEGINS: Final = 1
"""How far away a name is that begins so; one that is all of it is nearer."""
BEHIND: Final = 3
"""The nearest of those whose names and titles do not begin so."""
IN_TITLE, IN_HELP, IN_TOLD, BY_LETTERS = 7, 8, 9, 10
LABEL_LEAST: Final = 3
"""Letters of a word of ours that find what has it before its name."""
SHORT_MOST: Final = 20
"""Letters of a name in short: whoever writes more writes the name."""
WORDS_MOST: Final = 40
"""Words of a name that may be written in short: a server chose it."""
SEARCHED_LETTERS: Final = 400
"""Of such a name."""
BEGUN_LEAST: Final = 3
"""Letters of the beginning of a word that stand for it before another one."""
NO_VOWELS: Final = str.maketrans("", "", "aeiou")


def _distance(each: Entry, query: str) -> int | None:
    """How far it is from what is searched for; None: it is not found."""
    words, traits = wanted_words(query), each.traits
    if traits.found_by:
        return BEGINS if all(_begins_any(word, traits.found_by) for word in words) else None
    first = each.names[0].casefold()
    if traits.is_grave and not any(first.startswith(word) for word in words):
        return None
    near = _in_names(each, query)
    if near is not None:
        return near
    title = each.searched.casefold()
    help_text = Content.from_markup(each.help).plain.casefold()
    shown = f"{title}\n{help_text}\n{traits.meant_by}"
    if has_all(words, title) or _begins_label(query, traits.label):
        return IN_TITLE
    if has_all(words, shown):
        return IN_HELP
    told_by = telling_words(query)
    beside = [word for word in told_by if not _begins_word_of(word, traits.label)]
    if has_all(beside or told_by, f"{shown}\n{traits.told.casefold()}"):
        return IN_TOLD
    if traits.is_grave:
        return None
    short = [_in_short(name, query) for name in each.names]
    return min((BY_LETTERS + far for far in short if far is not None), default=None)


def _within_words(each: Entry, far: int, query: str) -> int:
    """How what was written stands in what is said of it: as words, as their beginnings, within."""
    if far not in (IN_TITLE, IN_HELP, IN_TOLD):
        return 0
    title, help_text, traits = each.words, Content.from_markup(each.help).plain, each.traits
    said = f" {in_words(f'{title} {help_text} {traits.meant_by} {traits.told}')} "
    words = in_words(query).split()
    ends = (" ", "")
    stands = (all(f" {word}{end}" in said for word in words) for end in ends)
    return next((at for at, holds in enumerate(stands) if holds), len(ends))


def _begins_label(query: str, label: str) -> bool:
    written = query.casefold().strip()
    return len(written) >= LABEL_LEAST and label.casefold().startswith(written)


def _begins_word_of(word: str, label: str) -> bool:
    return len(word) >= LABEL_LEAST and _begins_any(word, label.casefold().split())


def _begins_any(word: str, names: Iterable[str]) -> bool:
    return any(name.startswith(word) for name in names)


def _in_names(each: Entry, query: str) -> int | None:
    """How far its names, or its title, are from that; a beginning is nearer than any middle."""
    wanted = in_words(query)
    own, title = names_in_words(each.names), names_in_words((each.searched,))
    named = (*own, *title)
    kinds = (
        any(name == wanted for name in own),
        any(name.startswith(wanted) for name in own),
        any(name.startswith(wanted) for name in title),
        not each.traits.is_grave and any(_has_initials(name, wanted) for name in own),
        any(f" {wanted} " in f" {name} " for name in named),
        any(f" {wanted}" in f" {name}" for name in named),
        any(wanted in name for name in named),
    )
    return next((far for far, holds in enumerate(kinds) if holds and wanted), None)


def _has_initials(name: str, wanted: str) -> bool:
    """Whether these are the first letters of its words, from the first one on: `ce`, `rtf`."""
    return len(wanted) > 1 and "".join(word[0] for word in name.split()).startswith(wanted)


def _in_short(name: str, query: str) -> int | None:
    """How far away a name is that this is in short: `rtf` of `read_text_file`; None: it is not."""
    wanted = in_words(query).replace(" ", "")
    if not 1 < len(wanted) <= SHORT_MOST:
        return None
    # Of a name without humps both are the same.
    names = dict.fromkeys(names_in_words((name[:SEARCHED_LETTERS],)))
    fars = (
        _shortens(words.split()[:WORDS_MOST], wanted)
        for words in names
        if _has_in_order(words, wanted)
    )
    return min((far for far in fars if far is not None), default=None)


def _has_in_order(name: str, wanted: str) -> bool:
    """Whether it has these letters in this order: few names have, and this is soon known."""
    at = -1
    return all((at := name.find(letter, at + 1)) >= 0 for letter in wanted)


def _shortens(words: Sequence[str], wanted: str) -> int | None:
    """Of how few of these words, in their order, that is the parts: twice as many.

    One more without the first of them; then it has two letters of each on average at the least:
    `longop` of `trigger-long-running-operation`, but no letters that are scattered about.
    """
    read = {0: 0}  # How much of it the words so far can have been, and how far that is away.
    for at, word in enumerate(words):
        if at and word[0] not in wanted:
            continue  # Every way to take a word begins with its first letter.
        taken = [
            (end + length, far + 2)
            for end, far in read.items()
            for length in _lengths(word, wanted[end:])
        ]
        read[0] = int(at == 0) or read[0]
        for end, far in taken:
            read[end] = min(far, read.get(end, far))
    away = read.get(len(wanted))
    return None if away is None or (away % 2 and away > len(wanted) + 1) else away


def _lengths(word: str, rest: str) -> Iterator[int]:
    """How much of that can be of this word: its first letter, its consonants (`mv`), or all of it.

    Also three letters of its beginning or more, and at the end any beginning.
    """
    consonants = word[:1] + word[1:].translate(NO_VOWELS)
    if rest.startswith(consonants):
        yield len(consonants)
    for length in range(1, len(rest) + 1):
        if not word.startswith(rest[:length]):
            return
        if length in (1, len(word), len(rest)) or length >= BEGUN_LEAST:
            yield length
