"""Every action of the console by its key, in the owner's configuration and in the palette."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from textual.binding import Binding
from textual.screen import Screen

from elicit_tui import paths
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.saved_call import SUFFIX
from elicit_tui.text import name_line, neutral_line, quoted
from elicit_tui.tui.console.action_words import sentence
from elicit_tui.tui.console.bars import key_label
from elicit_tui.tui.console.call_words import briefly
from elicit_tui.tui.console.kept_again import list_kept
from elicit_tui.tui.console.kept_words import what_it_calls
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.console.palette_entries import (
    CAREFUL,
    FAVOURITE,
    KEPT,
    PLAIN,
    RECENT,
    TOOL,
    Entry,
    Traits,
    entry,
)
from elicit_tui.tui.console.panels.pane import Pane
from elicit_tui.tui.console.panels.servers import ServersPane
from elicit_tui.tui.console.screen import HELD, PANES, ConsoleScreen
from elicit_tui.tui.console.server_words import why_away
from elicit_tui.tui.console.servers import VERBS, in_words
from elicit_tui.tui.console.spans import shortened, shortened_within
from elicit_tui.tui.console.views import LineView, RowList
from elicit_tui.tui.ordered_app import OrderedApp
from elicit_tui.tui.theme import THEME_NAMES, theme_trouble

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.servers import Offer, ServerRecord


# Every action that has a key, by its id, and the keys that the owner gave (`[console.keys]`).


@cache
def known_keys(application: type, main_screen: type) -> dict[str, Binding]:
    """Action id to its binding, of the application and of all its screens and widgets."""
    places = (*_panes(), *_of_a_question(), *_of_a_call(), *_dialogs(), RowList, LineView)
    return keys_in(application, main_screen, *places)


def _panes() -> tuple[type, ...]:
    from elicit_tui.tui.console.panels.activity import ActivityPane
    from elicit_tui.tui.console.panels.calls import CallsPane
    from elicit_tui.tui.console.panels.history import HistoryPane
    from elicit_tui.tui.console.panels.questions import QuestionsPane

    return ServersPane, QuestionsPane, CallsPane, ActivityPane, HistoryPane


def _of_a_question() -> tuple[type, ...]:
    from elicit_tui.tui.question import QuestionView
    from elicit_tui.tui.widgets.lines import DateLine
    from elicit_tui.tui.widgets.text_block import TextBlock

    return QuestionView, DateLine, TextBlock


def _of_a_call() -> tuple[type, ...]:
    from elicit_tui.tui.console.json_editor import JsonEditor
    from elicit_tui.tui.console.pictures import PicturePage
    from elicit_tui.tui.console.result_table import ResultTable
    from elicit_tui.tui.console.result_tree import ResultTree
    from elicit_tui.tui.console.screens.allowances import AllowancesScreen
    from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
    from elicit_tui.tui.console.screens.links import PageScreen
    from elicit_tui.tui.console.screens.long_text import LongTextScreen
    from elicit_tui.tui.console.screens.result_reader import ResultScreen
    from elicit_tui.tui.console.screens.result_value import RowLines

    before = ArgumentsScreen, JsonEditor, LongTextScreen, AllowancesScreen
    views = ResultTree, ResultTable, RowLines, PicturePage
    return *before, ResultScreen, *views, PageScreen


def _dialogs() -> tuple[type, ...]:
    from elicit_tui.tui.console.dialog import Dialog
    from elicit_tui.tui.console.screens import (
        confirmations,
        keep_call,
        kept_files,
        records,
        saving,
        server_dialogs,
    )
    from elicit_tui.tui.console.screens.about import HelpScreen

    return (
        kept_files.KeptFilesScreen,
        kept_files.RenameKeptScreen,
        kept_files.RemoveKeptScreen,
        keep_call.KeepCallScreen,
        keep_call.NoteScreen,
        records.RecordScreen,
        saving.SaveScreen,
        saving.OverwriteScreen,
        server_dialogs.ServerScreen,
        server_dialogs.OtherServersScreen,
        server_dialogs.RemoveServerScreen,
        *confirmations.SCREENS,
        HelpScreen,
        Dialog,
    )


def binding_of(action_id: str, application: type, main_screen: type, screen: type) -> Binding:
    """What has this id; what is painted first, and a result that is read, load no dialog for it.

    `screen`: the one on which it is named.
    """
    first = keys_in(application, main_screen, ServersPane, screen)
    found = first.get(action_id) or keys_in(*_panes()).get(action_id)
    return found or known_keys(application, main_screen)[action_id]


@cache
def keys_in(*places: type) -> dict[str, Binding]:
    """Action id to its binding; of two of one id the first is taken."""
    found: dict[str, Binding] = {}
    for place in places:
        for owner in place.__mro__:
            for binding in owner.__dict__.get("BINDINGS", ()):
                if isinstance(binding, Binding) and binding.id:
                    found.setdefault(binding.id, binding)
    return found


def give_keys(
    app: OrderedApp[int], keys: Mapping[str, str], known: Mapping[str, Binding]
) -> list[str]:
    """Remap the known actions; a sentence for each name that no action has."""
    app.give_keys({name: key for name, key in keys.items() if name in known})
    return [f"console.keys: {fault}" for fault in no_actions(keys, known).values()]


def no_actions(names: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Of these names each that no action has, of those there are: what to say of it."""
    faults = {}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            faults[name] = f"there is no action {name!r}.{hint}"
    return faults


