"""What a call needs before anything heavy is loaded, and the start of its server.

The server's process gets ready while the rest of this program, and the SDK, are being imported.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from elicit_tui.cli.arguments import Given, read_given
from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.presence import person_present
from elicit_tui.cli.settings import load_settings, named_server
from elicit_tui.errors import UsageError

if TYPE_CHECKING:
    from elicit_tui.cli.recording import Recording
    from elicit_tui.elicitation.request import Method
    from elicit_tui.elicitation.settings import Rule, Settings


@dataclass(frozen=True)
class Prepared:
    """One call, fully understood: from here on only its server can go wrong."""

    options: argparse.Namespace
    method: Method
    given: Given
    settings: Settings
    answers: tuple[Rule, ...] | None
    """The entries of `--answers`; None when nobody gave a file."""
    person_present: bool
    recording: Recording | None
    narration: Narration


def run_call(namespace: argparse.Namespace, method: Method, pairs: list[str]) -> int:
    """Run `call`, `prompt` or `read`; the exit code. Raises UsageError and ConfigError."""
    prepared = prepare(namespace, method, pairs)
    from elicit_tui.host.launch import launch_servers

    with Interrupts() as interrupts:
        launched = launch_servers(prepared.settings, (namespace.server,))
        from elicit_tui.cli.one_call import OneCall

        return OneCall(prepared, launched, interrupts).run()


def prepare(namespace: argparse.Namespace, method: Method, pairs: list[str]) -> Prepared:
    """Read everything that a person wrote: arguments, configuration, answers."""
    given = read_given(pairs, getattr(namespace, "arguments", None))
    narration = Narration()
    settings = load_settings(namespace, narration)
    named_server(settings, namespace.server)
    answers = _read_answers(namespace, settings, narration)
    stdin_taken = getattr(namespace, "arguments", None) == "-"
    present = answers is None and person_present(stdin_taken=stdin_taken)
    recording = _open_recording(namespace, present)
    return Prepared(namespace, method, given, settings, answers, present, recording, narration)


def _read_answers(
    namespace: argparse.Namespace, settings: Settings, narration: Narration
) -> tuple[Rule, ...] | None:
    if namespace.answers is None:
        return None
    from elicit_tui.config import load_answers

    answers = load_answers(namespace.answers)
    if settings.approval_policy == "never":
        narration.say(
            'elicit-tui: approval_policy = "never" declines every question: '
            f"{namespace.answers} is not used."
        )
    return answers


def _open_recording(namespace: argparse.Namespace, present: bool) -> Recording | None:
    if namespace.record is None:
        return None
    if not present:
        raise UsageError("--record needs a person who answers at a terminal.")
    from elicit_tui.cli.recording import Recording

    return Recording.create(namespace.record)
