"""A scenario of one question about a colour, and what it may have watched."""

from __future__ import annotations

from elicit_tui.scenarios.scenario import PreparedAnswer, Scenario
from elicit_tui.scenarios.watching import State, Watched
from tests.broker.conftest import COLOUR, form_request

ANSWER = PreparedAnswer(content={"colour": "red"})
PAINTS = Scenario("paints", "paint", "paint", answers=(ANSWER,))
NOTHING = Watched({}, {})
CHANGED = Watched({"a.txt": State("1")}, {"a.txt": State("2")})
SAME = Watched({"a.txt": State("1")}, {"a.txt": State("1")})
COLOURED = form_request(params={"requestedSchema": COLOUR})
