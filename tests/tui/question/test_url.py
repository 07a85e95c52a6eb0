"""Url mode: the whole address, consent, and what happens after it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from elicit_tui.responders.browser import may_open, open_in_browser
from elicit_tui.tui.question.address import address_of, qr_code
from tests.tui.question.asking import LOOKALIKE, URL, Asking, Browser, asked, until, url_question

pytestmark = pytest.mark.anyio


async def test_consent_opens_the_page_and_answers_a_pushed_question() -> None:
    browser = Browser()
    app = Asking(url_question(URL), opener=browser)
    async with asked(app) as pilot:
        assert browser.opened == []
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert browser.opened == [URL]
    assert app.outcome is not None
    assert (app.outcome.action, app.outcome.content) == ("accept", None)


async def test_enter_and_space_open_nothing() -> None:
    browser = Browser()
    app = Asking(url_question(URL), opener=browser)
    async with asked(app) as pilot:
        await pilot.press("enter", "space")
        await pilot.pause()
    assert browser.opened == []
    assert app.outcome is None


async def test_a_browser_that_cannot_start_is_said_and_the_question_stays_open() -> None:
    app = Asking(url_question(URL), opener=Browser(starts=False))
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "No browser could be started" in app.words, "the sentence")
        assert app.outcome is None
        await pilot.press("f7")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "accept"


async def test_a_no_while_the_browser_starts_is_the_only_answer() -> None:
    asked_for, may_start = threading.Event(), threading.Event()

    def slow_browser(url: str) -> bool:
        asked_for.set()
        return may_start.wait(10)

    app = Asking(url_question(URL), opener=slow_browser)
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, asked_for.is_set, "the browser")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.outcome is not None, "the answer")
        may_start.set()
        opening = [worker for worker in app.workers if worker.group == "opening"]
        await until(pilot, lambda: all(each.is_finished for each in opening), "the start")
    assert [outcome.action for outcome in app.outcomes] == ["decline"]


async def test_a_warned_address_needs_a_second_step() -> None:
    browser = Browser()
    app = Asking(url_question(URL, LOOKALIKE), opener=browser)
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.view.page == "step" and not app.view.deaf, "the step")
        assert browser.opened == []
        assert "This opens the page in your browser and tells “deploy”" in app.words
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert browser.opened == [URL]


@pytest.mark.parametrize("finish", ["the key", "the notice"])
@pytest.mark.parametrize("came_by", [{"era": "modern"}, {"wire_id": "e1"}])
async def test_an_answer_that_retries_the_call_waits_until_the_page_is_finished(
    finish: str, came_by: dict[str, str]
) -> None:
    browser = Browser()
    app = Asking(url_question(URL, **came_by), opener=browser)
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.view.body.opened and not app.view.deaf, "the wait")
        assert app.outcome is None
        assert "^S Finished" in app.words
        await pilot.press("f8")
        await until(pilot, lambda: len(browser.opened) == 2, "opened again")
        await until(pilot, lambda: not app.view.deaf, "painted again")
        if finish == "the key":
            await pilot.press("ctrl+s")
        else:
            app.view.completed()
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "accept"


async def test_review_always_shows_what_will_happen_before_a_page_is_opened() -> None:
    browser = Browser()
    app = Asking(url_question(URL), opener=browser, review="always")
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.view.page == "step" and not app.view.deaf, "the page")
        assert browser.opened == []
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert browser.opened == [URL]


async def test_a_notice_before_consent_answers_nothing() -> None:
    app = Asking(url_question(URL), opener=Browser())
    async with asked(app) as pilot:
        app.view.completed()
        await pilot.pause()
    assert app.outcome is None


def inside(app: Asking) -> str:
    """All words between the borders, with no line ends."""
    lines = app.words.replace("│", "").split("\n")[1:-1]
    return "".join(line.strip() for line in lines)


async def test_a_long_address_is_shown_to_its_last_character() -> None:
    url = "https://example.com/" + "0123456789" * 40 + "THEEND"
    app = Asking(url_question(url), opener=Browser())
    async with asked(app, (60, 30)) as pilot:
        panel = app.view.body.panel
        assert panel is not None
        shown = inside(app)
        await pilot.press("end")
        await pilot.pause()
        shown += inside(app)
        assert "THEEND" in shown
        assert "…" not in shown


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ssh://h/",
        "https:///x",
        "http://a b/",
        "https://a.example/\u00a0c",
        "https://a.example/\n",
        "https://a.example/\u202egpj.exe",
    ],
)
async def test_only_http_and_https_can_be_opened_copied_or_drawn(url: str) -> None:
    browser = Browser()
    app = Asking(url_question(url), opener=browser)
    async with asked(app) as pilot:
        assert "This cannot be opened or copied" in app.words
        await pilot.press("f5", "f6", "ctrl+s")
        await pilot.pause()
        assert "▀" not in app.words
        assert app.clipboard == ""
    assert browser.opened == []
    assert app.outcome is None
    assert not may_open(url)
    assert not open_in_browser(url)


@pytest.mark.parametrize("key", ["f5", "c"])
async def test_copy_goes_through_the_terminal_itself(key: str) -> None:
    app = Asking(url_question(URL), opener=Browser())
    async with asked(app) as pilot:
        await pilot.press(key)
        await pilot.pause()
        assert app.clipboard == URL
        assert app.outcome is None


async def test_a_letter_copies_the_address_where_no_browser_could_be_started() -> None:
    app = Asking(url_question(URL), opener=Browser(starts=False))
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "No browser could be started" in app.words, "the sentence")
        await pilot.press("c")
        await until(pilot, lambda: app.clipboard == URL, "the address is copied")


async def test_the_qr_code_comes_on_demand_and_goes_again() -> None:
    app = Asking(url_question("https://example.com/"), opener=Browser())
    async with asked(app, (80, 40)) as pilot:
        assert "▀" not in app.words
        await pilot.press("f6")
        await until(pilot, lambda: "▀" in app.words, "the code")
        await pilot.press("f6")
        await until(pilot, lambda: "▀" not in app.words, "no code")
        await pilot.press("f6")
        await until(pilot, lambda: "▀" in app.words and "Esc Back" in app.words, "the code")
        await pilot.press("escape")
        await until(pilot, lambda: "▀" not in app.words and "Esc Cancel" in app.words, "no code")
        assert app.outcome is None


def test_a_code_that_does_not_fit_is_none() -> None:
    assert qr_code("https://example.com/", 10, 10) is None
    assert qr_code("https://example.com/" + "x" * 5000, 500, 500) is None


def underlined(url: str) -> list[str]:
    content = address_of(url).content()
    assert content.plain == url
    spans = [span for span in content.spans if "underline" in str(span.style)]
    return [content.plain[span.start : span.end] for span in spans]


def test_the_registrable_domain_is_underlined_and_nothing_is_written_into_the_address() -> None:
    assert underlined(URL) == [address_of(URL).domain] == ["example.co.uk"]


def test_the_domain_is_the_one_behind_a_user_name() -> None:
    assert underlined("https://bank.example@evil.com/bank.example") == ["evil.com"]


def test_a_host_without_a_registered_part_is_set_off_whole() -> None:
    assert address_of("http://127.0.0.1/").domain == "127.0.0.1"
    assert address_of("http://localhost/").domain == "localhost"


def test_punycode_is_shown_in_both_spellings() -> None:
    assert address_of("https://xn--mnchen-3ya.de/").spellings == ("münchen.de", "xn--mnchen-3ya.de")
    assert address_of("https://münchen.de/").spellings == ("münchen.de", "xn--mnchen-3ya.de")


def test_an_address_that_cannot_be_taken_apart_is_shown_whole() -> None:
    assert address_of("https://[::1/x").content().plain == "https://[::1/x"


async def test_a_warned_page_that_was_opened_elsewhere_takes_the_second_step_too() -> None:
    app = Asking(url_question("https://example.com/sign-in", LOOKALIKE))
    async with asked(app) as pilot:
        await pilot.press("f7")
        await until(pilot, lambda: "opened the page yourself" in app.words, "the second step")
        assert app.outcome is None
        await until(pilot, lambda: not app.view.deaf, "the step takes keys")
        await pilot.press("ctrl+y")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.action == "accept"


async def test_beside_a_warning_no_word_of_ours_soothes() -> None:
    soothing = "stays between you and it"
    for found, soothes in (((), True), ((LOOKALIKE,), False)):
        app = Asking(url_question(URL, *found))
        async with asked(app) as pilot:
            await until(pilot, lambda app=app: "Nothing is opened" in app.words, "the page")
            assert (soothing in " ".join(app.words.replace("│", " ").split())) is soothes


async def test_what_is_no_page_cannot_be_said_to_be_opened_elsewhere() -> None:
    app = Asking(url_question("javascript:alert(1)"))
    async with asked(app) as pilot:
        await pilot.press("f7")
        await pilot.pause()
        assert "I opened it" not in app.words
    assert app.outcome is None


def address(length: int) -> str:
    begin = "https://login.example.com/authorize?response_type=code&state="
    return (begin + "aB3xQ9" * length)[:length]


@pytest.mark.parametrize("columns", [40, 44, 50, 140])
async def test_the_domain_that_a_page_leads_to_is_not_broken_in_two(columns: int) -> None:
    app = Asking(url_question(URL))
    async with asked(app, (columns, 24)):
        address = [line for line in app.words.split("\n") if "belongs to" not in line]
        assert any("example.co.uk" in line for line in address)


async def test_keys_without_a_button_stand_in_the_line_above_where_it_is_free() -> None:
    app = Asking(url_question(address(60)))
    async with asked(app, (80, 24)) as pilot:
        await until(pilot, lambda: "^L Later  F1 Help  F2 About  │" in app.words, "the keys")
        assert "─ … " not in app.words
        await pilot.press("f5")
        await until(pilot, lambda: "Handed to" in app.words, "what became of it")
        assert "F2 About" in app.words


async def test_beside_a_code_the_keys_without_a_button_are_told_of_in_a_small_window() -> None:
    app = Asking(url_question(address(60)))
    async with asked(app, (40, 20)) as pilot:
        await pilot.press("f6")
        await until(pilot, lambda: "Esc Back   … F1" in app.words, "the mark")


@pytest.mark.parametrize(
    ("variable", "said"),
    [("TMUX", "Handed to tmux"), ("STY", "select it with the mouse"), ("_", "your terminal")],
)
async def test_whom_a_copy_was_handed_to_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, said: str
) -> None:
    taken = tmp_path / "taken"
    (tmp_path / "tmux").write_text(f'#!/bin/sh\ncat > {taken}.new; mv {taken}.new "{taken}"\n')
    (tmp_path / "tmux").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for name in ("TMUX", "STY", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "there")
    app = Asking(url_question(URL))
    async with asked(app) as pilot:
        await pilot.press("f5")
        await until(pilot, lambda: said in app.words, "the sentence")
        assert app.clipboard == URL
        if variable == "TMUX":
            await until(pilot, taken.exists, "what tmux got")
            assert taken.read_text() == URL


@pytest.mark.parametrize(("key", "action"), [("y", "accept"), ("n", "decline")])
async def test_a_letter_opens_a_page_or_declines_where_nothing_is_typed(
    key: str, action: str
) -> None:
    browser = Browser()
    app = Asking(url_question(URL), opener=browser)
    async with asked(app) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == action
    assert browser.opened == [URL] * (key == "y")


async def test_a_letter_within_a_word_opens_no_page() -> None:
    browser = Browser()
    app = Asking(url_question(URL), opener=browser)
    async with asked(app) as pilot:
        await pilot.press(*"maybe")
        await until(pilot, lambda: "What you typed has no place here." in app.words, "the sentence")
    assert (browser.opened, app.outcome) == ([], None)


async def test_a_letter_goes_through_with_no_warned_page_and_opens_no_other_address() -> None:
    browser = Browser()
    app = Asking(url_question(URL, LOOKALIKE), opener=browser)
    async with asked(app) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: app.view.page == "step", "the second step")
        await pilot.press("y")
        await until(pilot, lambda: "y does not send here: ^Y does." in app.words, "the sentence")
    assert (browser.opened, app.outcome) == ([], None)
    app = Asking(url_question("javascript:alert(1)"), opener=browser)
    async with asked(app) as pilot:
        await pilot.press("y")
        await pilot.pause()
    assert (browser.opened, app.outcome) == ([], None)


async def test_the_help_of_a_page_names_the_letters_that_open_and_decline_it() -> None:
    app = Asking(url_question(URL), opener=Browser())
    async with asked(app) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: "This question" in app.words, "the help")
        assert "^S y" in app.words
        assert "F5 c" in app.words
        assert "^N n" in app.words
