from __future__ import annotations

import pytest

from elicit_tui.elicitation import Finding, Review, Severity
from tests.responders.typing import ask, page_question

WARNING = Finding("url.host", Severity.WARN, "url", "example", "Look at the host.")
PAGE = "https://example.com/sign-in?x=" + "y" * 500


class Browser:
    """Remembers the pages that it was handed."""

    def __init__(self, starts: bool = True) -> None:
        self.pages: list[str] = []
        self._starts = starts

    def __call__(self, url: str) -> bool:
        self.pages.append(url)
        return self._starts


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_the_whole_url_is_shown_and_nothing_opens_without_consent(browser: Browser) -> None:
    outcome, shown = ask("", "yes", "/decline", question=page_question(PAGE), opener=browser)
    assert f"It wants you to open this page:\n  {PAGE}" in shown
    assert "Nothing is opened or fetched unless you agree." in shown
    assert (outcome.action, browser.pages) == ("decline", [])


def test_open_is_consent_and_opens_the_page(browser: Browser) -> None:
    outcome, _ = ask("/open", question=page_question(PAGE), opener=browser)
    assert (outcome.action, outcome.content, browser.pages) == ("accept", None, [PAGE])


def test_agree_is_consent_without_opening(browser: Browser) -> None:
    outcome, _ = ask("/agree", question=page_question(PAGE), opener=browser)
    assert (outcome.action, outcome.decided_by, browser.pages) == ("accept", "user", [])


def test_a_warned_page_needs_a_second_step(browser: Browser) -> None:
    question = page_question(PAGE, Review((WARNING,)))
    outcome, shown = ask("/open", "no", "/open", "yes", question=question, opener=browser)
    assert (outcome.action, browser.pages) == ("accept", [PAGE])
    assert outcome.acknowledged == question.draft.acknowledged == {WARNING.id}
    assert "Look at the host." in shown


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://", "x", ""])
def test_what_is_no_page_can_only_be_refused(url: str, browser: Browser) -> None:
    outcome, shown = ask("/open", "/agree", "/cancel", question=page_question(url), opener=browser)
    assert (outcome.action, browser.pages) == ("cancel", [])
    assert "this one may not" in shown


@pytest.mark.parametrize("host", ["xn--bcher-kva.example", "bücher.example"])
def test_a_host_outside_ascii_is_shown_in_both_spellings(host: str) -> None:
    _, shown = ask("/cancel", question=page_question(f"https://{host}/"))
    assert "Host: bücher.example in letters, xn--bcher-kva.example in ASCII" in shown


def test_a_host_that_is_no_name_is_said_to_be_none() -> None:
    _, shown = ask("/cancel", question=page_question("https://xn--\u202e.example/"))
    assert "\u202e" not in shown


def test_a_browser_that_cannot_start_is_said_and_the_question_stays_open() -> None:
    browser = Browser(starts=False)
    outcome, shown = ask("/open", "/agree", question=page_question(PAGE), opener=browser)
    assert (outcome.action, browser.pages) == ("accept", [PAGE])
    assert "No browser could be started here." in shown
    assert "Open the page yourself, then type /agree." in shown
    declined, _ = ask("/open", "/decline", question=page_question(PAGE), opener=browser)
    assert declined.action == "decline"


def test_where_no_browser_starts_the_command_that_goes_on_at_this_prompt_is_named() -> None:
    question = page_question(PAGE, era="modern")
    outcome, shown = ask(
        "/agree", "/open", "/finished", question=question, opener=Browser(starts=False)
    )
    assert outcome.action == "accept"
    assert "Open the page yourself, then type /finished." in shown
    assert "type /agree" not in shown


@pytest.mark.parametrize("more", [{"era": "modern"}, {"wire_id": "e"}], ids=["round", "-32042"])
def test_a_page_that_a_retry_depends_on_is_accepted_when_the_person_has_finished(
    browser: Browser, more: dict[str, str]
) -> None:
    question = page_question(PAGE, **more)
    outcome, shown = ask("/open", "done", "/finished", question=question, opener=browser)
    assert (outcome.action, outcome.decided_by, outcome.content) == ("accept", "user", None)
    assert "come back and type /finished" in shown
    given_up, _ = ask("/open", "/cancel", question=question, opener=browser)
    assert given_up.action == "cancel"
