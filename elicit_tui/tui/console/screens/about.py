"""Texts about the console, and about one server or what it offers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.text import neutral_line
from elicit_tui.text.hostile_json import bounded_json
from elicit_tui.tui.console.action_words import sentence
from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.dialog import TextDialog
from elicit_tui.tui.console.screens.searched_text import SearchedText
from elicit_tui.tui.console.server_words import offer_words, server_words
from elicit_tui.tui.console.spans import (
    Line,
    apart,
    joined,
    key_lines,
    padded,
    text_lines,
    text_of,
    wrapped,
)
from elicit_tui.tui.console.views import LineView
from elicit_tui.tui.console.wanted_words import has_all, wanted_words
from elicit_tui.tui.names_on_screen import key_name

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.servers import Offer, ServerRecord


# All about a server, and about one thing that it offers: whole, where the panes have to cut it.


class AboutScreen(SearchedText):
    """To be read only."""

    def __init__(
        self,
        record: ServerRecord,
        offer: Offer | None = None,
        sent: Mapping[str, Any] | None = None,
    ) -> None:
        """`offer`: what stands first; without one it is about the server alone.

        `sent`: the params that would be sent if it were called just now.
        """
        super().__init__(f"About {offer.shown if offer else neutral_line(record.name, 60)}")
        self._record = record
        self._offer = offer
        self._sent = sent

    def lines(self, width: int) -> list[Line]:
        """What would be sent and the offer first, then its server."""
        groups = [server_words(self._record, width)]
        if self._offer is not None:
            groups[:0] = [offer_words(self._offer, width), self._before_a_call(width)]
        if self._offer is not None and self._sent is not None:
            title = f"what would be sent · {self._offer.method}"
            params = text_lines(bounded_json(dict(self._sent)), width)
            groups.insert(0, [((title, "accent"),), *params])
        return joined(groups)

    def _before_a_call(self, width: int) -> list[Line]:
        """Whether one is asked before this tool is called, by which setting; what changes that."""
        from elicit_tui.policy.tools import judge_call

        offer, server = self._offer, self._record.settings
        if offer is None or offer.kind != "tool":
            return []
        head: Line = (("before a call", "accent"),)
        if why_not := self._record.not_callable(offer):
            return [head, *text_lines(why_not, width, "warn")]
        held = self.app.runtime.broker.allowances if self.app.runtime is not None else ()
        allowed = any((each.server, each.tool) == (server.name, offer.name) for each in held)
        decision = judge_call(
            self.app.state.settings, server, offer.name, offer.raw, allowed=allowed, nobody=None
        )
        edits = self.app.key_of("servers.edit")
        asked = f"{edits} under Servers sets it for all its tools."
        why, how, key = decision.sentence.partition(" Change it with ")
        said = f"{why} {asked}" if server.layer == "user" else why
        ways = filter(None, (f"{how}{key}".strip(), decision.change))
        keys = "\n".join(neutral_line(each, 1_000) for each in ways).replace(
            "”: ", "”:\n  "
        )  # A setting on its own line.
        return [
            head,
            *key_lines(neutral_line(said, 2_000), width, [edits]),
            *(text_lines(keys, width, "dim") if keys else []),
        ]


# What the console is, what the signs mean, and every key, remapped ones as they are.

TITLES = {
    "console": "everywhere",
    "pane": "the panes",
    "servers": "servers",
    "server": "a server to be written",
    "import": "servers of other programs",
    "removal": "a server to be removed",
    "offers": "tools, prompts, resources",
    "questions": "questions",
    "calls": "calls",
    "result": "a result on the whole screen",
    "tree": "a result as JSON",
    "table": "a result as a table",
    "row": "a row of a table",
    "picture": "a result's pictures",
    "link": "a link of a result",
    "keep": "a call to be kept",
    "kept": "the calls kept in files",
    "rename": "renaming a call kept in a file",
    "unkeep": "removing a call kept in a file",
    "save": "a result to be saved",
    "over": "writing over a file",
    "note": "a note at a call",
    "activity": "activity",
    "history": "history",
    "record": "a record of the history",
    "question": "inside a question",
    "field": "in a field",
    "arguments": "the arguments of a call",
    "long_text": "a text at length",
    "allowances": "allowed tools",
    "mute": "muting a server",
    "restart": "restarting a server",
    "stop": "stopping a server",
    "start": "starting a server for a call",
    "again": "a call once more",
    "forget": "a call to be removed",
    "decline_all": "declining all questions of a server",
    "unsent": "an answer that was not sent",
    "leave": "leaving",
    "help": "this help",
    "text": "a text that is read",
    "dialog": "dialogs",
    "rows": "lists",
    "lines": "texts",
}

FAMILIES = {
    "server.choose": "import",
    "server.import": "import",
    "server.remove_it": "removal",
    "server.keep": "removal",
    "kept.rename_it": "rename",
    "kept.sure": "unkeep",
    "kept.stay": "unkeep",
}
"""Of keys whose names begin as those of another dialog."""


def family_of(action_id: str) -> str:
    """Where the key of an action works: a key of TITLES, where it has one."""
    return FAMILIES.get(action_id, action_id.partition(".")[0])


GENERAL = frozenset("console pane dialog rows lines".split())
"""Families of keys that are not of one place."""

AT_THE_PANES = ", once you are back at them"
"""Of keys that do nothing where something lies over the panes."""

PANES_OF = {
    "servers": "servers",
    "offers": "servers",
    "arguments": "servers",
    "calls": "calls",
    "result": "calls",
    "tree": "calls",
    "table": "calls",
    "row": "calls",
    "activity": "activity",
    "history": "history",
    "record": "history",
}
"""Where keys work that work in one pane alone."""

WORDS = (
    "Servers that you use can ask you something in the middle of a call: a form to fill in, or a "
    "page to open. Their questions come up here. You can send an answer, decline (say no), or "
    "cancel (neither yes nor no); the server is told which it was and that it was you.",
    "A question opens by itself only while no other is open and you are not typing. Otherwise it "
    "waits under Questions, the bar above says so, and its time runs once you can answer it.",
    "One that you put off comes back only when you choose it, and so do those that wait just then: "
    "in the list, or with the key that opens the next question, which goes through all of them.",
    "Before a question reaches you, the guardian weighs it by its rules. What asks for a "
    "secret is declined for you and kept under Questions, “Stopped before you saw it”, with the "
    "reason; what it declines in a gateway stands in the history.",
)

PALETTE = "Every action by its name (command palette)"
MOVING = (
    ("↑ ↓ j k", "A row up or down; Tab goes to the next part"),
    ("PgUp PgDn", "A page up or down, as ^B ^F; g G: first, last row"),
    ("^U ^D", "Half a page up or down in a text or a result; ^Y ^E: a line"),
)
"""Of lists and texts alike, before all that has a name."""
RUNS = "Finds one of these by its name, and runs it"
QUITS = "Go back; at the panes leave, once you are sure. In a field it is a letter"

SIGNS = (
    ("● ready or done", "◌ starting or not yet"),
    ("◐ running", "◆ a question that waits"),
    ("✓ sent, or can be", "↺ filled in for you"),
    ("✗ failed or declined", "○ ended or cancelled"),
    ("▲ look twice", "■ do not answer"),
    ("→ asked of a server", "↗ a link to a page"),
    ("⚒ tool  ★ favourite", "❝ prompt  ▤ resource  ▥ template"),
    ("▸ folded  ▾ unfolded", "↑ ↓ the order of a table"),
    ("⊘ a server not allowed", "· a note"),
)


def _signs(width: int) -> list[Line]:
    """Two beside each other, where there is room for both whole."""
    column = max(14, width // 2)
    if any(cell_len(sign) > column - 1 for pair in SIGNS for sign in pair):
        return [((sign, "plain"),) for pair in SIGNS for sign in pair]
    return [((padded(left, column), "plain"), (right, "plain")) for left, right in SIGNS]


Group: TypeAlias = list[list[Line]]
"""Its title and its entries, of one or more lines each; or a text alone, as one entry."""


def _words_of(entry: list[Line]) -> str:
    """What it says, whatever the lines that it stands in."""
    return " ".join(" ".join(map(text_of, entry)).split()).casefold()


NAMES_LEAST: Final = 56
"""Cells; with fewer the name that a key has in the configuration would cost a row of its own."""


def _key_lines(key: str, does: str, name: str, width: int) -> list[Line]:
    """A key and what it does; its name at the end of the line, or below it."""
    column = 14 if width >= NAMES_LEAST else 8
    first, *others = list(wrapped(does, max(8, width - column))) or [""]
    head: Line = ((padded(f"  {key}", column), "accent"), (first, "plain"))
    lines = [head, *(((" " * column + part, "plain"),) for part in others)]
    if not name:
        return lines
    room = width - cell_len(text_of(lines[-1])) - len(name) - 1
    if room < 1:
        return [*lines, ((f"{' ' * column}{name}", "dim"),)]
    return [*lines[:-1], (*lines[-1], (" " * room, "plain"), (name, "dim"))]


class HelpScreen(TextDialog):
    """One text to scroll through, narrowed to what is searched for."""

    app: Controller

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end_search", "End search", key_display="Esc"),
        Binding("escape", "leave", "Back", id="dialog.back"),
        Binding("slash", "search", "Search", key_display="/", id="help.search"),
    ]

    def __init__(self, here: Collection[str] = ()) -> None:
        """`here`: the families of the keys that work where help was asked for; they come first."""
        super().__init__("Help")
        families = frozenset(here)
        self._here = families - GENERAL
        self._panes_are_covered = "pane" not in families

    def body(self) -> ComposeResult:
        """The search, which comes with its key, and the text."""
        search = SearchLine("search", verb="To the text", id="help-search")
        search.display = False
        yield search
        yield from super().body()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Who looks for something needs no key that leads there; nothing else is ended."""
        if action == "search":
            return not self.query_one(SearchLine).has_focus
        if action == "end_search":
            return bool(self.query_one(SearchLine).value)
        return super().check_action(action, parameters)

    def action_end_search(self) -> None:
        """Nothing is looked for any more: all of it is there again."""
        self.query_one(SearchLine).value = ""
        self._to_the_text()

    def action_search(self) -> None:
        """Look for a key, its name or any other word."""
        self.room_taken = 1
        self.query_one(SearchLine).display = True
        self.query_one(SearchLine).focus()
        self.on_resize()

    @on(SearchLine.Changed, "#help-search")
    def _narrow(self) -> None:
        self.query_one(LineView).show(self.lines)

    @on(SearchLine.Submitted, "#help-search")
    @on(SearchLine.Left, "#help-search")
    def _to_the_text(self) -> None:
        search = self.query_one(SearchLine)
        if not search.value:
            self.room_taken = 0
            search.display = False
            self.on_resize()
        self.query_one(LineView).focus()
        self.refresh_bindings()

    def worded(self, action: str) -> str | None:
        """The key that led here goes back, as the one that is named does."""
        return "" if action == "help" else None

    def action_help(self) -> None:
        """The same key goes back."""
        self.dismiss(None)

    def lines(self, width: int) -> list[Line]:
        """Its keys as they are now, its signs, then what the console is."""
        groups = self._keys(width)
        groups.insert(1, self._moving(width))
        groups.append([_signs(width)])
        groups += [[text_lines(words, width)] for words in WORDS]
        file = self.app.config_path or "your configuration"
        words = (
            f"Every action is also in the command palette ({self._palette}). Keys are changed in "
            f"{file} under [console.keys], by the names "
            f"{'in grey' if width >= NAMES_LEAST else 'that a wider window shows here'}: "
            '"question.send" = "f10".'
        )
        groups.append([text_lines(words, width, "dim")])
        found = ([line for entry in group for line in entry] for group in self._found(groups))
        return joined(found) or [(("Nothing matches.", "dim"),)]

    def _moving(self, width: int) -> Group:
        """What stands behind the keys of where one is."""
        keys = [_key_lines(key, does, "", width) for key, does in MOVING]
        runs = _key_lines(self._palette, RUNS, "", width)
        return [[(("moving", "strong"),)], *keys, runs]

    @property
    def _palette(self) -> str:
        return key_name(self.app.COMMAND_PALETTE_BINDING)

    def _found(self, groups: Iterable[Group]) -> Iterator[Group]:
        """The groups, or what of them holds the word that is looked for, entry by entry.

        Of what has no title, a paragraph or the signs, all is shown or nothing.
        """
        words = wanted_words(self.query_one(SearchLine).value)
        for head, *entries in groups:
            held = [entry for entry in entries if has_all(words, _words_of(entry))]
            if has_all(words, _words_of(head)):
                yield [head, *entries]
            elif held:
                yield [head, *held]

    def _keys(self, width: int) -> list[Group]:
        groups: dict[str, Group] = {}
        firsts: dict[tuple[str, str], int] = {}
        # What a screen has on a key goes before what the field has there.
        named_here = [name for name in self.app.known_keys if family_of(name) == "arguments"]
        taken = set(map(self.app.key_of, named_here)) if "arguments" in self._here else set()
        for name, binding in self.app.known_keys.items():
            family = family_of(name)
            pane = name.partition(".")[2] if family == "pane" else PANES_OF.get(family)
            if family not in TITLES or not binding.description:
                continue
            if pane is not None and not self.app.has_pane(pane):
                continue
            covered = self._panes_are_covered and family == "pane"
            head: Line = ((TITLES[family] + AT_THE_PANES * covered, "strong"),)
            entries = groups.setdefault(family, [[head]])
            key = self.app.key_of(name)
            if family == "field" and key in taken:
                continue
            if name == "console.help" and name not in self.app.own_keys:
                key = f"{key}, ?"
            named = self._names_keys(width)
            first, does = firsts.setdefault((family, key), len(entries)), sentence(binding)
            if first < len(entries):
                does = f"Else {does[0].lower()}{does[1:]}"
                entries[first] += _key_lines("", does, name if named else "", width)
            else:
                entries.append(_key_lines(key, does, name if named else "", width))
        groups["console"] += [
            _key_lines(key, does, "", width)
            for key, does in ((f"{self._palette}, :", PALETTE), ("q", QUITS))
        ]
        order = sorted(groups, key=lambda family: family not in self._here)
        if self._panes_are_covered:
            order.sort(key=lambda family: family == "pane")
        if self._names_keys(width) and width >= NAMES_LEAST:
            titles = groups[order[0]][0]
            titles[0] = apart(titles[0], (("as the configuration calls it ", "dim"),), width)
        return [groups[family] for family in order]

    def _names_keys(self, width: int) -> bool:
        """Whether it says by which name a key is changed; somebody may look for one."""
        return width >= NAMES_LEAST or bool(self.query_one(SearchLine).value)
