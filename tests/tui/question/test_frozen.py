"""What a person saw on the review page is what goes out."""

from __future__ import annotations

from elicit_tui.tui.question.body import frozen


def test_what_was_shown_cannot_be_changed_any_more() -> None:
    chosen = ["a"]
    copy = frozen({"v": chosen})
    chosen.append("b")
    assert copy == {"v": ["a"]}
