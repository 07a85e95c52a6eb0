"""Follows the steps of a composite action as a GitHub runner does, without GitHub.

Every `run` is a script of bash with the files of the environment; a `uses` is only noted. Of the
language of expressions it knows what the action has: names, texts, `==`, `!`, `&&` and functions.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

BASH = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail")
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@dataclass
class Job:
    """One use of an action in one checkout, and what came of it."""

    action: Path
    workspace: Path
    temporary: Path
    given: Mapping[str, str]
    log: str = ""
    outcomes: dict[str, str] = field(default_factory=dict)
    """Of each step, by its id or name: success, failure, skipped."""
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    used: dict[str, dict[str, str]] = field(default_factory=dict)
    """What a step with `uses` was given, by the action that it uses."""

    def __post_init__(self) -> None:
        self.file = YAML(typ="safe", pure=True).load(self.action.read_text("utf-8"))
        assert self.file["runs"]["using"] == "composite"
        assert not self.given.keys() - self.file["inputs"].keys()
        told = {name: str(each.get("default", "")) for name, each in self.file["inputs"].items()}
        self.inputs = {**told, **self.given}
        self.summary = self.temporary / "summary.md"

    @property
    def failed(self) -> bool:
        """Whether a step failed."""
        return "failure" in self.outcomes.values()

    def run(self) -> Job:
        """Do every step whose condition holds."""
        for number, step in enumerate(self.file["runs"]["steps"]):
            name = step.get("id", step["name"])
            condition = str(step.get("if", "success()"))
            if not self._value(condition.removeprefix("${{").removesuffix("}}").strip()):
                self.outcomes[name] = "skipped"
            elif "uses" in step:
                given = {key: self._filled(value) for key, value in step["with"].items()}
                self.used[step["uses"].partition("@")[0]] = given
                self.outcomes[name] = "success"
            else:
                self._script(number, name, step)
        return self

    def output(self, name: str) -> str:
        """One of the action's own outputs."""
        return self._filled(self.file["outputs"][name]["value"])

    def _script(self, number: int, name: str, step: Mapping[str, Any]) -> None:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "what is put into a script may be code"
        script = self.temporary / f"{number}.sh"
        script.write_text(step["run"])
        output = self.temporary / f"{number}.output"
        output.touch()
        told = {key: self._filled(value) for key, value in step.get("env", {}).items()}
        files = {"GITHUB_OUTPUT": output, "GITHUB_STEP_SUMMARY": self.summary}
        done = subprocess.run(
            [*BASH, str(script)],
            cwd=self.workspace / self._filled(step.get("working-directory", ".")),
            env={
                **os.environ,
                "CI": "true",
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKSPACE": str(self.workspace),
                "RUNNER_TEMP": str(self.temporary),
                **{key: str(file) for key, file in files.items()},
                **told,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=100,
            check=False,
        )
        self.log += done.stdout
        self.outcomes[name] = "failure" if done.returncode else "success"
        lines = output.read_text().splitlines()
        self.outputs[name] = dict(line.split("=", 1) for line in lines)

    def _filled(self, text: Any) -> str:
        return EXPRESSION.sub(lambda found: str(self._value(found[1])), str(text))

    def _value(self, expression: str) -> Any:
        parts = expression.split(" && ")
        if len(parts) > 1:
            return all(self._value(part) for part in parts)
        if " == " in expression:
            left, right = expression.split(" == ")
            return self._value(left) == self._value(right)
        if expression.startswith("!"):
            return not self._value(expression[1:])
        if expression.startswith("'"):
            return expression.strip("'")
        if expression in ("success()", "cancelled()"):
            return expression == "success()" and not self.failed
        return self._named(expression.split("."))

    def _named(self, path: list[str]) -> str:
        if path == ["github", "action_path"]:
            return str(self.action.parent)
        if path[0] == "inputs" and len(path) == 2:
            return self.inputs[path[1]]
        assert path[0] == "steps", path
        if path[2] == "outcome":
            return self.outcomes[path[1]]
        assert path[2] == "outputs", path
        return self.outputs.get(path[1], {}).get(path[3], "")
