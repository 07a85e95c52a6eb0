"""The agents of the bench: their packages, and how each is started with a model of ours.

Each is installed by its registry's own client, without scripts, in a folder of its own below
`installed`; each runs with an empty home and reaches nothing but loopback.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.agents.model import MODEL

INSTALLED: Final = Path(__file__).parent / "installed"
PROMPT: Final = "Call the tool."
HOSTS: Final = Path(__file__).with_name("library_hosts.py")
MACHINE: Final = f"linux-{'arm64' if platform.machine() == 'aarch64' else 'x64'}"

Environment = dict[str, str]


@dataclass(frozen=True)
class RealAgent:
    """One agent: `prepare` writes what it needs into a home and returns what it needs beside."""

    key: str
    """As in agents.toml."""
    package: str
    version: str
    program: str
    """Below its folder; `{machine}` is the kind of this one."""
    arguments: tuple[str, ...]
    prepare: Callable[[Path, str], Environment]
    """Of the home and the model's address."""
    in_ci: bool = False
    with_node: bool = False
    in_terminal: tuple[str, ...] = ()
    """How it is started in a terminal, where it knows tasks."""
    ends: bool = True
    """Whether its process ends with its work."""
    python: str | None = None
    """The oldest Python that its package takes; None: it is of npm."""
    beside: tuple[str, ...] = ()
    """What it needs beside its package, where it is a library."""
    by_snippet: bool = False
    """Whether it is a library, whose program is given the lines of `gateway snippet`."""
    not_run: str = field(default="", compare=False)
    """Why it cannot be run here at all."""

    @property
    def folder(self) -> Path:
        return INSTALLED / self.key

    @property
    def path(self) -> Path:
        return self.folder / self.program.format(machine=MACHINE)

    @property
    def command(self) -> list[str]:
        node = [shutil.which("node") or "node"] if self.with_node else []
        return [*node, str(self.path), *self.arguments]

    @property
    def missing(self) -> str:
        """Why it is not there; empty where it is."""
        if self.not_run:
            return self.not_run
        if self.python is not None and self._interpreter() is None:
            return f"it needs Python {self.python}, which is not on this machine"
        return "" if self.path.exists() else f"{self.package} is not installed"

    def _interpreter(self) -> str | None:
        assert self.python is not None
        least = int(self.python.partition(".")[2])
        own = [sys.executable] if sys.version_info[1] >= least else []
        # Where several stand side by side, only a whole path names one that is not the chosen one.
        beside = Path(sys.base_prefix).parent.glob("3.*/bin/python3.*[0-9]")
        apart = [str(path) for path in sorted(beside) if _minor(path.name) >= least]
        named = (shutil.which(f"python3.{minor}") for minor in range(least, least + 4))
        return next((found for found in (*own, *apart, *named) if found and _runs(found)), None)

    def install(self) -> str:
        """Install it; what went wrong, or nothing."""
        if self.not_run or self.path.exists():
            return self.not_run
        self.folder.mkdir(parents=True, exist_ok=True)
        pinned = f"{self.package}{'==' if self.python else '@'}{self.version}"
        if self.python is None:
            npm = [shutil.which("npm") or "npm", "install", "--ignore-scripts", "--no-audit"]
            commands = [[*npm, "--no-fund", "--prefix", str(self.folder), pinned]]
        else:
            interpreter = self._interpreter()
            if interpreter is None:
                return self.missing
            pip = [str(self.folder / "bin" / "python"), "-m", "pip", "install", "-q"]
            pip += [pinned, *self.beside]
            commands = [[interpreter, "-m", "venv", str(self.folder)], pip]
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return f"{done.stdout[-500:]}{done.stderr[-500:]}".strip()
        return self.missing


def _minor(name: str) -> int:
    """Of `python3.12`, 12."""
    return int(name.rpartition(".")[2])


def _runs(interpreter: str) -> bool:
    """Whether it is one; a name may stand there for what is not installed."""
    return subprocess.run([interpreter, "-V"], capture_output=True, check=False).returncode == 0


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def codex(home: Path, url: str) -> Environment:
    provider = f'name = "{MODEL}"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
    text = f'model = "{MODEL}"\nmodel_provider = "own"\n[model_providers.own]\n{provider}'
    written(home / ".codex" / "config.toml", text)
    return {}


def claude(home: Path, url: str) -> Environment:
    written(home / ".claude.json", json.dumps({"hasCompletedOnboarding": True}))
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    }


def claude_in_terminal(home: Path, folder: Path, **more: Any) -> None:
    """Add to its own file what lets a person sit before it in that folder without questions."""
    path = home / ".claude.json"
    own = {
        **json.loads(path.read_text()),
        "customApiKeyResponses": {"approved": ["none"], "rejected": []},
        "projects": {str(folder): {"hasTrustDialogAccepted": True}},
        **more,
    }
    path.write_text(json.dumps(own))


def gemini(home: Path, url: str) -> Environment:
    chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    written(home / ".gemini" / "settings.json", json.dumps(chosen))
    return {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def qwen(home: Path, url: str) -> Environment:
    chosen = {"security": {"auth": {"selectedType": "openai"}}}
    written(home / ".qwen" / "settings.json", json.dumps(chosen))
    return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": MODEL}


def opencode(home: Path, url: str, name: str = "opencode") -> Environment:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "own",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {MODEL: {"name": MODEL}},
    }
    config = {"model": f"own/{MODEL}", "autoupdate": False, "provider": {"own": provider}}
    written(home / ".config" / name / f"{name}.json", json.dumps(config))
    return {}


