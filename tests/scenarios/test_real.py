"""The table of real servers tells whose a failure is; no server is had for that."""

from tests.scenarios.real import Line, judge


def test_a_failure_is_the_servers_where_its_code_shows_it_and_else_ours_or_new() -> None:
    faults = {"no: it acted*": "never looks at the decision", "an extra*": "copies all"}
    seen = Line("azure", "2.0.5", "secret_get")
    judge(seen, ["no: it acted all the same", "an extra property: taken over"], faults)
    assert seen.right
    assert "2 red  never looks at the decision; copies all" in str(seen)
    fresh = Line("azure", "2.0.5", "secret_get")
    judge(fresh, ["no: it acted all the same", "decline: state.json changed"], faults)
    assert not fresh.right
    assert str(fresh).startswith("!")
    assert "OURS, OR NEW" in str(fresh)
    assert "    decline: state.json changed" in str(fresh)
    assert "    not seen: an extra*" in str(fresh)
