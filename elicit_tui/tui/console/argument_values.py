"""Values for the field that one types in: the server's own (completion/complete), and earlier ones.

The protocol completes the arguments of prompts and resource templates. For a tool there are the
examples of its schema and what was sent before for the same argument, or for one of the same name
of another tool of its server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from elicit_tui.errors import ElicitTuiError
from elicit_tui.form.shape import secret_names
from elicit_tui.host.uri_templates import values_in
from elicit_tui.text import neutral_line
from elicit_tui.tui.console.wanted_words import has_all, wanted_words
from elicit_tui.tui.names_on_screen import key_of
from elicit_tui.tui.secret_arguments import is_secret
from elicit_tui.tui.widgets.control import CLEAR

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.servers import Offer, ServerRecord
    from elicit_tui.tui.console.state import ConsoleState

MOST_VALUES: Final = 100
"""As many as a server may send (spec: server/utilities/completion)."""
LONGEST: Final = 300
PATIENCE_SECONDS: Final = 5.0
"""A value that comes later is no help."""
KEPT_ANSWERS: Final = 200


class Completion:
    """Values for the arguments of one call, while its form is open."""

    def __init__(self, state: ConsoleState, record: ServerRecord, offer: Offer) -> None:
        self._state = state
        self._record = record
        self._offer = offer
        self._secret = secret_names(offer.schema)
        self._answers: dict[tuple[str, str, tuple[tuple[str, str], ...]], tuple[str, ...]] = {}
        self._helps = True
        """Whether the server has not failed at it."""

    async def values(self, name: str, typed: str, others: Mapping[str, str]) -> Sequence[str]:
        """Values for an argument that begins so; `others`: what stands in the other fields."""
        completed = await self._completed(name, typed, others)
        words = wanted_words(typed)
        known = (value for value in self.known(name) if has_all(words, value.casefold()))
        told = self._told_before(name, typed.casefold(), others)
        return list(dict.fromkeys([*completed, *told, *known]))[:MOST_VALUES]

    def _told_before(self, name: str, wanted: str, others: Mapping[str, str]) -> Iterator[str]:
        """What the server had for less of it: it may know no small letter from a capital."""
        around = tuple(sorted(others.items()))
        for (asked, typed, beside), values in self._answers.items():
            if (asked, beside) == (name, around) and wanted.startswith(typed.casefold()):
                yield from (value for value in values if value.casefold().startswith(wanted))

    def known(self, name: str) -> Iterator[str]:
        """What needs no server: what was sent for it before, and the examples of its schema.

        A secret stands in no list of values.
        """
        offer = self._offer
        if is_secret(name, self._secret):
            return
        made = sorted(self._made(name), key=self._is_of_another)
        failed = [record for record in made if _failed(record)]
        sent = [record for record in made if not _failed(record)]
        yield from self._sent_in((it for it in sent if not self._is_of_another(it)), name)
        properties = offer.schema.get("properties")
        schema = properties.get(name) if isinstance(properties, Mapping) else None
        for part in (schema, schema.get("items") if isinstance(schema, Mapping) else None):
            examples = part.get("examples") if isinstance(part, Mapping) else None
            yield from _fitting(examples[:MOST_VALUES] if isinstance(examples, list) else ())
        yield from self._sent_in(filter(self._is_of_another, sent), name)
        # What only failed is what one most likely does not want again.
        yield from self._sent_in(failed, name)

    def may_know(self, name: str) -> bool:
        """Whether there may be values for an argument, of which one would be told soon."""
        return self.is_of_server or any(True for _ in self.known(name))

    @property
    def is_of_server(self) -> bool:
        """Whether the server itself completes what is typed."""
        return self._reference is not None and self._helps

    def _sent_in(self, records: Iterable[CallRecord], name: str) -> Iterator[str]:
        return _fitting(self._sent(record, name) for record in records)

    def _made(self, name: str) -> list[CallRecord]:
        """The calls of this server in which the argument is no secret, the newest first."""
        own = (call for call in self._state.calls if call.server == self._record.name)
        return [call for call in own if name not in call.secret]

    def _sent(self, record: CallRecord, name: str) -> Any:
        """What the argument was in a call; of a template as what was read of it says."""
        if self._offer.kind != "template":
            return record.call.arguments.get(name)
        read = record.call.method == "resources/read"
        values = values_in(self._offer.name, record.call.name) if read else None
        return None if values is None else values.get(name)

    def _is_of_another(self, record: CallRecord) -> bool:
        return self._offer.kind != "template" and record.call.name != self._offer.name

    def used(self, name: str, value: str) -> str:
        """That a value was sent before, in words; to which tool last, where never to this one.

        Whether it only ever failed, too: it may have been the value.
        """
        with_it = [call for call in self._made(name) if value in _texts(self._sent(call, name))]
        if not with_it:
            return ""
        if all(map(_failed, with_it)):
            return "failed before"
        others = all(map(self._is_of_another, with_it))
        return f"of {neutral_line(with_it[0].call.name, 60)}" if others else "used before"

    @property
    def _reference(self) -> dict[str, str] | None:
        """What is completed, as the protocol names it; None: nothing that it knows."""
        connection = self._record.connection
        if connection is None or "completions" not in connection.capabilities:
            return None
        if self._offer.kind == "prompt":
            return {"type": "ref/prompt", "name": self._offer.name}
        if self._offer.kind == "template":
            return {"type": "ref/resource", "uri": self._offer.name}
        return None

    async def _completed(self, name: str, typed: str, others: Mapping[str, str]) -> tuple[str, ...]:
        reference = self._reference
        if reference is None or not self._helps:
            return ()
        key = (name, typed, tuple(sorted(others.items())))
        if key not in self._answers:
            if len(self._answers) >= KEPT_ANSWERS:
                self._answers.clear()
            self._answers[key] = await self._asked(reference, name, typed, others)
        return self._answers[key]

    async def _asked(
        self, reference: Mapping[str, str], name: str, typed: str, others: Mapping[str, str]
    ) -> tuple[str, ...]:
        connection = self._record.connection
        assert connection is not None
        argument = {"name": name, "value": typed}
        context = {"arguments": dict(others)} if others else None
        try:
            asked = connection.complete(reference, argument, context)
            answer = await asyncio.wait_for(asked, PATIENCE_SECONDS)
        except (ElicitTuiError, asyncio.TimeoutError):
            self._helps = False
            return ()
        completion = answer.get("completion")
        values = completion.get("values") if isinstance(completion, Mapping) else None
        return tuple(_fitting(values[:MOST_VALUES] if isinstance(values, list) else ()))


def _failed(record: CallRecord) -> bool:
    return record.filed_under == "failed"


def _fitting(values: Iterable[Any]) -> Iterator[str]:
    """Those that can be seen whole, of a list each: what is chosen is sent as it is shown."""
    for value in values:
        for text in _texts(value):
            if isinstance(text, str) and text and neutral_line(text, LONGEST) == text:
                yield text


def _texts(value: Any) -> Sequence[Any]:
    """What may be known of a value: of a list its first ones."""
    return value[:MOST_VALUES] if isinstance(value, list) else (value,)


def _with_words(value: str, words: str) -> Text:
    return Text.assemble(value, (f"  {words}" if words else "", "dim italic"), no_wrap=True)


class ValueList(OptionList):
    """The values for the field that has the keys; without any it takes no room."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Take it"),
        # As in a shell, where Tab completes and one types on.
        Binding("tab", "complete", "Complete", show=False),
        Binding("escape", "leave", "Back to the field", key_display="Esc"),
        Binding("j", "cursor_down", "Next value", show=False),
        Binding("k", "cursor_up", "Previous value", show=False),
    ]

    DEFAULT_CSS = """
    ValueList {
        height: auto; max-height: 21vh; border: round $border-blurred; background: $surface;
        border-title-color: $faint; scrollbar-size-vertical: 1; display: none;
        text-wrap: nowrap; text-overflow: ellipsis;
        &:focus { border: round $accent; background-tint: transparent; }
        & > .option-list--option { padding: 0 1; }
        & > .option-list--option-highlighted { background: transparent; color: $foreground; }
        &:focus > .option-list--option-highlighted { background: $accent; color: $background; }
    }
    ValueList.-shown { display: block; }
    """

    class GoneBack(Message):
        """The person goes back to the field, with nothing taken."""

    def __init__(self) -> None:
        super().__init__(id="values")
        self.field = ""
        """The argument that the values are for."""
        self._values: tuple[str, ...] = ()
        self._listed: tuple[tuple[str, str], ...] = ()
        """The values, each with what stands beside it."""
        self._way = "↓"
        """The keys that lead here from the field."""
        self.by_tab = False
        """Whether that key takes the value, without a way here."""
        self.goes_on = True
        """Whether who takes a value is through with the field."""

    @property
    def shown(self) -> bool:
        """Whether there is something to take."""
        return self.has_class("-shown")

    def offer(
        self,
        field: str,
        values: Sequence[str],
        *,
        by_down: bool = True,
        by_tab: bool = False,
        used: Callable[[str], str] = lambda value: "",
    ) -> None:
        """Show these values; none hides the list. `by_down`: that key leads from the field here.

        `by_tab`: that one takes the only value there is, without a way here.
        `used`: what stands beside a value, where it was used before.
        """
        self.field = field
        self.set_class(bool(values), "-shown")
        listed = tuple((value, used(value)) for value in values)
        if listed != self._listed:
            self._values, self._listed = tuple(values), listed
            self.clear_options()
            self.add_options(Option(_with_words(*each)) for each in listed)
        self.by_tab = by_tab
        before = "" if by_down else f"{key_of(self, CLEAR)}, then "
        self._way = f"{before}{'Tab or ' if by_tab else ''}↓"
        self._name_way(inside=self.has_focus)

    def _name_way(self, *, inside: bool) -> None:
        way = "Enter" if inside else self._way
        self.border_title = f"{len(self._values)} known · {way} to take one"

    def on_blur(self) -> None:
        """Say how one comes here again."""
        self._name_way(inside=False)

    def on_focus(self) -> None:
        """Point at the first value, by whichever key one came: Enter takes it."""
        self._name_way(inside=True)
        if self.highlighted is None:
            self.action_first()

    def action_select(self) -> None:
        """Take a value, and go on to the next field, as Enter does in each."""
        self.goes_on = True
        super().action_select()

    def action_complete(self) -> None:
        """Take a value, and stay in the field."""
        self.goes_on = False
        super().action_select()

    def value(self, number: int) -> str:
        """The value of a row."""
        return self._values[number]

    def action_cursor_up(self) -> None:
        """From the first value up into the field."""
        if self.highlighted in (None, 0):
            self.action_leave()
        else:
            super().action_cursor_up()

    def action_leave(self) -> None:
        """Back to the field."""
        self.post_message(self.GoneBack())
