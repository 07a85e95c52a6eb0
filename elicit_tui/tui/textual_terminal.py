"""The terminal as the library reads and writes it: the one place that knows its insides.

Everything here leans on private modules of Textual, which is pinned to its minor version for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import select
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar

from rich.console import Console
from textual import app as textual_app
from textual import screen as textual_screen
from textual import strip as textual_strip
from textual._compositor import ChopsUpdate, Compositor
from textual._compositor import CompositorUpdate as CompositorUpdate
from textual._compositor import InlineUpdate as InlineUpdate
from textual._context import active_app
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.app import App
from textual.binding import BindingsMap
from textual.content import Content
from textual.css.styles import RenderStyles
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.driver import Driver
from textual.geometry import Region
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from elicit_tui.tui.names_on_screen import drawn_alike
from elicit_tui.tui.terminal_answers import ASK_BACKGROUND, Answers

if TYPE_CHECKING:
    from textual.command import CommandPalette
    from textual.worker import Worker

# Updates of the screen, drawn with signs that every terminal joins alike.


class DrawnAlike(CompositorUpdate):
    """An update of the screen whose signs are as wide on every terminal."""

    def __init__(self, update: CompositorUpdate) -> None:
        self._update = update

    def render_segments(self, console: Console) -> str:
        """The update as it is written to the terminal."""
        return drawn_alike(self._update.render_segments(console))


# What is drawn again: the widgets that a change touches, and none that stands between two changes.


class ChangesCompositor(Compositor):
    """Draws again only the widgets in which something changed, and of each only those rows.

    A key changes its field at the top and what would be sent at the bottom. The library draws every
    widget of the smallest rectangle around both, which is the whole screen; and with a text that is
    scrolled all the frames around it, of which nothing can be seen there.
    """

    _changed: tuple[Region, ...] = ()
    """What the next reader of `visible_widgets` is about to draw; empty: all of it."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """What changed since it was last drawn; None: nothing."""
        _ = self.cuts  # Kept from now on: they are where all widgets begin and end, drawn or not.
        self._changed = tuple(self._dirty_regions)
        return super().render_partial_update()

    @property
    def visible_widgets(self) -> dict[Widget, tuple[Region, Region]]:
        """Each widget's region and what of it can be seen, the topmost first."""
        changed, self._changed = self._changed, ()
        visible = super().visible_widgets
        return dict(_changed_in(visible, changed)) if changed else visible


def _changed_in(
    visible: Mapping[Widget, tuple[Region, Region]], changed: Sequence[Region]
) -> Iterator[tuple[Widget, tuple[Region, Region]]]:
    """Those that show something of what changed, each cut to the rows in which it does."""
    for widget, (region, clip) in visible.items():
        shown = region.intersection(clip)
        if parts := [part for each in changed if (part := shown.intersection(each))]:
            rows = Region.from_union(parts)
            yield widget, (region, Region(clip.x, rows.y, clip.width, rows.height))
            # What lies behind it shows nothing there.
            changed = [each for each in changed if not shown.contains_region(each)]


class SeenOnScreen:
    """A widget that keeps what of it was on the screen."""

    def on_screen(self, part: Region) -> None:
        """The screen that was just drawn shows this part of it, drawn anew or as it stood there."""
        raise NotImplementedError


def tell_what_is_seen(screen: Screen[Any]) -> None:
    """Tell all parts of a screen that was drawn, whichever of them were drawn again for it."""
    for widget, (region, clip) in screen._compositor.visible_widgets.items():
        if isinstance(widget, SeenOnScreen):
            widget.on_screen(region.intersection(clip).translate(-region.offset))


def write_subtitle(frame: Widget, words: str, named: Iterable[str] = ()) -> None:
    """Write into the lower border of a frame; that row alone is drawn again.

    The library draws all of the frame, with what it holds, also where the words are the same.
    `named`: of the words each key with what it does (`w Keep call`); the key stands out.
    """
    subtitle = Content(words)
    for each in named:
        begin = words.rfind(each)
        if begin >= 0:
            subtitle = subtitle.stylize("$accent", begin, begin + len(each.partition(" ")[0]))
    if subtitle != frame._border_subtitle:
        frame._border_subtitle = subtitle
        width, height = frame.outer_size
        row = Region(0, height - 1, width, 1)
        frame.refresh(row.translate(-frame.content_offset))


def rows_of_screen() -> int:
    """Of the application for which a widget is being made; 0 where there is none."""
    app = active_app.get(None)
    return 0 if app is None else app.size.height


