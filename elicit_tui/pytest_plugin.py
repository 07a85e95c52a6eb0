"""A plugin for pytest: scenario files are collected, and `elicit` calls servers in own tests.

Loaded by pytest where elicit-tui is installed (entry point `pytest11`); what it needs of elicit-tui
is imported with the first scenario or the first use of the fixture. Servers run on an event loop
in a thread of their own, so that a test may be a plain function or a coroutine.
"""

from __future__ import annotations

import asyncio
import shlex
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pytest

if TYPE_CHECKING:
    from elicit_tui.elicitation.eras import Revision
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.scenarios import OneByOne, Options, PreparedAnswer, Run, Scenario

Result = TypeVar("Result")
LOOP: Final = pytest.StashKey["_Loop"]()
SECONDS: Final = 30.0
"""For each call, unless told."""
LARGEST: Final = 1024 * 1024
"""Bytes of a TOML file that is looked at for scenarios."""
EVERY_OTHER: Final = "every other way"
"""One test for all of them, where no snapshot tells which there are."""


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker that keeps the ways of a scenario on one worker, where xdist does not."""
    config.addinivalue_line("markers", "xdist_group(name): tests that run on the same worker")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of scenario files."""
    group = parser.getgroup("elicit", "scenarios of MCP servers (elicit-tui)")
    group.addoption(
        "--elicit-with",
        action="append",
        default=[],
        metavar="NAME=TARGET",
        help="a server that scenarios name: a command line or a URL",
    )
    parser.addini("elicit_with", "servers, as --elicit-with has them", "linelist", [])
    parser.addini("elicit_eras", "the protocol revisions that scenarios are run in", "args", [])
    parser.addini("elicit_scenarios", "globs of the files that hold scenarios", "args", ["*.toml"])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a TOML file that holds scenarios."""
    globs = parent.config.getini("elicit_scenarios")
    if file_path.suffix != ".toml" or not any(file_path.match(glob) for glob in globs):
        return None
    if not _holds_scenarios(file_path):
        return None
    found: pytest.Collector = ScenarioFile.from_parent(parent, path=file_path)
    return found


def _holds_scenarios(path: Path) -> bool:
    try:
        if path.stat().st_size > LARGEST:
            return False
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.strip().startswith("[[scenario]]") for line in lines)


class ScenarioFile(pytest.File):
    """The scenarios of one file; each way through each of them is a test."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each way that the file and its snapshots tell of."""
        from elicit_tui.errors import ElicitTuiError
        from elicit_tui.scenarios import read_scenarios, ways_known

        try:
            found = read_scenarios([self.path])
            scenarios = [replace(run, runner="pytest") for run in found]
            settings = _settings(self.config, scenarios)
            for scenario in scenarios:
                for era in self.config.getini("elicit_eras") or ["auto"]:
                    ways = _TriedInTurn(self.config, settings, scenario, era)
                    where = "" if era == "auto" else f" in {era}"
                    for name in ways_known(scenario, era) or ("accept", EVERY_OTHER):
                        title = f"{scenario.name}: {name}{where}"
                        yield ScenarioWay.from_parent(self, name=title, way=name, ways=ways)
        except ElicitTuiError as error:
            raise self.CollectError(str(error)) from None


class _TriedInTurn:
    """One scenario in one revision, with the processes that its tests share."""

    def __init__(
        self, config: pytest.Config, settings: Settings, scenario: Scenario, era: Revision
    ) -> None:
        self._config = config
        self._settings = settings
        self.scenario = scenario
        self._era = era
        self._ways: OneByOne | None = None

    def try_all(self, name: str) -> list[Run]:
        """Try this way; the first test also tries the scenario as it is written."""
        return _loop(self._config).run(self._try_all(name))

    async def _try_all(self, name: str) -> list[Run]:
        from elicit_tui.scenarios import OneByOne, Options

        if self._ways is None:
            options = Options(
                branches=True, answers_gone_wrong=True, eras=(self._era,), timeout_sec=SECONDS
            )
            self._ways = OneByOne(self._settings, self.scenario, self._era, options)
            _loop(self._config).at_the_end.append(self._ways)
        base = await self._ways.base()
        if name == base.branch or not base.passed:
            return [base]
        if name == EVERY_OTHER:
            names = await self._ways.names()
            return [run for branch in names if (run := await self._ways.way(branch)) is not None]
        run = await self._ways.way(name)
        return [run] if run is not None else []


class ScenarioWay(pytest.Item):
    """One way through one scenario."""

    def __init__(self, *, way: str, ways: _TriedInTurn, **named: Any) -> None:
        super().__init__(**named)
        self._way = way
        self._ways = ways
        # With `--dist loadgroup` the ways of a scenario stay with one worker, and its process.
        self.add_marker(pytest.mark.xdist_group(f"{self.path}::{ways.scenario.name}"))

    def runtest(self) -> None:
        """Try the way. Raises ScenarioFailed with what is not as it must be."""
        runs = self._ways.try_all(self._way)
        if not runs:
            raise ScenarioFailed(
                f"The questions have no such way any more: {self._way}\n"
                "(elicit-tui test --update takes over what is asked now)"
            )
        if any(not run.passed for run in runs):
            raise ScenarioFailed(summary_of(runs))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What `elicit-tui test` says of it, without a traceback of ours."""
        if isinstance(excinfo.value, ScenarioFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it stands."""
        return self.path, None, self.name


class ScenarioFailed(AssertionError):
    """A way, or a call of the fixture, was not as it must be; `str()` tells what was not."""


