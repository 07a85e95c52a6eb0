"""The fixture `elicit`: calls tools that ask, with an answer prepared for each question."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.pytest_plugin.server_loop import (
    SECONDS,
    ScenarioFailed,
    loop_of,
    settings_for,
    summary_of,
)
from elicit_tui.scenarios import (
    Expectation,
    Options,
    PreparedAnswer,
    Run,
    Scenario,
    Suite,
    processors,
    run_scenarios,
)
from elicit_tui.scenarios.scenario import text_of


@dataclass(frozen=True)
class CallEnd:
    """What a call came to."""

    result: Mapping[str, Any]
    questions: tuple[str, ...]
    """The messages of its questions, in order."""
    actions: tuple[str, ...]
    """What was answered to each."""

    @property
    def text(self) -> str:
        """The result's text, its blocks joined by line ends."""
        return text_of(self.result)

    @property
    def structured(self) -> Any:
        """The result's structuredContent; None where there is none."""
        return self.result.get("structuredContent")

    @property
    def is_error(self) -> bool:
        """Whether the result says isError."""
        return self.result.get("isError") is True


class Elicit:
    """Calls tools that ask, with an answer prepared for each question.

    A server is an object of the Python SDK or FastMCP, a function that makes one (anew where
    another server would be a new process), a command line (text, or a list of words), or a URL.
    An answer is the content of an accept, or what `declined` and its like give.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @staticmethod
    def accepted(
        content: Mapping[str, Any] | None = None, *, message: str | None = None, **more: Any
    ) -> PreparedAnswer:
        """An accept; `message`: a glob of its question, `more`: keys of a scenario's answer."""
        return PreparedAnswer("accept", message, content, **more)

    @staticmethod
    def declined(message: str | None = None) -> PreparedAnswer:
        """A decline, of a question whose message this glob matches."""
        return PreparedAnswer("decline", message)

    @staticmethod
    def cancelled(message: str | None = None) -> PreparedAnswer:
        """A cancel, of a question whose message this glob matches."""
        return PreparedAnswer("cancel", message)

    def call(
        self,
        server: Any,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        answers: Sequence[Any] = (),
        *,
        is_error: bool | None = False,
        seconds: float = SECONDS,
    ) -> CallEnd:
        """Call a tool and answer what it asks, in order; what it came to.

        `is_error`: whether its result must say isError; None: the test looks at it itself. Raises
        ScenarioFailed where it does otherwise, a question has no answer, an answer no question,
        the call ends without a result or the server breaks a rule of the protocol.
        """
        __tracebackhide__ = True
        expect = Expectation(is_error=is_error)
        scenario = _scenario(tool, arguments, answers, {"expect": expect})
        (run,) = self._run(server, scenario, Options(timeout_sec=seconds))
        if not run.passed or run.result is None:
            raise ScenarioFailed(summary_of([run]))
        return CallEnd(
            run.result,
            tuple(request.message for request in run.asked),
            tuple(str(settled.outcome.action) for settled in run.resolved),
        )

    def branches(
        self,
        server: Any,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        answers: Sequence[Any] = (),
        *,
        gone_wrong: bool = False,
        seconds: float = SECONDS,
        **scenario: Any,
    ) -> list[str]:
        """Try the accept and every way to refuse it; the names of the ways that were tried.

        `scenario` has `expect`, `on_refusal`, `watch` and `changes` as a scenario file has them;
        `gone_wrong`: also answers that no client may send. Raises ScenarioFailed.
        """
        __tracebackhide__ = True
        named = dict(scenario)
        for key, default in (("expect", {}), ("on_refusal", {"is_error": None})):
            if isinstance(named.get(key), Mapping):
                named[key] = Expectation(**{**default, **named[key]})
        named["watch"] = tuple(map(str, named.get("watch", ())))
        options = Options(branches=True, answers_gone_wrong=gone_wrong, timeout_sec=seconds)
        runs = self._run(server, _scenario(tool, arguments, answers, named), options)
        if any(not run.passed for run in runs):
            raise ScenarioFailed(summary_of(runs))
        return [run.branch for run in runs]

    def _run(self, server: Any, scenario: Scenario, options: Options) -> list[Run]:
        """Run it against a command or a server's object. `options` lack what depends on which."""
        if isinstance(server, (str, list, tuple)):
            command = server if isinstance(server, str) else shlex.join(map(str, server))
            settings = settings_for(self._config, (scenario,), (f"server={command}",))
            options = replace(options, jobs=processors(), snapshots=False)
        else:
            settings = _settings_in_process(self._config, server)
            # One object has one state; processes of their own do not.
            options = replace(options, in_process={"server": server}, jobs=1, snapshots=False)
        suite = Suite()
        loop_of(self._config).run(run_scenarios(settings, (scenario,), options, suite))
        return suite.runs


def _scenario(
    tool: str,
    arguments: Mapping[str, Any] | None,
    answers: Sequence[Any],
    parts: Mapping[str, Any],
) -> Scenario:
    """A scenario of the fixture; `parts`: what else it has, by its names."""
    prepared = tuple(_answer(answer) for answer in answers)
    return Scenario(tool, "server", tool, arguments or {}, prepared, runner="fixture", **parts)


def _settings_in_process(config: pytest.Config, server: Any) -> Settings:
    place = ServerSettings(
        "server",
        command=type(server).__name__,
        default_tools_approval_mode="approve",
        layer="command line",
    )
    return replace(settings_for(config, ()), servers={"server": place})


def _answer(given: Any) -> PreparedAnswer:
    if isinstance(given, PreparedAnswer):
        return given
    return PreparedAnswer("accept", None, {} if given is True else given)