# Every action of the console in the command palette.

OFFERED_TOOLS = 200
SAID: Final = 300
"""Cells of what is said of an entry, which the palette shows as far as there is room."""
BESIDE: Final = 40
"""Cells of what a call was made with, at the end of its line."""
SHELL: Final = Traits(place=CAREFUL, found_by=("suspend", "shell"))
LEAVING: Final = Traits(place=CAREFUL, found_by=("leave", "quit", "exit"))
"""Whoever looks for a tool named as the program is does not want to leave it."""
ASKING: Final = Traits(meant_by="confirm approve ask before calls")
WAITS: Final = "asks once while questions wait"
REVOKED: Final = "of this session, to be revoked"
HERE: Final = Traits(is_here=True)
GRAVE: Final = Traits(place=CAREFUL, is_grave=True)
GRAVE_ACTIONS: Final = frozenset({"restart", "stop", "remove", "cancel", "decline", "decline_all"})
"""Those that end something, by the action of their keys."""


def commands(app: Controller, screen: Screen[Any]) -> Iterator[Entry]:
    """The actions that make sense on this screen."""
    yield from _of_screen(app, screen)
    key = app.key_of
    yield entry(
        "Help", "the keys of this screen and all others", app.action_help, _key(app, "console.help")
    )
    if isinstance(screen, ConsoleScreen):
        for name, title in PANES.items():
            if not screen.has_pane(name):
                continue
            show = partial(app.show_pane, name)
            traits = _key(app, f"pane.{name}")._replace(meant_by=HELD.get(name, ""))
            yield entry(f"Show {title.lower()}", "", show, traits)
        yield _next_question(app)
        if screen.pane.id != "calls-pane":
            where = f"listed, renamed, removed · key {key('calls.kept')} under Calls"
            yield entry("Calls kept in files", where, partial(list_kept, app))
        yield from _recent(app)
        if screen.pane.id != "calls-pane" and len(app.state.calls) > 1:
            where = f"of the last call that succeeded · key {key('calls.difference')} under Calls"
            yield entry("Compare results (diff)", where, partial(_compare, app, screen))
        yield from _servers(app)
    elif (shown := app.state.questions.open) is not None:
        yield _next_question(app)
        verb = "Unmute" if shown.server in app.muted else "Mute"
        mute = partial(app.toggle_mute, shown.server)
        yield entry(f"{verb} {shown.server}", "for this run", mute)
        yield from _behind_a_question(app)
    elif _keeps_what_is_typed(screen):
        for name, record in app.state.servers.items():
            yield from _offers(app, name, record)
    allowed = ASKING._replace(beside=key("console.allowances"))
    yield entry("Allowed tools", "of this session, to be revoked", app.action_allowances, allowed)
    configured = app.state.settings.console.theme
    worn = app.remembered.theme_for(configured)
    own = [] if configured in THEME_NAMES or theme_trouble(configured) else [configured]
    # Who writes "theme" and Enter has chosen none yet: the first one is worn already.
    for name in dict.fromkeys((worn, *own, *THEME_NAMES)):
        help_text, says = ("worn now", "worn") if name == worn else ("kept for the next time", name)
        found_by = ("theme:", says, name, *in_words(name).split())
        worded = Traits((name,), found_by=found_by, beside="worn now" * (name == worn))
        yield entry(f"Theme: {name}", help_text, WearTheme(app, name), worded, listed=name == worn)
    yield entry("Screenshot", "a picture of it, an SVG for your eyes only", app.take_picture)
    yield entry("Suspend to the shell", "fg brings it back", app.action_suspend_process, SHELL)
    leaving = LEAVING._replace(beside=key("console.quit"))
    yield entry("Leave elicit-tui (quit)", WAITS, app.action_quit, leaving)


