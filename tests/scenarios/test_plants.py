"""The table of planted faults is what it says, where nothing has to be installed for it."""

from tests.scenarios.plants import CANNOT_BE, FAULTS, KINDS, TWINS, tried


def test_a_fault_is_red_and_a_twin_green_on_a_line_each() -> None:
    lines = tried("raw", ("shows_half_of_it_on_decline",), ("books_twice",))
    assert [(each.tool, each.verdict, each.right) for each in lines] == [
        ("shows_half_of_it_on_decline", "red", True),
        ("books_twice_mended", "green", True),
    ]
    assert "it acted all the same" in str(lines[0])
    assert set(TWINS) <= set(FAULTS)
    assert {(kind in KINDS, fault in FAULTS) for kind, fault in CANNOT_BE} == {(True, True)}
