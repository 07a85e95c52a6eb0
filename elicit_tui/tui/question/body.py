"""What a question is about: the part of its frame that differs from kind to kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Finding, Outcome, Question, Scope, accept
from elicit_tui.tui.question.actions import Action, PageName
from elicit_tui.tui.question.seen_texts import PageText, PartToSee

FROM_AGENT: Final = "filled in by the agent"


def frozen(content: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that nothing on the screen can change: the content shown is the content sent."""
    return {
        name: list(value) if isinstance(value, (list, tuple)) else value
        for name, value in content.items()
    }


@dataclass(frozen=True)
class ShownPage:
    """A page that is shown, and what an accept on it sends: nothing else goes out from there."""

    page: PageName = "answer"
    text: PageText = (Content(""), None)
    """What it says; nothing where the question itself is the page."""
    content: Mapping[str, Any] | None = None
    """The answer that the text shows; None: none that could be sent."""
    found: tuple[Finding, ...] = ()
    """What it shows that was found in it, for an accept to acknowledge."""
    scope: Scope = "once"
    """How long it allows a call for."""
    clear: PageText | None = None
    """The same text with its secrets shown, where it has some."""

    @property
    def acknowledged(self) -> frozenset[str]:
        """The ids of the findings."""
        return frozenset(finding.id for finding in self.found)


# ruff: noqa: B027 - a kind of question overrides the hooks that it needs, and no more


class Body(ABC):
    """One kind of question: its part of the screen, and what its keys decide.

    The frame around it turns the pages and ends the question; a body says what accepting means.
    """

    def __init__(self, question: Question, take: Callable[[Outcome], None]) -> None:
        """`take` is given what is accepted."""
        self.question = question
        self._take = take
        self.last_field: str | None = None
        """The field in which the person was, or is to be when it is shown again."""

    @property
    @abstractmethod
    def panel(self) -> Widget:
        """Its part of the screen."""

    @property
    def is_empty(self) -> bool:
        """Whether it shows nothing: then its room is the message's."""
        return False

    @property
    def whole(self) -> Widget:
        """The panel with what stands beside it."""
        return self.panel

    @abstractmethod
    def actions(self, page: PageName) -> tuple[Action, ...]:
        """The buttons of a page, without those of the frame."""

    @abstractmethod
    def summary(self) -> Content:
        """How far the answer is, in a few words."""

    def focus(self) -> None:
        """Give the focus to where the person most likely acts."""
        self.panel.focus()

    def focus_beside(self, by: int) -> None:
        """Give the focus to the next field, button or region, or to the one before where -1."""
        screen = self.panel.screen
        screen.focus_next() if by > 0 else screen.focus_previous()

    @property
    def has_focus(self) -> bool:
        """Whether the focus has arrived there."""
        return self.panel.screen.focused is self.panel

    @abstractmethod
    def send(self, shown: ShownPage) -> None:
        """Accept what this page shows, or do what comes before it."""

    @property
    def would_be_lost(self) -> bool:
        """Whether whoever dismisses it is asked once more before."""
        return self.typed

    @abstractmethod
    def go_through(self, shown: ShownPage) -> None:
        """The deliberate second step was taken: accept what it shows, or what needs no step."""

    def review(self) -> None:
        """Show exactly what would be sent."""

    def expect(self, size: Size) -> None:
        """It will be drawn in about this much room."""

    @property
    def is_laid_out(self) -> bool:
        """Whether it stands as it will stand at its present size."""
        return True

    @property
    def is_judged(self) -> bool:
        """Whether its summary is true already when it is first shown."""
        return True

    def resized(self) -> None:
        """There is another amount of room."""

    def covered(self) -> None:
        """Another page lies over it."""

    def uncovered(self) -> None:
        """No other page lies over it any more."""

    def to_be_seen(self, page: PageName) -> tuple[PartToSee, ...] | None:
        """What says on this page what would be accepted; None: the page itself."""
        return None

    @abstractmethod
    def seen(self, content: Mapping[str, Any], *, page_read: bool) -> frozenset[str]:
        """The parts of what would be accepted that were on the screen (`Question.to_see`).

        `page_read`: all of the page that lies over it was, which says what goes out.
        """

    def showed(self, page: PageName, *, whole: bool) -> None:
        """This page was on the screen; `whole`: to the end of what it says is decided about."""

    def put_away(self) -> bool:
        """Put away what hides the question on its own page; whether anything did."""
        return False

    def again(self) -> None:
        """Do once more what was done with the same page, or form, before."""

    def pasted(self, text: str) -> None:
        """The person pasted something that no field took."""

    def keep_draft(self) -> None:
        """Write down what is typed, to the last letter."""

    @property
    def typed(self) -> bool:
        """Whether the person typed or chose anything."""
        return False

    @property
    def content(self) -> Mapping[str, Any]:
        """What would be sent now, as far as it is known; empty where nothing is filled in."""
        return {}

    @property
    def free_rows(self) -> int:
        """How many of its rows nothing stands in."""
        return 0

    @property
    def ready(self) -> bool:
        """Whether it could be accepted as it stands."""
        return True

    @property
    def takes_yes(self) -> bool:
        """Whether there is nothing to answer but yes or no."""
        return False

    @property
    def takes_letters(self) -> bool:
        """Whether y and n answer it, or one of them leads on; letters are nothing else here."""
        return self.takes_yes

    def takes(self, action: str, page: str) -> bool:
        """Whether the key of this action does something on a page: a letter may be a field's."""
        if action not in ("yes", "no", "copy_here"):
            return True
        in_place = page in ("answer", "review", "step")
        return in_place and self.takes_letters and action != "copy_here"

    @property
    def letters(self) -> Mapping[str, str]:
        """By the names of actions that have a key already: those that are the same by a letter."""
        return {}

    @property
    def takes_send(self) -> bool:
        """Whether the key that sends accepts just now."""
        return True

    @property
    def accepting(self) -> str:
        """What the key that accepts does, in a sentence."""
        return "says yes" if self.takes_yes else "sends"

    def does_by(self, action: str) -> str:
        """What the key of one of the actions that accept does, in a sentence."""
        return self.accepting

    def accepts_by(self, button: Action) -> None:
        """This button accepts just now, or shows first what was never on the screen."""

    @property
    def goes_on(self) -> bool:
        """Whether the key that accepts would show first what was never on the screen."""
        return False

    def shows_more(self, parts: Sequence[PartToSee]) -> bool:
        """Whether the key that accepts would show more of these parts of what it accepts."""
        return any(part.unseen for part in parts)

    @property
    def leads_to_a_page(self) -> bool:
        """Whether the key that accepts shows on another page what it accepts, whatever was seen."""
        return False

    @property
    def note(self) -> str | None:
        """What a person who declines tells the agent."""
        return None

    def accept(self, reason: str, shown: ShownPage, **more: Any) -> None:
        """Accept what is shown, with every finding acknowledged that stands there."""
        seen = shown.acknowledged | self.question.draft.acknowledged
        self._take(accept("user", reason, shown.content, acknowledged=seen, **more))