def draw_only_changes() -> None:
    """Have every screen that is made from now on drawn by `ChangesCompositor`."""
    vars(textual_screen)["Compositor"] = ChangesCompositor


class Few(dict[Any, Any]):
    """The last of what was worked out of one line of the screen: a dict, that is made at once.

    The library makes seven caches for every piece of a line, each a class of its own around a dict,
    and most pieces live for one frame: a tenth of a console's start went into them.
    """

    LIMIT: Final = 16
    """As many as the largest of the library's holds."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= self.LIMIT and key not in self:
            del self[next(iter(self))]
        super().__setitem__(key, value)


def make_lines_at_once() -> None:
    """Have every line of a screen that is drawn from now on keep what it knows in `Few`."""
    vars(textual_strip)["FIFOCache"] = lambda size: Few()


# Styles: worked out for what is drawn, and for nothing else.


class DrawnParts(dict[str, RenderStyles]):
    """The styles of a widget's parts (the cursor of a line, its placeholder) that were drawn."""

    def __init__(self, stylesheet: Stylesheet, widget: DOMNode) -> None:
        super().__init__()
        self._stylesheet, self._widget = stylesheet, widget

    def __contains__(self, part: object) -> bool:
        """Whether the widget has such a part; the library looks here before it takes its styles."""
        if part not in self.keys() and part in self._widget._get_component_classes():
            stand_in = DOMNode(classes=str(part))
            stand_in._attach(self._widget)
            self._stylesheet.apply(stand_in)
            self[str(part)] = stand_in.styles
        return part in self.keys()


class LazyStylesheet(Stylesheet):
    """Works out the styles of a widget's parts when they are first drawn.

    The library does it for each part of each widget: a line to type in has four, and shows one
    until somebody types there. That was a sixth of what the opening of a form took.
    """

    def _process_component_classes(self, node: DOMNode) -> None:
        before = node._component_styles
        node._component_styles = now = DrawnParts(self, node)
        if any(part in now and styles != now[part] for part, styles in before.items()):
            node.refresh()


def style_what_is_drawn() -> None:
    """Have every application that is made from now on work out the styles of what it draws."""
    vars(textual_app)["Stylesheet"] = LazyStylesheet


def keys_here(app: App[Any]) -> Iterable[tuple[DOMNode, BindingsMap]]:
    """Each part that hears the keys where one is, the nearest first, with all that it binds.

    Those too that do nothing just now, of which the library tells nobody.
    """
    return app.screen._modal_binding_chain


# What the library's inline driver writes, each alone.

CLEAR_SCREEN: Final = "\x1b[2J"
"""With this it clears the screen after a resize."""
CLEAR_BELOW: Final = "\x1b[J"
"""With this what is below the form, at its end."""


# A terminal that goes away: nothing waits for it, and whoever asks on it hears of it.

AnyDriver = TypeVar("AnyDriver", bound=Driver)
_STDIN: Final = 0
_LOOK_SECONDS: Final = 1.0
"""How often it is looked whether the terminal is still there."""


@contextlib.contextmanager
def watched_terminal(on_lost: Callable[[], None]) -> Iterator[None]:
    """While it is entered, call `on_lost` once the terminal of standard input is gone.

    The system tells of a hang-up only those whom the terminal controls; the others would read from
    nobody, without a pause and for ever.
    """
    if not os.isatty(_STDIN):
        yield
        return
    loop = asyncio.get_running_loop()
    watch: asyncio.TimerHandle

    def look() -> None:
        nonlocal watch
        if _is_terminal_gone():
            on_lost()
        else:
            watch = loop.call_later(_LOOK_SECONDS, look)

    watch = loop.call_later(_LOOK_SECONDS, look)
    try:
        yield
    finally:
        watch.cancel()


def _is_terminal_gone() -> bool:
    """Whether the terminal of standard input was closed; False where the system cannot tell."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(_STDIN, 0)
    return any(seen & (select.POLLHUP | select.POLLERR) for _, seen in poll.poll(0))


class OutlivingStream:
    """Writes to a stream for as long as there is one; what cannot be written is dropped.

    The library's writing thread ends at the first error, and whoever writes after it waits for
    ever: a closed window would leave a process behind.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write, or drop it."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        """Flush, where there is still somebody who reads."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def outliving_terminal(driver: type[AnyDriver]) -> type[AnyDriver]:
    """The same driver on a stream that outlives its terminal.

    While that is left to another program nothing is written: nobody takes what is, and whoever
    writes more than a little waits for ever.
    """

    class Outliving(driver):  # type: ignore[misc, valid-type]
        _is_away = False

        def __init__(self, *values: Any, **options: Any) -> None:
            super().__init__(*values, **options)
            stream = getattr(self, "_file", None)
            if stream is not None:
                self._file = OutlivingStream(stream)

        def suspend_application_mode(self) -> None:
            super().suspend_application_mode()
            self._is_away = True

        def resume_application_mode(self) -> None:
            self._is_away = False
            super().resume_application_mode()

        def write(self, data: str) -> None:
            if not self._is_away:
                super().write(data)

    return Outliving