def summary_of(runs: Sequence[Run]) -> str:
    """The failed ways as `elicit-tui test` writes them."""
    first = runs[0].scenario
    lines = [f"{first.name} ({first.call} of {first.server})"]
    for run in runs:
        if not run.passed:
            lines += [f"  ✗ {run.branch}", *(f"      {name}" for name in run.failures)]
            lines += [f"      {name}" for name in run.notes]
    return "\n".join(lines)


def _settings(
    config: pytest.Config,
    scenarios: Sequence[Scenario],
    more: Sequence[str] = (),
) -> Settings:
    """The owner's settings with the servers of the options; scenarios' tools need no leave."""
    from elicit_tui.config import CommandLine, load
    from elicit_tui.errors import UsageError

    added = (*config.getini("elicit_with"), *config.getoption("elicit_with"), *more)
    allowed = tuple({(scenario.server, scenario.call): None for scenario in scenarios})
    settings = load(CommandLine(with_servers=added, allowed_tools=allowed))
    for name in scenarios:
        if name.server not in settings.servers:
            raise UsageError(
                f"There is no server {name.server!r}: --elicit-with {name.server}=… adds it, or "
                "elicit_with in the ini file."
            )
    return settings


# In tests of one's own


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
        from elicit_tui.scenarios.scenario import text_of

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
        from elicit_tui.scenarios import PreparedAnswer

        return PreparedAnswer("accept", message, content, **more)

    @staticmethod
    def declined(message: str | None = None) -> PreparedAnswer:
        """A decline, of a question whose message this glob matches."""
        from elicit_tui.scenarios import PreparedAnswer

        return PreparedAnswer("decline", message)

    @staticmethod
    def cancelled(message: str | None = None) -> PreparedAnswer:
        """A cancel, of a question whose message this glob matches."""
        from elicit_tui.scenarios import PreparedAnswer

        return PreparedAnswer("cancel", message)

    def call(
        self,
        server: Any,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        answers: Sequence[Any] = (),
        *,
        seconds: float = SECONDS,
    ) -> CallEnd:
        """Call a tool and answer what it asks, in order; what it came to.

        Raises ScenarioFailed where a question has no answer, an answer no question, the call ends
        without a result or the server breaks a rule of the protocol.
        """
        __tracebackhide__ = True
        from elicit_tui.scenarios import Expectation, Options

        expect = Expectation(is_error=None)
        scenario = _scenario(tool, arguments, answers, {"expect": expect})
        (run,) = self._run(server, scenario, Options(timeout_sec=seconds))
        if not run.passed or run.result is None:
            raise ScenarioFailed(summary_of([run]))
        return CallEnd(
            run.result,
            tuple(request.message for request in run.asked),
            tuple(str(name.outcome.action) for name in run.resolved),
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
        from elicit_tui.scenarios import Expectation, Options

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
        from elicit_tui.scenarios import Suite, processors, run_scenarios

        if isinstance(server, (str, list, tuple)):
            command = server if isinstance(server, str) else shlex.join(map(str, server))
            settings = _settings(self._config, (scenario,), (f"server={command}",))
            options = replace(options, jobs=processors(), snapshots=False)
        else:
            settings = _in_process_settings(self._config, server)
            # One object has one state; processes of their own do not.
            options = replace(options, in_process={"server": server}, jobs=1, snapshots=False)
        suite = Suite()
        _loop(self._config).run(run_scenarios(settings, (scenario,), options, suite))
        return suite.runs


def _scenario(
    tool: str,
    arguments: Mapping[str, Any] | None,
    answers: Sequence[Any],
    parts: Mapping[str, Any],
) -> Scenario:
    """A scenario of the fixture; `parts`: what else it has, by its names."""
    from elicit_tui.scenarios import Scenario

    prepared = tuple(_answer(answer) for answer in answers)
    return Scenario(tool, "server", tool, arguments or {}, prepared, runner="fixture", **parts)


def _in_process_settings(config: pytest.Config, server: Any) -> Settings:
    from elicit_tui.elicitation.settings import ServerSettings

    place = ServerSettings(
        "server",
        command=type(server).__name__,
        default_tools_approval_mode="approve",
        layer="command line",
    )
    return replace(_settings(config, ()), servers={"server": place})


def _answer(given: Any) -> PreparedAnswer:
    from elicit_tui.scenarios import PreparedAnswer

    if isinstance(given, PreparedAnswer):
        return given
    return PreparedAnswer("accept", None, {} if given is True else given)


@pytest.fixture
def elicit(request: pytest.FixtureRequest) -> Elicit:
    """Calls tools that ask, of servers in this process and out of it."""
    return Elicit(request.config)


# The loop of the servers


class _Loop:
    """An event loop in a thread of its own, which servers and their connections live on."""

    def __init__(self) -> None:
        from elicit_tui.host.sdk import load_whole

        # The test's own modules use the SDK too, and have it whole.
        load_whole()
        self._loop = asyncio.new_event_loop()
        self.at_the_end: list[OneByOne] = []
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Do this there, and wait for it."""
        doing = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return doing.result()
        except BaseException:
            doing.cancel()
            raise

    def close(self) -> None:
        """End every process that is left, then the loop."""
        for ways in self.at_the_end:
            self.run(ways.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _loop(config: pytest.Config) -> _Loop:
    if LOOP not in config.stash:
        config.stash[LOOP] = _Loop()
    return config.stash[LOOP]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what was started."""
    loop = config.stash.get(LOOP, None)
    if loop is not None:
        del config.stash[LOOP]
        loop.close()
