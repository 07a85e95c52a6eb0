"""Reads the command line: which command, and its options and arguments in any order."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn

from elicit_tui.cli.command_table import COMMANDS, Command
from elicit_tui.cli.output import Output
from elicit_tui.errors import UsageError

SHARED: Final = ("--config", "--with", "--log-file", "--protocol")
"""Options of every command."""


class HelpShown(Exception):
    """The help of a command was printed; there is nothing more to do."""


class Parser(argparse.ArgumentParser):
    """An argparse parser that leaves writing and ending to others."""

    command: str = ""
    """The command whose arguments it reads."""

    def add_subparsers(self, **more: Any) -> Any:
        """As argparse does; a command's own commands say themselves what they do not know."""
        return super().add_subparsers(**{"parser_class": OwnCommand, **more})

    @property
    def _shared_options(self) -> tuple[str, ...]:
        """The options that are taken out before this parser reads the rest."""
        command = COMMANDS.get(self.command)
        return SHARED + (("--approval-policy",) if command is not None and command.asks else ())

    def error(self, message: str) -> NoReturn:
        """Raise UsageError, with the way to the help.

        An unknown option is answered with the nearest one, a missing ID with where they stand.
        """
        # The words are argparse's own, for which it has no other sign.
        words = message.removeprefix("unrecognized arguments: ").split()
        unknown = next((word for word in words if word.startswith("-")), None)
        if unknown is not None and message.startswith("unrecognized arguments: "):
            # The options of every command are read before, and are known all the same.
            known = {*self._option_string_actions, *self._shared_options}
            message = f"There is no option {unknown.partition('=')[0]!r}.{_nearest(unknown, known)}"
        if re.match("the following arguments are required: ID\\b", message):
            listing = f"{self.prog.rpartition(' ')[0]} list"
            message = f"Which one? {self.prog} ID, or the beginning of it; {listing} shows them."
        raise UsageError(f"{message} (see {self.prog} --help)")

    def print_help(self, file: object = None) -> None:
        """Write the help to standard output."""
        Output().text(self.format_help().rstrip("\n"))

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise HelpShown: the help is the one thing that ends a parser well."""
        raise HelpShown


def find_command(argv: Sequence[str]) -> tuple[str, list[str]]:
    """The command's name and everything else, in order; without a command it is `run`.

    Raises UsageError for a command that does not exist.
    """
    for place, word in enumerate(argv):
        # It may be the value of an option, of which the command's own may stand before it too.
        if word in COMMANDS and (not place or _first_argument(argv, _options_of(word)) == place):
            # Options keep their place: they may belong to any command, as they are read in any
            # order.
            return word, [*argv[:place], *argv[place + 1 :]]
    words = (word for word in argv if not word.startswith("-"))
    likely = next(filter(None, (nearest(word, COMMANDS) for word in words)), "run")
    options = _options_of(likely)
    place = _first_argument(argv, options)
    if place == len(argv):
        return "run", list(argv)
    token = argv[place]
    if token.startswith("-") and token != "-":
        option = token.partition("=")[0]
        raise UsageError(
            f"There is no option {option!r} before a command.{_nearest(token, options)} "
            "See elicit-tui --help."
        )
    raise UsageError(
        f"There is no command {token!r}.{_nearest(token, COMMANDS)} See elicit-tui --help."
    )


def _first_argument(argv: Sequence[str], options: Mapping[str, argparse.Action]) -> int:
    """The place of the first word that is none of these options nor the value of one."""
    place = 0
    while place < len(argv):
        option, equals, _ = argv[place].partition("=")
        if option not in options:
            break
        # `--option=value` has it already.
        place += 1 if equals or options[option].nargs == 0 else 2
    return min(place, len(argv))


def _options_of(name: str) -> dict[str, argparse.Action]:
    """All options of a command, and of those below it, by what is written."""
    parser = Parser(allow_abbrev=False)
    parser.command = name
    parser.add_argument("--version", action="store_true")
    add_shared_options(parser, COMMANDS["run"])
    importlib.import_module(COMMANDS[name].module).add_arguments(parser)
    found = dict(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                found |= below._option_string_actions
    return found


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a mistyped one; None where none is like it."""
    import difflib  # Only who mistyped something waits for it.

    return next(iter(difflib.get_close_matches(name, known, 1)), None)


def _nearest(name: str, known: Iterable[str]) -> str:
    # The dashes, which all options have, make none of them alike.
    words = {option.lstrip("-"): option for option in known}
    near = nearest(name.partition("=")[0].lstrip("-"), words)
    return f" Did you mean {words[near]}?" if near is not None else ""