def copilot(home: Path, url: str) -> Environment:
    (home / ".copilot").mkdir(parents=True)
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": MODEL,
        "COPILOT_OFFLINE": "true",
    }


def cline(home: Path, url: str) -> Environment:
    (home / ".cline" / "data" / "settings").mkdir(parents=True)
    program = ALL["cline"].path
    login = ["auth", "-p", "openai", "-k", "none", "-m", MODEL, "-b", f"{url}/v1"]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    subprocess.run([program, *login], env=environment, capture_output=True, check=True)
    return {}


def continue_(home: Path, url: str) -> Environment:
    model = {
        "name": MODEL,
        "provider": "openai",
        "model": MODEL,
        "apiBase": f"{url}/v1",
        "apiKey": "none",
        "roles": ["chat"],
        "capabilities": ["tool_use"],
    }
    head = "name: Local Config\nversion: 1.0.0\nschema: v1\nmodels:\n"
    written(home / ".continue" / "config.yaml", f"{head}  - {json.dumps(model)}\n")
    return {}


def fast_agent(home: Path, url: str) -> Environment:
    text = f"default_model: generic.{MODEL}\ngeneric:\n  api_key: none\n  base_url: {url}/v1\n"
    written(home / ".fast-agent" / "fast-agent.yaml", text)
    return {}


def library(home: Path, url: str) -> Environment:
    return {
        "MODEL_URL": url,
        "GOOGLE_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
    }


def nothing(home: Path, url: str) -> Environment:
    return {}


def library_host(key: str, package: str, version: str, *beside: str, python: str) -> RealAgent:
    """A program that is written with a library."""
    arguments = (str(HOSTS), key, "{home}/snippet.py", "{url}")
    return RealAgent(
        *(key, package, version, "bin/python", arguments, library),
        python=python,
        beside=beside,
        by_snippet=True,
    )


OPENCODE_MODULES = "node_modules/opencode-{machine}/bin/opencode"
ALL: Final = {
    agent.key: agent
    for agent in (
        RealAgent(
            "codex",
            "@openai/codex",
            "0.169.0",
            "node_modules/.bin/codex",
            (
                *("exec", "--skip-git-repo-check"),
                *("--dangerously-bypass-approvals-and-sandbox", PROMPT),
            ),
            codex,
            in_ci=True,
            with_node=True,
        ),
        RealAgent(
            "claude-code",
            "@anthropic-ai/claude-code",
            "2.1.330",
            "node_modules/@anthropic-ai/claude-code-{machine}/claude",
            ("-p", "--dangerously-skip-permissions", PROMPT),
            claude,
            in_terminal=("--allowedTools", "mcp__elicit-tui__asking__one"),
        ),
        RealAgent(
            "gemini-cli",
            "@google/gemini-cli",
            "0.61.0",
            "node_modules/@google/gemini-cli/bundle/gemini.js",
            ("--yolo", "-m", "gemini-2.5-flash", "-p", PROMPT),
            gemini,
            in_ci=True,
            with_node=True,
        ),
        RealAgent(
            "opencode",
            "opencode-ai",
            "1.18.33",
            OPENCODE_MODULES,
            ("run", PROMPT),
            opencode,
            in_ci=True,
        ),
        RealAgent(
            "kilo",
            "@kilocode/cli",
            "7.7.7",
            "node_modules/@kilocode/cli-{machine}/bin/kilo",
            ("run", "--auto", PROMPT),
            lambda home, url: opencode(home, url, "kilo"),
            ends=False,
        ),
        RealAgent(
            "copilot-cli",
            "@github/copilot",
            "1.0.102",
            "node_modules/@github/copilot-{machine}/copilot",
            ("-p", PROMPT, "--allow-all-tools"),
            copilot,
        ),
        RealAgent(
            "cline",
            "cline",
            "3.0.65",
            "node_modules/@cline/cli-{machine}/bin/cline",
            (PROMPT,),
            cline,
        ),
        RealAgent(
            "qwen-code",
            "@qwen-code/qwen-code",
            "0.24.4",
            "node_modules/@qwen-code/qwen-code/cli-entry.js",
            ("--yolo", "-p", PROMPT),
            qwen,
            with_node=True,
        ),
        RealAgent(
            "continue",
            "@continuedev/cli",
            "1.5.47",
            "node_modules/.bin/cn",
            ("-p", "--auto", "--config", "{home}/.continue/config.yaml", PROMPT),
            continue_,
            with_node=True,
        ),
        RealAgent(
            "fast-agent",
            "fast-agent-mcp",
            "0.10.46",
            "bin/fast-agent",
            ("go", "--home", "{home}/.fast-agent", "--servers", "elicit-tui", "--message", PROMPT),
            fast_agent,
            python="3.12",
        ),
        library_host("openai-agents", "openai-agents", "0.24.0", python="3.10"),
        library_host("pydantic-ai", "pydantic-ai-slim[openai,mcp]", "2.68.0", python="3.10"),
        library_host(
            *("langchain", "langchain-mcp-adapters", "0.3.2"),
            *("langchain==1.5.0", "langchain-openai==1.7.4"),
            python="3.10",
        ),
        library_host("google-adk", "google-adk[mcp]", "2.13.0", python="3.10"),
        RealAgent(
            "goose",
            "goose",
            "",
            "goose",
            ("run", "-t", PROMPT),
            nothing,
            not_run="it is in no package registry",
        ),
    )
}
