# `just` alone lists the recipes.
default:
    @just --list

# An environment with everything that the tests need
setup:
    python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]'

# All that CI runs
test *arguments:
    .venv/bin/python -m tests {{ arguments }}

# One room: just room guardian
room name *arguments:
    .venv/bin/python -m pytest -q tests/{{ name }} {{ arguments }}

# Style, types and layers
check:
    .venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy && .venv/bin/lint-imports

# Speed and memory, as ratios against baselines
bench *names:
    .venv/bin/python -m tests.benchmarks {{ names }}

# The pictures of the README
pictures:
    .venv/bin/python screenshots/draw.py
