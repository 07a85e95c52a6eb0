"""Runs everything that must pass: style, types, layers, tests, conformance.

`python -m tests` runs it all; `--quick` leaves out the real servers of npm and PyPI.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
NODE = ROOT / "tests" / "node"
PYTHON = ROOT / "tests" / "python"

CHECKS = {
    "style": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
    "layers": ["lint-imports", "--no-cache"],
}


def command(name: str) -> str:
    """The tool of this environment, so that the environment need not be activated."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def run(title: str, arguments: list[str], **more: object) -> bool:
    print(f"── {title}: {' '.join(map(str, arguments))}", flush=True)
    started = time.monotonic()
    code = subprocess.run(arguments, cwd=ROOT, check=False, **more).returncode  # type: ignore[call-overload]
    print(f"── {title}: {'ok' if code == 0 else 'FAILED'} ({time.monotonic() - started:.0f} s)")
    return code == 0


def install(title: str, *commands: list[str]) -> bool:
    """Put real servers that the tests talk to in place; what it printed is shown if it failed."""
    started = time.monotonic()
    for arguments in commands:
        done = subprocess.run(
            arguments,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(f"── {title}: {' '.join(arguments)}: FAILED\n{done.stdout}", flush=True)
            return False
    print(f"── {title}: ok ({time.monotonic() - started:.0f} s)", flush=True)
    return True


def install_node_servers() -> bool:
    """Those of npm, by the versions in tests/node."""
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not on this machine: Node.js with npm is needed for the tests' real servers.")
        return False
    return install("node servers", [npm, "ci", "--no-audit", "--no-fund", "--prefix", str(NODE)])


def install_python_servers() -> bool:
    """Those of PyPI, by the versions in tests/python, in an environment of their own."""
    environment = PYTHON / ".venv"
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "-q"]
    return install(
        "python servers",
        [sys.executable, "-m", "venv", str(environment)],
        [*pip, "-r", str(PYTHON / "requirements.txt")],
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="leave out the servers of npm and PyPI"
    )
    parser.add_argument("pytest", nargs="*", help="arguments for pytest")
    chosen, rest = parser.parse_known_args()
    results = {}
    with ThreadPoolExecutor() as beside:
        installing = {}
        if not chosen.quick:
            installing["node servers"] = beside.submit(install_node_servers)
            installing["python servers"] = beside.submit(install_python_servers)
        for title, arguments in CHECKS.items():
            results[title] = run(title, [command(arguments[0]), *arguments[1:]])
        results |= {title: future.result() for title, future in installing.items()}
    # Most tests wait for other processes half of their time.
    workers = str(min(4, (os.cpu_count() or 2) + 1))
    pytest = [sys.executable, "-m", "pytest", "-q", "-n", workers, *chosen.pytest, *rest]
    results["tests"] = run("tests", pytest)
    if not chosen.quick:
        results["conformance"] = run("conformance", [sys.executable, "-m", "tests.conformance"])
    failed = [title for title, passed in results.items() if not passed]
    print(f"failed: {', '.join(failed)}" if failed else "everything passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
