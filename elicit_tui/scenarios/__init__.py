"""Scenarios: what a server's author expects of a tool that asks, run on the real server.

`read_scenarios` reads the files, `run_scenarios` runs them over `runtime` without a screen, and
`Suite` holds what came of it. Nothing here writes to standard output.
"""

from elicit_tui.scenarios.linting import Linted, lint_questions, lint_server
from elicit_tui.scenarios.one_scenario import OneByOne, Options, ways_known
from elicit_tui.scenarios.reading import read_scenarios, scenario_from_answers
from elicit_tui.scenarios.result import Run, RunEvent, Suite, coverage, junit_xml
from elicit_tui.scenarios.running import processors, run_scenarios
from elicit_tui.scenarios.scenario import Expectation, PreparedAnswer, Scenario

__all__ = [
    "Expectation",
    "Linted",
    "OneByOne",
    "Options",
    "PreparedAnswer",
    "Run",
    "RunEvent",
    "Scenario",
    "Suite",
    "coverage",
    "junit_xml",
    "lint_questions",
    "lint_server",
    "processors",
    "read_scenarios",
    "run_scenarios",
    "scenario_from_answers",
    "ways_known",
]