@dataclass(frozen=True)
class WearTheme:
    """Changes to a theme, which the palette shows beforehand."""

    app: Controller
    theme: str

    def __call__(self) -> None:
        """Wear it from now on."""
        self.app.wear(self.theme)
        self.app.notify(
            f"Theme: {neutral_line(self.theme, 60)}. It is kept for the next time.", markup=False
        )


_sought = partial(entry, listed=False)  # What each server has is listed once it is searched for.


def _key(app: Controller, action_id: str) -> Traits:
    """An entry that has a key, which its line names."""
    return Traits(beside=app.key_of(action_id))


def _next_question(app: Controller) -> Entry:
    following = _key(app, "console.next_question")
    return entry("Open the next question", "", app.action_next_question, following)


def _of_screen(app: Controller, screen: Screen[Any]) -> Iterator[Entry]:
    """What has a key here has an entry here."""
    seen = set()
    for node, binding, enabled, _tooltip in screen.active_bindings.values():
        shown = binding.show or isinstance(node, Pane)
        named = binding.description and key_label(node, binding)
        if not (enabled and shown and named) or node is app:
            continue
        if binding.action != "help" and binding.action not in seen:
            seen.add(binding.action)
            label, grave = key_label(node, binding), binding.action in GRAVE_ACTIONS
            yield entry(
                sentence(binding) if label == binding.description else label,
                "",
                partial(app.run_action, binding.action, node),
                (GRAVE if grave else HERE)._replace(beside=app.get_key_display(binding)),
            )


def _recent(app: Controller) -> Iterator[Entry]:
    """What was used last, as far as it is offered now, and the calls kept in files."""
    from elicit_tui.tui.console.results import at_home

    if app.remembered.recent:
        app.state.remember_calls()  # As it was called last may have been in an earlier run.
    for name, key in app.remembered.recent:
        record = app.state.servers.get(name)
        for offer in record.offers if record is not None else ():
            if offer.key == key:
                made = (each for each in app.state.calls if each.server == name)
                last = next((each for each in made if offer.was_called(each.call)), None)
                call = partial(app.call_again, last) if last else partial(_call, app, name, offer)
                words = "as you called it last" if last else ""
                recent = Traits(
                    offer.called,
                    RECENT,
                    told=briefly(last.argument_texts, SAID) if last else "",
                    beside=briefly(last.argument_texts, BESIDE) if last else "",
                    label="Recent: ",
                    is_grave=_destroys_at_once(offer),
                    verb=_verb(offer),
                )
                yield entry(f"Recent: {name}: {offer.shown}", words, call, recent)
    for path in app.remembered.kept_files():
        help_text = neutral_line(path.name.removesuffix(SUFFIX), 80)
        call = partial(app.call_kept, path)
        folder = "" if path.parent == paths.here() else neutral_line(at_home(path.parent), 200)
        about, _ = what_it_calls(app, path, SAID)
        kept = Traits(
            (help_text,),
            KEPT,
            beside=shortened_within(folder, BESIDE),
            label="Kept call: ",
            verb="Open",
        )
        yield entry(f"Kept call: {help_text}", about, call, kept)


def _servers(app: Controller) -> Iterator[Entry]:
    for name, record in app.state.servers.items():
        show = partial(_show_server, app, name)
        yield _sought(f"Server: {name}", record.standing, show, Traits((name,)))
        yield _sought(f"Restart {name}", record.state, partial(app.restart, name), GRAVE)
        if record.state == "ready":
            yield _sought(f"Stop {name}", record.state, partial(app.stop, name), GRAVE)
        if record.settings.layer == "user":
            about = "how it is reached, and which of its calls ask you first"
            yield _sought(f"Edit {name}", about, partial(_edit, app, record), ASKING)
        verb = "Unmute" if name in app.muted else "Mute"
        yield _sought(f"{verb} {name}", "for this run", partial(app.toggle_mute, name), PLAIN)
        waiting = sum(pending.server == name for pending in app.state.questions)
        if waiting:
            decline, waits = partial(app.decline_all, name), plural(waiting, "question")
            yield entry(f"Decline all questions of {name}", f"{waits} waiting", decline, GRAVE)
        yield from _offers(app, name, record)


def _edit(app: Controller, record: ServerRecord) -> None:
    from elicit_tui.tui.console.server_editing import ServerEditing

    ServerEditing(app).change(record)


