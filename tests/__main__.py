"""Runs everything that must pass: style, types, layers, tests, conformance.

`python -m tests` runs it all; `--quick` leaves out the real servers of npm and PyPI; `--long` runs
what takes longer than a push may: sixty deaths, two hundred questions at once, the guardian's laws
in full, new examples for every property, a gateway's endurance.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.forks import hear_signals, shared_forks
from tests.installing import NODE, PLACE, PYTHON

ROOT = Path(__file__).parent.parent

CHECKS = {
    "style": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "layers": ["lint-imports", "--no-cache"],
}
TYPES = ["mypy"]
WORKERS = min(6, 3 * (os.cpu_count() or 2))
"""Most tests wait two thirds of their time: who is done takes from who is not."""


# What pytest makes of a test module is kept for the next process.
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
DEATHS = ("tests/gateway/test_deaths.py", "tests/broker/test_crowd.py", "tests/cli/test_death.py")
TURNS = 10
"""How often each property is tried with examples of its own."""
LONG = {
    "sixty deaths": ["pytest", "-q", "--timeout", "1800", *DEATHS],
    "two hundred questions on two nodes": ["pytest", "-q", "-s", "tests/gateway/test_nodes_die.py"],
    "two hundred questions of six gateways": [
        *("pytest", "-q", "tests/gateway/test_processes.py", "-k", "share_all_questions"),
    ],
    "laws in full": ["tests.guardian.laws"],
    **{
        f"new examples, {turn} of {TURNS}": ["pytest", "-q", "-m", "hypothesis", "tests"]
        for turn in range(1, TURNS + 1)
    },
    "endurance": ["tests.benchmarks.endurance"],
}
"""Modules to run, each with its arguments."""


def command(name: str) -> str:
    """The tool of this environment, so that the environment need not be activated."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def run(title: str, arguments: list[str], **more: object) -> bool:
    print(f"── {title}: {' '.join(map(str, arguments))}", flush=True)
    started = time.monotonic()
    more = {"env": ENVIRONMENT, **more}
    code = subprocess.run(arguments, cwd=ROOT, check=False, **more).returncode  # type: ignore[call-overload]
    print(f"── {title}: {'ok' if code == 0 else 'FAILED'} ({time.monotonic() - started:.0f} s)")
    return code == 0


def run_beside(title: str, *commands: list[str]) -> bool:
    """Run these beside something else: what they printed is shown if one failed."""
    started = time.monotonic()
    for arguments in commands:
        done = subprocess.run(
            arguments,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env=ENVIRONMENT,
        )
        if done.returncode != 0:
            tell_beside(f"{title}: {' '.join(arguments)}: FAILED\n{done.stdout}")
            return False
    tell_beside(f"{title}: ok ({time.monotonic() - started:.0f} s)")
    return True


def tell_beside(what: str) -> None:
    """On a line of its own: pytest may be in the middle of one."""
    print(f"\n── {what}", flush=True)


def install_node_servers() -> bool:
    """Those of npm, by the versions in tests/node."""
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not on this machine: Node.js with npm is needed for the tests' real servers.")
        return False
    return run_beside("node servers", [npm, "ci", "--no-audit", "--no-fund", "--prefix", str(NODE)])


def install_real_agents() -> bool:
    """The agents that CI runs behind the gateway, by the versions in tests/agents."""
    return run_beside("real agents", [sys.executable, "-m", "tests.agents", "install", "--ci"])


def install_python_servers() -> bool:
    """Those of PyPI, by the versions in tests/python, in an environment of their own."""
    environment = PYTHON / ".venv"
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "-q"]
    return run_beside(
        "python servers",
        [sys.executable, "-m", "venv", str(environment)],
        [*pip, "-r", str(PYTHON / "requirements.txt")],
    )


INSTALLS = {
    "node servers": install_node_servers,
    "python servers": install_python_servers,
    "real agents": install_real_agents,
}
"""What some tests need; the tests begin while it is brought."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="leave out the servers of npm and PyPI"
    )
    parser.add_argument("--long", action="store_true", help="only what takes long")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest")
    chosen, rest = parser.parse_known_args()
    hear_signals()
    results = run_long() if chosen.long else run_all(chosen.quick, [*chosen.pytest, *rest])
    failed = [title for title, passed in results.items() if not passed]
    print(f"failed: {', '.join(failed)}" if failed else "everything passed")
    return 1 if failed else 0


def run_long() -> dict[str, bool]:
    environment = {
        **ENVIRONMENT,
        "DEATHS": "60",
        "GATEWAYS_QUESTIONS": "200",
        "NODES_QUESTIONS": "200",
        "EXAMPLES": "new",
    }
    return {
        title: run(title, [sys.executable, "-m", *arguments], env=environment)
        for title, arguments in LONG.items()
    }


def run_all(quick: bool, for_pytest: list[str]) -> dict[str, bool]:
    """`quick`: without the servers of npm and PyPI, and what needs them."""
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(8) as beside:
        others = {"types": beside.submit(run_beside, "types", [command(word) for word in TYPES])}
        for title, install in {} if quick else INSTALLS.items():
            others[title] = beside.submit(installed, install, being_installed(place, title))
        if not quick:
            conformance = [sys.executable, "-m", "tests.conformance"]
            others["conformance"] = beside.submit(run_beside, "conformance", conformance)
        results = {
            title: run(title, [command(arguments[0]), *arguments[1:]])
            for title, arguments in CHECKS.items()
        }
        pytest = [sys.executable, "-m", "pytest", "-q"]
        # What pytest makes of each test module, made once and not by each worker.
        collection = beside.submit(run_beside, "collection", [*pytest, "--collect-only"])
        workers = ["-n", str(WORKERS), "--dist", "worksteal"]
        with shared_forks() as forks:
            results["collection"] = collection.result()
            environment = {**ENVIRONMENT, **forks, PLACE: place}
            results["tests"] = run("tests", [*pytest, *workers, *for_pytest], env=environment)
        return results | {title: other.result() for title, other in others.items()}


def being_installed(place: str, title: str) -> Path:
    """The file that holds those tests which need this."""
    file = Path(place, title)
    file.touch()
    return file


def installed(install: Callable[[], bool], holding: Path) -> bool:
    """Install it, and let the tests that wait for it begin."""
    try:
        return install()
    finally:
        holding.unlink()


if __name__ == "__main__":
    sys.exit(main())