def _parser_of(name: str, command: Command, prog: str) -> Parser:
    """A command's parser, without the arguments that its module adds."""
    parser = Parser(
        prog=prog,
        usage=f"elicit-tui {command.usage} [options]" if command.any_order else None,
        description=_sentence(command.summary),
        epilog=_epilog(command),
        allow_abbrev=False,
    )
    parser.command = name
    return parser


def parse(name: str, arguments: Sequence[str]) -> tuple[ModuleType, argparse.Namespace]:
    """The module of the command, or of its own command that is named, and its parsed arguments.

    The namespace has `command`, `config` and `log_file` (Path or None), `with_servers` (a list of
    NAME=TARGET), `protocol` and `approval_policy` (None unless given), and what the module adds.
    Raises UsageError, and HelpShown after `--help`.
    """
    command = COMMANDS[name]
    prog = f"elicit-tui {name}"
    namespace = argparse.Namespace(command=name, approval_policy=None)
    # Taken out first, from wherever they stand: a command's own commands never see them.
    shared = Parser(prog=prog, add_help=False, allow_abbrev=False)
    add_shared_options(shared, command)
    # `rest` is what no shared option took, in its order.
    namespace, rest = shared.parse_known_args(arguments, namespace)
    # The first word that is no option: an own command stands before its arguments.
    named = next((word for word in rest if not word.startswith("-")), None)
    if named is not None and named in command.own:
        # The first of its kind only: a later one may be an argument.
        rest.remove(named)
        name, command, prog = named, command.own[named], f"{prog} {named}"
        namespace.command = name
    # A policy that would do nothing is refused: who writes one relies on it.
    if not command.asks and (namespace.approval_policy or any(map(_is_policy, rest))):
        raise UsageError(
            f"{prog.partition(' ')[2]} takes no --approval-policy: it asks nobody anything."
        )
    module = importlib.import_module(command.module)
    parser = _parser_of(name, command, prog)
    module.add_arguments(parser)
    # Only now, as an option may stand where a command's own command would.
    rest = _with_default(command, rest)
    takes = parser.parse_intermixed_args if command.any_order else parser.parse_args
    namespace = takes(rest, namespace)
    if namespace.log_file is not None:
        from elicit_tui.host.server_log import LogFile

        # Before anything is asked or called, and not when a server says its first word.
        LogFile(namespace.log_file).check()
    return module, namespace


def _with_default(command: Command, rest: list[str]) -> list[str]:
    """The arguments, with the own command that is meant where none comes first."""
    if command.default is None or (rest and (rest[0] in ("-h", "--help") or rest[0][:1] != "-")):
        return rest
    return [command.default, *rest]


def _is_policy(word: str) -> bool:
    return word.partition("=")[0] == "--approval-policy"


def add_shared_options(parser: argparse.ArgumentParser, command: Command) -> None:
    """Give a parser the options that every command has, and those of one that can ask."""
    parser.add_argument("--config", type=Path)
    parser.add_argument("--with", dest="with_servers", action="append", default=[])
    parser.add_argument("--log-file", type=Path)
    parser.add_argument("--protocol", choices=("auto", "2025-11-25", "2026-07-28"))
    if command.asks:
        parser.add_argument("--approval-policy", choices=("on-request", "never"))


def _epilog(command: Command) -> str:
    options = "--config FILE, --with NAME=TARGET, --protocol REVISION, --log-file FILE"
    if command.asks:
        options += ", --approval-policy on-request|never"
    order = "Options and arguments come in any order." if command.any_order else ""
    own = "; ".join(option.usage for option in command.own.values())
    commands = f"Its own commands, each with a --help: {own}. " if own else ""
    return f"{commands}Also: {options}; see elicit-tui --help. {order}".rstrip()


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:] + "."


def positive_seconds(text: str) -> float:
    """An argparse type: a number of seconds above 0, that a calendar can say."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    # Neither NaN nor infinity: both would pass a single comparison.
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of seconds above 0 and below 1000000000"
        )
    return seconds


class OwnCommand(Parser):
    """A command's own command."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does; what is not known is an error here, where its own options are."""
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown


class InAnyOrder(Parser):
    """A command's own command whose options may stand among its arguments."""

    _intermixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does, with the positionals read last."""
        # argparse calls this again from within.
        if self._intermixing:
            return super().parse_known_args(args, namespace)
        self._intermixing = True
        try:
            namespace, unknown = self.parse_known_intermixed_args(args, namespace)
        finally:
            self._intermixing = False
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown
