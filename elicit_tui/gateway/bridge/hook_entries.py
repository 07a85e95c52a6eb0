"""Our hooks in an agent's own file: put in, taken out, looked at.

The file is JSON as Claude Code has it: `{"hooks": {EVENT: [{"hooks": [{"type": "command", …}]}]}}`.
"""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from elicit_tui.config.importing import jsonc
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.toml_spelling import in_ascii
from elicit_tui.errors import ConfigError, UsageError
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install import json_text
from elicit_tui.gateway.install.changes import Change, make, only_real
from elicit_tui.gateway.install.gateway_entry import Check
from elicit_tui.gateway.install.places import FoundFile, left_as_it_is, look, shown_path
from elicit_tui.gateway.install.planning import Plan
from elicit_tui.gateway.install.undoing import InstallRecord, Records, sha256_of

HOOKS: Final = ("hooks",)
MORE_SECONDS: Final = 15
"""What an agent waits beyond `bridge.hold_sec`: for the start, the owner's hooks, the record."""
# However it is spelled: by name, by module, with a path before it.
_OURS: Final = re.compile(r"elicit[-_]tui['\"]?\s+bridge\s")


def hook_command(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The command line that an agent's shell runs, with what decides where our files are."""
    carried = [f"{name}={value}" for name, value in environment.items()]
    return shlex.join([*(["env", *carried] if carried else []), *command])


def time_limit(hold_sec: float) -> int:
    """The seconds after which the agent ends the hook; above the time that a question waits."""
    return math.ceil(hold_sec) + MORE_SECONDS


def plan_hooks(agent: Agent, path: Path, command: str, hold_sec: float) -> Plan:
    """Put our hooks into the agent's file, in place of older ones of ours. Raises ConfigError."""
    records = Records(agent, path)
    record, found = records.read(), look(path)
    if found.content is None and not path.parent.is_dir():
        raise UsageError(
            f"There is no folder {shown_path(path.parent)}: is {agent.title} installed? "
            "Another place is given with --file."
        )
    # As if nothing had been installed before, so that installing twice is like once.
    before = _undone(found, records, record) if record is not None else found.content
    text = _HooksText(_text(before, path), path).without_ours()
    after = text.with_ours(agent.hook_events, command, time_limit(hold_sec)).text.encode()
    change = Change(path, found.content, after, found.mode)
    new = InstallRecord(
        agent.key, str(path), before is None, sha256_of(after), found.private, not text.has_hooks
    )
    real = tuple(only_real([change]))
    return Plan(
        real,
        lambda: make(real, lambda: records.write(new, before, None)),
        copy=records.copy if before is not None else None,
    )


def plan_without_hooks(agent: Agent, path: Path) -> Plan:
    """Take our hooks out: byte for byte as it was, if nobody wrote since. Raises ConfigError."""
    records = Records(agent, path)
    record, found = records.read(), look(path)
    real = tuple(
        only_real([Change(path, found.content, _undone(found, records, record), found.mode)])
    )

    def carry_out() -> None:
        make(real)
        records.forget()

    return Plan(real, carry_out)


def _undone(found: FoundFile, records: Records, record: InstallRecord | None) -> bytes | None:
    """The file without our hooks; None: there would be none."""
    if found.content is None:
        return None
    # Nobody has written to it since: the copy is exactly what stood there.
    if record is not None and sha256_of(found.content) == record.after:
        before = records.copied(records.copy)
        # Of a file that was made there is no copy.
        if record.created or before is not None:
            return before
    text = _HooksText(_text(found.content, found.path), found.path).without_ours()
    # The table that we made goes with what was in it.
    if record is not None and record.made_table:
        text = text.without_empty()
    return text.text.encode()


def _text(content: bytes | None, path: Path) -> str:
    try:
        return (content or b"").decode()
    except UnicodeDecodeError:
        raise left_as_it_is(path, "it is not UTF-8 text") from None


@dataclass(frozen=True)
class _HooksText:
    """The text of one file, of which only the members of `hooks` are changed."""

    text: str
    path: Path

    @property
    def values(self) -> Mapping[str, Any]:
        """What stands in it. Raises ConfigError."""
        try:
            values = jsonc.loads(self.text) if self.text.strip() else {}
        except ValueError as error:
            raise left_as_it_is(self.path, f"it is not JSON: {in_ascii(str(error), 200)}") from None
        hooks = values.get("hooks", {}) if isinstance(values, dict) else None
        if not isinstance(hooks, dict) or not all(
            isinstance(entries, list) for entries in hooks.values()
        ):
            raise left_as_it_is(self.path, "its way of writing hooks is not understood")
        return values

    @property
    def has_hooks(self) -> bool:
        """Whether it has any table of hooks."""
        return "hooks" in self.values

    @property
    def entries(self) -> Mapping[str, list[Any]]:
        """The entries of each event."""
        found: Mapping[str, list[Any]] = self.values.get("hooks", {})
        return found

    def with_ours(self, events: Sequence[str], command: str, seconds: int) -> _HooksText:
        """The text with our entry at the end of each of these events."""
        hook = {"type": "command", "command": command, "timeout": seconds}
        text = self
        for event in events:
            text = text._put(event, [*text.entries.get(event, []), {"hooks": [hook]}])
        return text

    def without_ours(self) -> _HooksText:
        """The text without any entry of ours; of one that has others' beside it, without ours."""
        text = self
        for event, entries in self.entries.items():
            left = [kept for entry in entries if (kept := _without_ours(entry)) is not None]
            if not left and entries:
                text = text._changed(lambda now, key=event: json_text.taken(now, HOOKS, key)[0])
            elif left != entries:
                text = text._put(event, left)
        return text

    def without_empty(self) -> _HooksText:
        """The text without an empty table of hooks."""
        if not self.has_hooks or self.entries:
            return self
        return self._changed(lambda now: json_text.taken(now, (), "hooks")[0])

    def _put(self, event: str, entries: list[Any]) -> _HooksText:
        return self._changed(lambda now: json_text.put(now, HOOKS, event, entries))

    def _changed(self, change: Any) -> _HooksText:
        others = {key: value for key, value in self.values.items() if key != "hooks"}
        try:
            changed = _HooksText(change(self.text), self.path)
        except ValueError as error:
            raise left_as_it_is(self.path, str(error)) from None
        others_after = {key: value for key, value in changed.values.items() if key != "hooks"}
        # Whatever is changed, everything beside the hooks means the same as before.
        if json.dumps(others_after) != json.dumps(others):
            raise left_as_it_is(self.path, "its way of writing hooks is not understood")
        return changed


def _without_ours(entry: Any) -> Any:
    """An entry of an event without what runs us; None where nothing else stands in it."""
    hooks = _hooks_of(entry)
    kept = [hook for hook in hooks if not _is_ours(hook)]
    if len(kept) == len(hooks):
        return entry
    return {**entry, "hooks": kept} if kept else None


def _hooks_of(entry: Any) -> list[Any]:
    """What an entry of an event runs; nothing, where it is written in another way."""
    hooks = entry.get("hooks") if isinstance(entry, dict) else None
    return hooks if isinstance(hooks, list) else []


def _is_ours(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and _OURS.search(command) is not None


def hook_checks(agent: Agent, path: Path, command: str, hold_sec: float) -> Iterator[Check]:
    """The hooks in the agent's file, held against the command and settings of here."""
    shown = shown_path(path)
    try:
        text = _HooksText(_text(look(path).content, path), path)
        values, entries = text.values, text.entries
    except ConfigError as error:
        yield Check(False, f"{error}.")
        return
    how = f"`elicit-tui bridge install {agent.key}` puts it there"
    for event in agent.hook_events:
        ours = [
            hook for entry in entries.get(event, []) for hook in _hooks_of(entry) if _is_ours(hook)
        ]
        if not ours:
            yield Check(False, f"Our hook for {event} does not stand in {shown}: {how}.")
            continue
        yield from _entry_checks(event, ours[0], command, hold_sec, shown)
    if values.get("disableAllHooks") is True:
        yield Check(False, f"disableAllHooks is true in {shown}: no hook is run.")


def _can_be_started(command: str) -> bool:
    try:
        words = shlex.split(command)
    except ValueError:  # a quote that is not closed
        return False
    # What runs, without the variables that stand before it.
    program = next((word for word in words if "=" not in word and word != "env"), None)
    return program is not None and shutil.which(program) is not None


def _entry_checks(
    event: str, hook: Mapping[str, Any], command: str, hold_sec: float, shown: str
) -> Iterator[Check]:
    yield Check(True, f"Our hook for {event} stands in {shown}.")
    stands = str(hook["command"])
    if stands != command:
        yield Check(False, f"It runs another command than this one would write: {stands}.")
    if not _can_be_started(stands):
        yield Check(False, f"Its command cannot be started: {stands}.")
    limit = hook.get("timeout")
    # One second at least is ours, or the agent ends us while the question is answered.
    if not isinstance(limit, int | float) or limit < hold_sec + 1:
        yield Check(
            False, f"The agent ends it after {limit} s, before bridge.hold_sec = {hold_sec:g}."
        )
