"""What a person's keys say in the console is what a real server receives."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from elicit_tui.tui import question_gate
from tests.tui.received.spellings import (
    EVERYTHING,
    EVERYTHING_CONTENT,
    EVERYTHING_KEYS,
    SPELLINGS,
    Spelling,
)
from tests.tui.received.stand import RealConsole


@pytest.fixture(scope="module")
def real_console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealConsole]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(question_gate, "DEAF_SECONDS", 0.0)
        forms = {spelling.words: spelling.schema for spelling in SPELLINGS}
        running = RealConsole(tmp_path_factory.mktemp("real"), {**forms, "all": EVERYTHING})
        yield running
        running.close()


@pytest.mark.parametrize(
    "spelling", [pytest.param(spelling, id=spelling.words) for spelling in SPELLINGS]
)
def test_the_server_receives_what_the_keys_say(
    real_console: RealConsole, spelling: Spelling
) -> None:
    received = real_console.receives(spelling.words, spelling.keys)
    if spelling.content is None:
        assert received["action"] == "decline"
        assert "content" not in received
    else:
        assert received["action"] == "accept"
        # As JSON: 5 is not 5.0 there, and true is not 1.
        assert json.dumps(received["content"]) == json.dumps(spelling.content)


def test_a_form_of_every_kind_is_received_as_it_was_filled_in(real_console: RealConsole) -> None:
    received = real_console.receives("all", EVERYTHING_KEYS)
    assert json.dumps(received["content"]) == json.dumps(EVERYTHING_CONTENT)
    assert received["_meta"]["dev.elicit-tui/outcome"]["decidedBy"] == "user"
