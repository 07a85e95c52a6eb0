from __future__ import annotations

import pytest

from elicit_tui.elicitation import Finding, Review, Severity
from elicit_tui.responders import browser
from tests.responders.typing import ask, page_question

WARNING = Finding("url.host", Severity.WARN, "url", "example", "Look at the host.")
PAGE = "https://example.com/sign-in?x=" + "y" * 500


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that were handed to a browser."""
    pages: list[str] = []
    monkeypatch.setattr(
        "elicit_tui.responders.plain_page.open_page", lambda url: not pages.append(url)
    )
    return pages


def test_the_whole_url_is_shown_and_nothing_opens_without_consent(opened: list[str]) -> None:
    outcome, shown = ask("", "yes", "/decline", question=page_question(PAGE))
    assert PAGE in shown
    assert (outcome.action, opened) == ("decline", [])


def test_open_is_consent_and_opens_the_page(opened: list[str]) -> None:
    outcome, _ = ask("/open", question=page_question(PAGE))
    assert (outcome.action, outcome.content, opened) == ("accept", None, [PAGE])


def test_agree_is_consent_without_opening(opened: list[str]) -> None:
    outcome, _ = ask("/agree", question=page_question(PAGE))
    assert (outcome.action, outcome.decided_by, opened) == ("accept", "user", [])


def test_a_warned_page_needs_a_second_step(opened: list[str]) -> None:
    question = page_question(PAGE, Review((WARNING,)))
    outcome, shown = ask("/open", "no", "/open", "yes", question=question)
    assert (outcome.action, opened) == ("accept", [PAGE])
    assert "Look at the host." in shown


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://", "x", ""])
def test_what_is_no_page_can_only_be_refused(url: str, opened: list[str]) -> None:
    outcome, shown = ask("/open", "/agree", "/cancel", question=page_question(url))
    assert (outcome.action, opened) == ("cancel", [])
    assert "this one may not" in shown


def test_a_host_in_punycode_is_shown_in_letters_too() -> None:
    _, shown = ask("/cancel", question=page_question("https://xn--bcher-kva.example/"))
    assert "xn--bcher-kva.example (written in letters: bücher.example)" in shown


def test_a_host_that_is_no_name_is_said_to_be_none() -> None:
    _, shown = ask("/cancel", question=page_question("https://xn--\u202e.example/"))
    assert "\u202e" not in shown


def test_without_a_desktop_no_browser_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not browser.open_page(PAGE)


def test_a_text_browser_is_never_started(monkeypatch: pytest.MonkeyPatch) -> None:
    import webbrowser

    started: list[str] = []
    lynx = webbrowser.GenericBrowser("lynx")
    monkeypatch.setattr(lynx, "open", lambda url: started.append(url))
    monkeypatch.setattr(webbrowser, "get", lambda: lynx)
    monkeypatch.setenv("DISPLAY", ":0")
    assert not browser.open_page(PAGE)
    assert started == []
