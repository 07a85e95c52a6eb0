"""What is told on standard error while a call runs."""

from __future__ import annotations

import io
from typing import Any

import pytest

from elicit_tui.broker import Resolved
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.telling import EACH_SECOND, Telling
from elicit_tui.elicitation import Finding, Review, Severity, decline
from elicit_tui.host.events import LogMessage, Progress
from tests.bounds import bounded
from tests.broker.conftest import form_request


def test_what_a_server_says_passes_for_no_line_of_ours() -> None:
    stream = io.StringIO()
    Narration(stream).of_server("evil", "busy\nelicit-tui: out of date\n✓ deploy: logged in")
    assert stream.getvalue() == "evil: busy⏎elicit-tui: out of date⏎✓ deploy: logged in\n"


def test_a_silent_narration_tells_nobody_anything(capsys: pytest.CaptureFixture[str]) -> None:
    Narration.silent().tell("a notice")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("plain words", "plain words"),
        ({"msg": "pulled", "extra": None}, "pulled"),
        ({"count": 3, "message": "pulled", "of": "images"}, "pulled, count: 3, of: images"),
        ('{"message": "pulled", "list": ["größer", 1]}', 'pulled, list: ["größer", 1]'),
        ("{not json}", "{not json}"),
        ([1, "zwölf"], '[1, "zwölf"]'),
        ({}, "{}"),
        (None, "null"),
    ],
)
def test_a_structured_log_line_reads_as_words(data: Any, told: str) -> None:
    stream = io.StringIO()
    Telling(Narration(stream), "redacted").log(LogMessage("s", "info", None, data))
    assert stream.getvalue() == f"s: info: {told}\n"


@pytest.mark.parametrize(
    ("total", "told"), [(None, ""), (20_000_000.0, " of 20000000"), (1e300, " of 1e+300")]
)
def test_how_far_a_call_is_stands_in_figures(total: float | None, told: str) -> None:
    stream = io.StringIO()
    Telling(Narration(stream), "redacted").progress(Progress("s", "c", 12_345_678.0, total))
    assert stream.getvalue() == f"s: progress 12345678{told}\n"


def test_a_sign_that_it_goes_on_is_told_without_the_number_that_has_to_rise() -> None:
    stream = io.StringIO()
    told = Telling(Narration(stream), "redacted")
    signs = [(1e-6, "Waiting for a person (10 s)."), (3.0, "half"), (3.000003, "still\nhere")]
    for number, words in [*signs, (4.0, "all"), (4.000004, None)]:
        told.progress(Progress("gw", "c", number, None, words))
    lines = stream.getvalue().splitlines()
    assert lines[:2] == ["gw: Waiting for a person (10 s).", "gw: progress 3: half"]
    assert lines[2:] == ["gw: still⏎here", "gw: progress 4: all", "gw: progress 4"]


def test_a_log_line_of_any_size_is_told_without_a_wait() -> None:
    """All faces tell it by its sentence: of so much nobody reads more than the beginning."""
    with bounded(2):
        for data in (["é" * 50] * 400_000, {"msg": "hi", **dict.fromkeys(range(400_000), "é")}):
            assert len(LogMessage("s", "info", None, data).sentence) <= 2_100


def test_what_a_flood_left_out_is_told_once_at_the_latest_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 7.5)
    stream = io.StringIO()
    told = Telling(Narration(stream), "redacted")
    for number in range(EACH_SECOND + 5):
        told.log(LogMessage("s", "info", None, str(number)))
    told.finish()
    told.finish()
    *lines, last = stream.getvalue().splitlines()
    assert len(lines) == EACH_SECOND
    assert last == "(5 more lines of it are not shown)"


def test_what_the_guardian_stopped_is_three_lines_and_the_way_to_all_of_it() -> None:
    stream = io.StringIO()
    found = (
        Finding("credentials.password", Severity.BLOCK, "message", "password", "Never type it."),
        *(Finding("personal.bank", Severity.WARN, f"f{n}", "iban", "Look.") for n in range(14)),
    )
    request = form_request("Enter your password")
    outcome = decline("guardian", "Declined by the guardian: credentials.password.")
    Telling(Narration(stream), "redacted").resolved(Resolved(request, Review(found), outcome))
    first, second, third = stream.getvalue().splitlines()
    assert first.startswith("■ ")
    assert "“Enter your password”" in first
    assert "block credentials.password in message: “password” Never type it." in second
    assert "(and 14 more findings)" in second
    assert f"elicit-tui history show {request.id[:8]}" in third