# Text that is pasted: a terminal marks where it begins and ends. Text that holds the end's mark
# itself, in a terminal that lets it through, would go on as keys: as the one that sends, too.

ESCAPE: Final = "\x1b"
STAND_IN: Final = "\x1a"
"""What the parser gets for an escape within a paste: a control character that begins nothing."""


def ask_for_background(app: App[Any]) -> None:
    """Ask the terminal for its background; a terminal that does not know the question is silent."""
    driver = app._driver
    if driver is not None and not app.is_headless:
        driver.write(ASK_BACKGROUND)
        driver.flush()


class PasteParser(XTermParser):
    """The library's parser, for which an escape within a paste begins nothing.

    The library reads on behind such an escape, and gives what is no sequence as pressed keys.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._in_paste = False
        self._begun = ""
        """As much of the mark that is waited for as has come."""
        self._answers = Answers()

    def tick(self) -> Iterable[Message]:
        """Called at intervals: an escape that nothing followed was a key."""
        yield from super().tick()
        if kept := self._answers.given_up():
            yield from self._events(kept)
        if not self._in_paste and self._timeout_time is None:
            self._begun = ""

    def feed(self, data: str) -> Iterable[Message]:
        """Take what the terminal sent; empty at its end."""
        # What came at once happened at once, however slowly it is read.
        came = Message().time
        ends = not data
        if not self._in_paste and not ends:
            data, told = self._answers.taken_from(data)
            yield from told
        if not data and not ends:
            return
        for event in self._events(data):
            event.time = came
            yield event

    def _events(self, data: str) -> Iterable[Message]:
        if not data:
            yield from super().feed(data)
        while data:
            mark = BRACKETED_PASTE_END if self._in_paste else BRACKETED_PASTE_START
            known = len(self._begun)
            data = self._begun + data
            place = data.find(mark)
            if place >= 0:
                self._begun = ""
                taken, data = data[: place + len(mark)], data[place + len(mark) :]
                if self._in_paste:
                    taken = taken[: -len(mark)].replace(ESCAPE, STAND_IN) + mark
                else:
                    # What was handed on before is not handed on again.
                    taken = taken[known:]
                self._in_paste = not self._in_paste
            else:
                self._begun = _begin_of(mark, data)
                if self._in_paste:
                    taken = data[: len(data) - len(self._begun)].replace(ESCAPE, STAND_IN)
                else:
                    taken = data[known:]
                data = ""
            if taken:
                yield from super().feed(taken)


def _begin_of(mark: str, data: str) -> str:
    """How much of a mark stands at the end of `data`, its rest still to come."""
    for length in range(len(mark) - 1, 0, -1):
        if data.endswith(mark[:length]):
            return mark[:length]
    return ""


def read_pastes_as_text() -> None:
    """Have the terminal's drivers read with `PasteParser`."""
    names = ("win32",) if sys.platform == "win32" else ("linux_driver", "linux_inline_driver")
    for name in names:
        driver = importlib.import_module(f"textual.drivers.{name}")
        vars(driver)["XTermParser"] = PasteParser


# The library's palette: its search runs behind what is typed.


def running_search(palette: CommandPalette) -> Worker[Any] | None:
    """What still searches for all that was typed into a palette."""
    group = palette._GATHER_COMMANDS_GROUP
    searches = (worker for worker in palette.workers if worker.group == group)
    return next((search for search in searches if not search.is_finished), None)


def run_pointed(palette: CommandPalette) -> None:
    """Run the command that a palette points at."""
    palette._action_command_list("select")


def deafened(frame: Any) -> Any:
    """The part of the screen that hears no more once an error was caught in this frame."""
    ends = frame.f_code.co_name in ("_pre_process", "_process_messages_loop")
    return frame.f_locals["self"] if ends else None


class HearsOn(DOMNode):
    """A part of the screen that hears on after an error in its turn."""

    async def _on_message(self, message: Message) -> None:
        try:
            await super()._on_message(message)
        except Exception as error:  # noqa: BLE001 - the application knows what it ends
            self.app._handle_exception(error)