async def _compare(app: Controller, screen: ConsoleScreen) -> None:
    comparable = filter(app.state.calls.can_compare, app.state.calls)
    for last in sorted(comparable, key=lambda each: each.filed_under != "done")[:1]:
        app.point_at_call(last.call.id)
    await screen.show_pane("calls")
    app.call_after_refresh(app.run_action, "difference", screen.pane)


def _keeps_what_is_typed(screen: Screen[Any]) -> bool:
    """Whether a screen over the console can be left without losing anything."""
    from elicit_tui.tui.console.screens.arguments import ArgumentsScreen

    return getattr(screen, "interruptible", False) or isinstance(screen, ArgumentsScreen)


def _offers(app: Controller, name: str, record: ServerRecord) -> Iterator[Entry]:
    """What a server offers; what lies over the console is left for it.

    Of what cannot be called here it is found why not.
    """
    if away := why_away(record, app.key_of("servers.restart")):
        yield from _away(app, name, record, away)
        return
    favourites = {key for server, key in app.remembered.favourites if server == name}
    for offer in record.offers[:OFFERED_TOOLS]:
        title, call = f"{name}: {offer.shown}", partial(_call, app, name, offer)
        if why_not := record.not_callable(offer):
            yield _tells_why(title, why_not, call, Traits(offer.called, told=offer.description))
            continue
        is_favourite = offer.key in favourites
        said = (offer.own_title, offer.description.partition("\n")[0])
        help_text = shortened(neutral_line(" · ".join(filter(None, said)), 4_000), SAID)
        traits = Traits(
            offer.called,
            FAVOURITE if is_favourite else TOOL,
            meant_by=offer.kind,
            told=offer.description,
            is_grave=_destroys_at_once(offer),
            is_at_once=_is_at_once(offer),
            verb=_verb(offer),
        )
        yield entry(f"★ {title}" if is_favourite else title, help_text, call, traits)


def _behind_a_question(app: Controller) -> Iterator[Entry]:
    """Tools are not called over a question: whoever looks for one is told what can be done."""
    why = f"a question is on the screen: {app.key_of('question.later')} puts it off"
    tell = f"A question comes first. {app.key_of('question.later')} puts it off with what you typed"
    tell = f"{tell}; then the palette has the tools."
    for name, record in app.state.servers.items():
        for offer in record.offers[:OFFERED_TOOLS]:
            run = partial(app.notify, tell, markup=False)
            traits = Traits(offer.called, told=offer.description)
            yield _tells_why(f"{name}: {offer.shown}", why, run, traits)


def _destroys_at_once(offer: Offer) -> bool:
    """Whether it says that it destroys, and no form stands before its call."""
    return offer.destructive and _is_at_once(offer)


def _verb(offer: Offer) -> str:
    """What Enter does with it: where it takes arguments, its form comes first."""
    return VERBS[offer.kind] if _is_at_once(offer) else "Open form"


def _is_at_once(offer: Offer) -> bool:
    """Whether no form stands before its call."""
    return not offer.schema.get("properties")


def _away(app: Controller, name: str, record: ServerRecord, why: str) -> Iterator[Entry]:
    """What a server offered that offers nothing now, or what was used of it, with the reason."""
    known = {offer.key: offer.shown for offer in record.known_offers[:OFFERED_TOOLS]}
    for server, key in (*app.remembered.favourites, *app.remembered.recent):
        if server == name:
            known.setdefault(key, name_line(key.partition(":")[2], 120))
    for shown in known.values():
        show = partial(_show_server, app, name, why)
        yield _tells_why(f"{name}: {shown}", why, show, Traits((shown,)))


def _tells_why(title: str, why: str, run: Callable[[], Any], traits: Traits) -> Entry:
    """A tool that cannot be called now: its line says so, that below why, and so does Enter."""
    beside = "cannot be called now"
    traits = traits._replace(place=TOOL, beside=beside, cannot=True, verb="Why not")
    return entry(title, shortened(neutral_line(why, 4_000), SAID), run, traits, listed=False)


async def _show_server(app: Controller, name: str, why_away: str = "") -> None:
    if why_away:
        app.notify(f"{quoted(name, 40)} {why_away}.", markup=False)
    _leave_dialogs(app)
    app.state.pointed_server = name
    await app.show_pane("servers")
    app.state.changed()


def _leave_dialogs(app: Controller) -> None:
    from elicit_tui.tui.console.dialog import Dialog

    while isinstance(app.screen, Dialog):
        app.screen.action_leave()


def _call(app: Controller, name: str, offer: Offer) -> None:
    _leave_dialogs(app)
    app.call_offer(name, offer)
