"""Whatever a server puts into a question: one outcome, with one clear sentence, in time."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from elicit_tui.broker import Broker, Resolved
from elicit_tui.elicitation import ElicitationRequest, ServerIdentity
from elicit_tui.guardian import Guardian
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from elicit_tui.responders import NobodyResponder
from tests.bounds import bounded
from tests.broker.conftest import limited
from tests.form.schemas import JSON, schema_like
from tests.text.alphabet import active_left, any_text

SCHEMAS = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(any_text, schema_like())}
)
PARAMS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["form", "url", "voice"]) | JSON,
        "message": any_text | JSON,
        "requestedSchema": SCHEMAS | schema_like() | JSON,
        "url": any_text.map("https://example.com/{}".format) | JSON,
        "elicitationId": any_text | JSON,
        "_meta": JSON,
    },
)
FREE = limited(per_minute=10**6, pending=10**6)


@settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=200,
    suppress_health_check=list(HealthCheck),
)
@given(PARAMS, st.sampled_from(["handshake", "modern"]), st.none() | st.integers() | any_text)
@example({"message": "?", "requestedSchema": {"properties": {"a": {"enum": []}}}}, "modern", "k")
def test_any_request_has_one_outcome_that_says_why(
    tmp_path: Path, params: Any, era: Any, wire_id: Any
) -> None:
    with closing(Ledger.open(tmp_path / "ledger.sqlite3")) as ledger:
        guardian = Guardian(FREE.guardian)
        broker = Broker(Policy(FREE), guardian, ledger, NobodyResponder())
        told: list[Resolved] = []
        broker.subscribe(lambda event: told.append(event) if isinstance(event, Resolved) else None)
        server = ServerIdentity("any", "stdio", "any-server")
        request = ElicitationRequest(server, params, era=era, wire_id=wire_id)
        with bounded():
            outcome = asyncio.run(broker.resolve(request))
        assert [event.outcome for event in told] == [outcome]
        assert outcome.action != "accept"
        assert outcome.reason.endswith(".")
        assert "\n" not in outcome.reason
        assert active_left(outcome.reason) == []
        row = ledger.row(request.id)
        assert (row.action, row.decided_by) == (outcome.action, outcome.decided_by)
        assert active_left(str(row.as_json())) == []
