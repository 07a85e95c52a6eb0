"""`elicit-tui gateway doctor AGENT`: what an agent supports, and how long it really waits."""

from __future__ import annotations

import argparse
import os
import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from elicit_tui.cli.agent_file import add_file, chosen_file, gateway_environment, gateway_program
from elicit_tui.cli.exit_codes import FAILED, INTERRUPTED, LIMIT, OK
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.parser import positive_seconds
from elicit_tui.cli.run_settings import load_settings
from elicit_tui.gateway.doctor_files import DoctorFiles, DoctorRequest, decisive, measured, proof_of
from elicit_tui.gateway.held_calls import TICK_SECONDS
from elicit_tui.gateway.install.gateway_entry import checks
from elicit_tui.gateway.install.places import agent_named, own_file
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.gateway.agents import Agent
    from elicit_tui.gateway.doctor_files import DoctorFiles, DoctorRequest, Observation, Patience

LONGEST_SECONDS: Final = 1800.0
LOOK_SECONDS: Final = 0.2
PATIENT_SECONDS: Final = 1800.0
"""How long the first call, or the next one, is waited for."""
TOLD_EACH: Final = 60.0

CALLS: Final = 2
"""Calls that the sentence asks for."""

SENTENCE: Final = (
    "Call the tool elicit_doctor of elicit-tui with progress false. When that call has ended, "
    "whatever its result, call it once more with progress true. Then stop."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The agent, its file, and how it is measured."""
    parser.add_argument(
        "agent", metavar="AGENT", nargs="?", help="which one; without it, which there are"
    )
    add_file(parser)
    parser.add_argument(
        "--longest",
        metavar="SECONDS",
        type=positive_seconds,
        help="the longest that a call is held to see whether the agent still waits (1800)",
    )
    parser.add_argument(
        "--every",
        metavar="SECONDS",
        type=positive_seconds,
        help="the time between two signs of progress (10, as while a person is asked)",
    )


def run(namespace: argparse.Namespace) -> int:
    """Look, then measure until both calls have ended. Raises UsageError, ConfigError."""
    agent = agent_named(namespace.agent or "", "doctor")
    settings = load_settings(namespace, Narration())
    doctor = Doctor(agent, settings)
    # An agent without a file of its own that we know can still be measured.
    if agent.place:
        path = chosen_file(namespace, lambda: own_file(agent))
        secret_env = settings.store.secret_env
        command = gateway_program(namespace)
        for check in checks(agent, path, command, gateway_environment(), secret_env):
            doctor.tell_check(check.well, check.sentence)
    doctor.tell_what_is_known()
    longest = namespace.longest or LONGEST_SECONDS
    every = namespace.every or TICK_SECONDS
    # The nonce lets both sides prove that they have the same secret, without sending it.
    request = DoctorRequest(agent.key, longest, every, secrets.token_hex(16))
    files = DoctorFiles(agent.key)
    with files.asking(request):
        return doctor.measure(files, request)


class Doctor:
    """Tells a person about one agent, line by line; what is not well is counted."""

    def __init__(self, agent: Agent, settings: Settings) -> None:
        self._agent = agent
        self._settings = settings
        self._output = Output()
        self._narration = Narration()
        self._unwell = 0

    def tell_check(self, well: bool, sentence: str) -> None:
        """Tell how one check came out; one that is not well changes the exit code at the end."""
        if not well:
            self._unwell += 1
        self._output.prose(f"{'✓' if well else '✗'} {neutral_line(sentence, 2000)}")

    def tell_what_is_known(self) -> None:
        """What stands in our table of agents."""
        agent = self._agent
        if agent.supports:
            self._output.prose(f"○ Known of {agent.title}: {agent.supports}")

    def measure(self, files: DoctorFiles, request: DoctorRequest) -> int:
        """Wait for the two calls and tell of them; the exit code."""
        self._narration.say(
            f"\nTell {self._agent.title} this, word for word (it can take {_time(request.longest)} "
            "each; start it again or reconnect its servers if it does not know the tool):\n"
        )
        self._narration.say(f"  {SENTENCE}\n")
        try:
            code = self._watch(files, request)
        except KeyboardInterrupt:
            code = INTERRUPTED
        self._conclude(files.observations(), request)
        return code if code != OK else (FAILED if self._unwell else OK)

    def _watch(self, files: DoctorFiles, request: DoctorRequest) -> int:
        last_news = time.monotonic()
        reported: set[tuple[str, str]] = set()
        renewed = 0.0
        while True:
            # Each second: a request that is not renewed for some is taken for that of a doctor that
            # died (`FRESH_SECONDS`).
            now = time.monotonic()
            if now - renewed > 1:
                files.renew()
                renewed = now
            observations = files.observations()
            for seen in observations:
                # A call that waits is seen again and again; it is told once a minute.
                key = (seen.call, f"{seen.event} {seen.seconds // TOLD_EACH:.0f}")
                if key not in reported:
                    reported.add(key)
                    last_news = now
                    self._tell(seen)
            if sum(observation.event == "ended" for observation in observations) >= CALLS:
                return OK
            if now - last_news > PATIENT_SECONDS:
                self._narration.say("Nobody called the tool (again).")
                return LIMIT
            time.sleep(LOOK_SECONDS)

    def _tell(self, observation: Observation) -> None:
        how = _progress(observation.progress)
        if observation.event == "began":
            self._narration.say(f"… {neutral_line(observation.client, 100)} calls, {how}.")
        elif observation.event == "waits" and observation.seconds >= TOLD_EACH:
            self._narration.say(f"… it still waits after {_time(observation.seconds)}.")

    def _conclude(self, observations: Sequence[Observation], request: DoctorRequest) -> None:
        found = measured(observations)
        for observation in found:
            self.tell_check(True, _patience_line(observation))
        # The call that tells most of a session, and so of how long to hold.
        best = decisive(found)
        if best is None:
            return
        self._tell_secret(observations, request)
        if not best.http:
            self._tell_who_started(observations[-1].started_by)
        if not any(observation.token for observation in found):
            self._output.prose("○ It asks for no progress, so none can extend its time.")
        chosen = self._settings.gateway.hold_sec
        # What would be held today, by the settings and what is known of the agent.
        now = self._agent.hold_seconds(chosen, http=best.http, progress=best.token)
        if now <= best.hold:
            self.tell_check(True, self._held(now, ", which is in time."))
        # The call ended before the agent gave up: that more is too long is not known.
        elif best.at_least:
            more = f"; whether it waits so long is not known: try --longest {now + 20:.0f}."
            self._output.prose(f"○ {self._held(now, more)}")
        else:
            advice = f", which is too long: set hold_sec = {best.hold} under [gateway]."
            self.tell_check(False, self._held(now, advice))

    def _held(self, seconds: float, more: str) -> str:
        return f"While you are asked, its calls are held {_time(seconds)}{more}"

    def _tell_who_started(self, names: Sequence[str]) -> None:
        """Whose processes cannot answer in the person's place."""
        if not names:
            self.tell_check(
                False, "Nobody can tell which process started its gateway; it may answer."
            )
            return
        *runners, agent = names
        through = f", which starts the gateway by way of {', '.join(runners)}" if runners else ""
        below = f"{self._agent.title} ({agent})"
        self.tell_check(True, f"No process below {below}{through} can answer for you.")

    def _tell_secret(self, observations: Sequence[Observation], request: DoctorRequest) -> None:
        name = self._settings.store.secret_env
        # The two digests are compared; the secret itself stands in neither file.
        ours = proof_of(os.environ.get(name), request.nonce)
        theirs = observations[-1].proof
        if ours != theirs:
            self.tell_check(False, f"The secret in {name} is not the same there as here.")
        elif ours is not None:
            self.tell_check(True, f"The secret in {name} reaches its gateway.")


def _patience_line(patience: Patience) -> str:
    transport = "over HTTP" if patience.http else "over stdio"
    how = f"{_progress(patience.progress)}, {transport}"
    if patience.at_least:
        return f"It waits {_time(patience.seconds)} and longer, {how}."
    if patience.silent:
        return f"It gave up without a word, at most after {_time(patience.seconds)}, {how}."
    return f"It gave up after {_time(patience.seconds)}, {how}."


def _progress(progress: bool) -> str:
    return "with signs of progress" if progress else "without signs of progress"


def _time(seconds: float) -> str:
    if seconds >= 600 and seconds % 60 == 0:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
