"""Understands everything that a person wrote for one call, before its server starts."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from elicit_tui.cli.arguments import Given, read_given
from elicit_tui.cli.command_table import METHODS
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.own_terminal import person_present
from elicit_tui.cli.run_settings import load_settings, named_server
from elicit_tui.errors import UsageError
from elicit_tui.host.uri_templates import filled

if TYPE_CHECKING:
    from elicit_tui.cli.recording import Recording
    from elicit_tui.elicitation.request import Method
    from elicit_tui.elicitation.settings import Rule, Settings


class Prepared(NamedTuple):
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


def prepare(namespace: argparse.Namespace, narration: Narration) -> Prepared:
    """Read the arguments, the configuration and the answers. Raises UsageError, ConfigError."""
    saved = _take_saved(namespace) if namespace.command == "call" else {}
    inputs = read_given(namespace.pairs, namespace.arguments)
    # What is given now goes before what was saved.
    inputs = replace(inputs, document={**saved, **inputs.document})
    if namespace.command == "read" and namespace.pairs:
        namespace.name, inputs = (
            filled(namespace.name, inputs.as_texts("A template's values")),
            Given(),
        )
    settings = load_settings(namespace, narration, [namespace.server])
    named_server(settings, namespace.server)
    answers = _read_answers(namespace, settings, narration)
    present = answers is None and person_present(stdin_taken=namespace.arguments == "-")
    recording = _open_recording(namespace, present)
    method = METHODS[namespace.command]
    return Prepared(namespace, method, inputs, settings, answers, present, recording, narration)


def _take_saved(namespace: argparse.Namespace) -> Mapping[str, Any]:
    """Read the call that `@FILE` is, into the namespace; its arguments. Raises UsageError."""
    if not namespace.server.startswith("@"):
        return {}
    from elicit_tui.elicitation.saved_call import SavedCall, file_called

    # With `@FILE` what stands in the tool's place is its first argument.
    pairs = [] if namespace.name is None else [namespace.name]
    path = file_called(namespace.server[1:])
    namespace.pairs, namespace.name = [*pairs, *namespace.pairs], ""
    saved = SavedCall.read(path)
    namespace.server, namespace.name = saved.server, saved.tool
    return saved.arguments


def _read_answers(
    namespace: argparse.Namespace, settings: Settings, narration: Narration
) -> tuple[Rule, ...] | None:
    if namespace.answers is None:
        return None
    from elicit_tui.config import load_answers

    answers = load_answers(namespace.answers)
    if settings.approval_policy == "never":
        narration.tell(
            f'approval_policy = "never" declines every question: {namespace.answers} is not used.'
        )
    return answers


def _open_recording(namespace: argparse.Namespace, present: bool) -> Recording | None:
    if namespace.record is None:
        return None
    if not present:
        raise UsageError("--record needs a person who answers at a terminal.")
    from elicit_tui.cli.recording import Recording

    return Recording.create(namespace.record)
