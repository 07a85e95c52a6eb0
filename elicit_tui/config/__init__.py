"""Layered configuration: managed, command line, user, defaults; and the answers file."""

from elicit_tui.config.command_line import CommandLine
from elicit_tui.config.loading import load
from elicit_tui.config.rules import load_answers
from elicit_tui.config.validating import Diagnostic

__all__ = ["CommandLine", "Diagnostic", "load", "load_answers"]
