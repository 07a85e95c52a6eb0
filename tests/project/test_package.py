"""What is published works: the wheel made of the sdist, in an environment that has no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STARTED_BY = "import sys; from elicit_tui.__main__ import main; sys.exit(main())"


def run(*command: str | Path, cwd: Path) -> str:
    ran = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
        stdin=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment: the wheel, and beside it what the tests have installed.

    The libraries come from the tests' own environment by a path, without its `.pth` files, and so
    without the checkout.
    """
    place = tmp_path_factory.mktemp("package")
    build = (sys.executable, "-m", "hatchling", "build", "-d", place)
    run(*build, "-t", "sdist", cwd=ROOT)
    (sdist,) = place.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(place / "source", filter="data")
    (source,) = (place / "source").iterdir()
    run(*build, "-t", "wheel", cwd=source)
    (wheel,) = place.glob("*.whl")
    venv.create(place / "environment", with_pip=False)
    python = place / "environment" / "bin" / "python"
    (packages,) = (place / "environment").glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return python


def test_it_starts_and_is_not_the_checkout(installed: Path, tmp_path: Path) -> None:
    where = run(installed, "-c", "import elicit_tui; print(elicit_tui.__file__)", cwd=tmp_path)
    assert where.startswith(str(installed.parents[1]))
    assert run(installed, "-c", STARTED_BY, "--version", cwd=tmp_path).startswith("elicit-tui ")


def test_it_has_the_files_that_its_commands_read(installed: Path, tmp_path: Path) -> None:
    run(installed, "-c", STARTED_BY, "config", "init", cwd=tmp_path)
    run(installed, "-c", STARTED_BY, "config", "check", cwd=tmp_path)
    run(installed, "-c", STARTED_BY, "gateway", "snippet", "goose", cwd=tmp_path)
    fields = '{"type": "object", "properties": {"api_key": {"type": "string"}}}'
    asked = f'{{"message": "Enter the API key", "requestedSchema": {fields}}}'
    (tmp_path / "asked.jsonl").write_text(asked)
    checked = (installed, "-c", STARTED_BY, "check", "asked.jsonl", "--output", "json")
    ran = subprocess.run(checked, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert ran.returncode == 1
    assert b'"credentials.' in ran.stdout


def test_the_bundled_server_asks(installed: Path, tmp_path: Path) -> None:
    document = run(
        *(installed, "-c", STARTED_BY, "call", "demo", "book_table", "--output", "json"),
        cwd=tmp_path,
    )
    assert '"decidedBy": "nobody"' in document
