"""Any bytes as a configuration or an answers file: a value, or an error that says where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elicit_tui.config import Diagnostic, load
from elicit_tui.config.documents import LARGEST_FILE, parse
from elicit_tui.config.importing import import_text
from elicit_tui.config.keys import USER, USER_FILE
from elicit_tui.config.loading import user_faults
from elicit_tui.elicitation.settings import Settings
from elicit_tui.elicitation.toml_spelling import dotted, toml_value
from elicit_tui.errors import ConfigError
from tests.bounds import bounded
from tests.config.texts import check_managed_text, read_answers

KEYS = st.sampled_from(
    [*USER_FILE.keys, "mcp_servers.a", "mcp_servers.a.tools.t", "elicitation.limits", "managed",
     "approval_policy.granular", "guardian.rules", "command", "url", "env", "action", "content",
     "server", "answers", "message", "allow", "servers", "name", "pattern", "severity", "id"]
)  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=8)
    | st.sampled_from(["never", "accept", "ask", "${X}", "https://x", "warn", "(", "only", "allow"])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


def written(value: Any) -> str:
    return toml_value(value).replace("NaN", "nan").replace("Infinity", "inf").replace("null", "0")


LINES = (
    st.builds(lambda key, value: f"{key} = {written(value)}", KEYS, VALUES)
    | st.builds(lambda key: f"[{key}]", KEYS)
    | st.builds(lambda key: f"[[{key}]]", KEYS)
    | st.builds(lambda key: f"[mcp_servers.{dotted(key)}]", st.text(max_size=4))
)
FILES = (
    st.lists(LINES, max_size=12).map(lambda lines: "\n".join(lines).encode())
    | st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
FAST = settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def told(reading: Callable[[], Any]) -> Any:
    """What was read, or the list of problems; in bounded time."""
    with bounded():
        try:
            return reading()
        except ConfigError as error:
            return list(error.problems)


def is_clear(problem: Diagnostic) -> bool:
    return bool(problem.message) and "\n" not in str(problem) and str(problem).isprintable()


@FAST
@given(FILES)
def test_any_user_file_is_settings_or_a_clear_error(tmp_path: Path, raw: bytes) -> None:
    document = parse(raw, USER, "user", "F")
    assert all(is_clear(each) for each in (*document.problems, *user_faults(document, None, {})))
    path = tmp_path / "config.toml"
    path.write_bytes(raw)
    result = told(lambda: load(config_path=path, environment={}, managed_path=tmp_path / "none"))
    assert isinstance(result, Settings) or result


@FAST
@given(FILES)
def test_any_managed_file_is_checked_without_a_trace(raw: bytes) -> None:
    assert all(is_clear(problem) for problem in told(lambda: check_managed_text(raw)))


@FAST
@given(FILES)
def test_any_answers_file_is_entries_or_a_clear_error(raw: bytes) -> None:
    result = told(lambda: read_answers(raw))
    assert isinstance(result, tuple) or all(problem.isprintable() for problem in result)


@FAST
@given(FILES.map(lambda raw: raw.decode("utf-8", "replace")))
def test_any_text_is_imported_or_refused_clearly(text: str) -> None:
    imported = told(lambda: import_text(text))
    if isinstance(imported, list):
        assert imported
        assert all(problem.isprintable() for problem in imported)
    else:
        assert parse(imported.toml.encode(), USER, "user", "F").problems == ()


@pytest.mark.parametrize(
    "raw",
    [
        b"a = " + b"[" * 50_000,
        b"a = " + b"{b = " * 5_000,
        b"a = " + b"9" * 20_000,
        b"\x00",
        b"a." * 20_000 + b"b = 1",
        b"x" * 200_000 + b" = 1",
        b"#" + b"x" * LARGEST_FILE,
    ],
)
def test_a_file_made_to_break_readers_is_a_clear_error(raw: bytes) -> None:
    problems = told(lambda: parse(raw, USER, "user", "F").problems)
    assert len(problems) == 1
    assert is_clear(problems[0])
    assert len(str(problems[0])) < 1000
