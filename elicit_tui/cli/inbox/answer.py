"""`inbox answer`, `decline` and `cancel`: one question, answered from the command line."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from elicit_tui.broker.in_words import accept_given, beside_given, fill_in_given
from elicit_tui.broker.inbox_questions import InboxQuestions
from elicit_tui.cli.arguments import read_given
from elicit_tui.cli.asking import Person
from elicit_tui.cli.exit_codes import FAILED, OK, USAGE
from elicit_tui.cli.inbox.waiting_text import in_a_line
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import flow_control_off, person_present, wants_plain_prompts
from elicit_tui.elicitation import Outcome, Queue, accept, cancel, decline
from elicit_tui.errors import UsageError
from elicit_tui.runtime.opening import open_inbox
from elicit_tui.text import neutral_line, readable_json

if TYPE_CHECKING:
    from elicit_tui.broker.inbox import Inbox
    from elicit_tui.broker.inbox_events import Delivery
    from elicit_tui.elicitation import Question
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.form.form import Form


async def give(settings: Settings, namespace: argparse.Namespace, question_id: str) -> int:
    """Answer this question as the command line says; exit code 1 when that did not go out."""
    narration = Narration()
    async with open_inbox(settings, "inbox", create=False) as inbox:
        refused = await inbox.refusal()
        if refused is not None:
            raise UsageError(refused)
        now_waiting = inbox.get(question_id)
        if now_waiting is None:
            narration.tell("This question waits no more.")
            return FAILED
        if now_waiting.question is None:
            raise UsageError(f"It cannot be answered here. {now_waiting.unreadable}")
        question = now_waiting.question
        reply = await _reply(inbox, settings, namespace, question, narration)
    narration.tell(reply.sentence)
    if reply.kind == "sent":
        return OK
    typed = _typed(question)
    if typed:
        narration.tell(f"What you typed: {readable_json(typed, indent=None)}")
    return USAGE if reply.kind == "refused" else FAILED


def _typed(question: Question) -> dict[str, Any]:
    """What was typed here and did not go out, as its person may read it again."""
    if question.form is None:
        return {}
    content = question.form.convert(question.draft.typed_here).content
    return question.review.masked(content)


async def _reply(
    inbox: Inbox,
    settings: Settings,
    namespace: argparse.Namespace,
    question: Question,
    narration: Narration,
) -> Delivery:
    present = person_present()
    answered = _answer_of(settings, namespace, question, narration)
    if answered is not None:
        reply = await inbox.answer(question.id, answered)
        if reply.kind != "reopened" or not present:
            return reply
        narration.tell(reply.sentence)
    elif not present:
        raise UsageError("Something has to be asked, and there is no terminal to ask at.")
    queue = Queue()
    plain = namespace.plain or wants_plain_prompts()
    person = Person(present=True, plain=plain, narration=narration, output=Output())
    questions = InboxQuestions(inbox, person.responder(settings, queue), queue)
    await inbox.claim(question.id)
    with flow_control_off():
        return await questions.ask(question.id)


def _answer_of(
    settings: Settings, namespace: argparse.Namespace, question: Question, narration: Narration
) -> Outcome | None:
    """What the command line says by itself; None where a person has to be asked for more."""
    if namespace.inbox_command == "decline":
        return decline("user", "You declined.", note=namespace.note)
    if namespace.inbox_command == "cancel":
        return cancel("user", "You dismissed the question.")
    allows = "session" in question.request.traits.scopes
    if namespace.session and not allows:
        raise UsageError("--session is for calls of a tool; this is another question.")
    if namespace.pairs and question.form is None:
        raise UsageError("This question has no fields to fill in.")
    if allows:
        why = "You allowed it for the session."
        return accept("user", why, None, scope="session") if namespace.session else None
    if not namespace.pairs or question.form is None:
        return None
    given = _fill_in(question, question.form, namespace.pairs)
    if settings.elicitation.review == "always":
        return None
    outcome = accept_given(question, question.form, given)
    if outcome is None:
        _tell_beside_given(question, question.form, given, narration)
    return outcome


def _tell_beside_given(
    question: Question, form: Form, given: Collection[str], narration: Narration
) -> None:
    """Say what would go out beside what was given. Raises UsageError where nobody can look."""
    more = beside_given(question, form, given)
    if not more:
        return
    listed = ", ".join(
        f"{neutral_line(name, 80)}={in_a_line(stands)}" for name, stands in more.items()
    )
    sentence = f"More than you gave would go out: {listed}."
    if not person_present():
        raise UsageError(f"{sentence} Give each of them, or answer at a terminal.")
    narration.tell(sentence)


def _fill_in(question: Question, form: Form, pairs: Sequence[str]) -> Collection[str]:
    """Write KEY=VALUE into the draft; the names. Raises UsageError for what does not fit."""
    from elicit_tui.form.conversion import means, wanted

    given = read_given(pairs, None)
    schema = question.request.requested_schema or {}
    content: Mapping[str, Any] = given.filled_in(schema)
    filled = form.entries_for(content)
    for name in content:
        if name not in filled:
            raise UsageError(f"The field {name!r} cannot be answered.")
        wrong = form.check_field(name, filled[name])
        if wrong is not None:
            raise UsageError(f"{name}: {wrong}.")
        field = form.by_name[name]
        if field.each_line and not means(field, filled[name], content[name]):
            raise UsageError(f"{name}: {wanted(field)}.")
    fill_in_given(question, form, content)
    return frozenset(content)
