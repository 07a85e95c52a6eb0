"""What both widgets for choices do alike: the short list and the one that is searched."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Ticked, Unset
from elicit_tui.tui.widgets.choices import says
from tests.tui.question.asking import Asking, answer, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

SHORT = ["a", "b", "c"]
LONG = [*SHORT, *(f"choice {number}" for number in range(60))]
LISTS = pytest.mark.parametrize("choices", [SHORT, LONG], ids=["short", "long"])


def several(choices: list[str], **more: Any) -> Asking:
    items = {"type": "string", "enum": choices}
    return Asking(form_question(schema(v={"type": "array", "items": items, **more})))


@LISTS
@pytest.mark.parametrize("default", [["a", "a"], ["c", "a"]])
async def test_a_default_is_sent_as_the_server_wrote_it(
    choices: list[str], default: list[str]
) -> None:
    outcome = await answer(several(choices, default=default), "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"v": default}


@LISTS
async def test_a_choice_that_a_default_repeats_is_told_and_choosing_keeps_it_once(
    choices: list[str],
) -> None:
    app = several(choices, default=["a", "a"])
    async with asked(app) as pilot:
        assert "holds a choice more than once" in app.words
        assert "now 2" in app.words
        onward, back = ("right", "left") if choices is SHORT else ("down", "up")
        await pilot.press(onward, "space")
        await until(pilot, lambda: "more than once" not in app.words, "the warning goes")
        assert app.view.body.panel.entries == {"v": ChosenMany(("a", "b"))}
        await pilot.press("space", back, "space")
        await until(pilot, lambda: app.view.body.panel.entries == {"v": Unset()}, "nothing")
        await pilot.press("ctrl+e")
        await until(pilot, lambda: app.view.body.panel.entries == {"v": EmptyOnPurpose()}, "empty")


@LISTS
async def test_an_answer_that_is_no_choice_is_kept_until_one_is_chosen(choices: list[str]) -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": choices})))
    async with asked(app) as pilot:
        app.view.body.panel.put({"v": Chosen("z")})
        await until(pilot, lambda: "none of these choices" in app.words, "the warning")
        assert app.view.body.panel.entries == {"v": Chosen("z")}
        await pilot.press(*(["right"] * 2 if choices is SHORT else ["down"]), "enter")
        await until(pilot, lambda: "none of these choices" not in app.words, "it goes")
        assert app.view.body.panel.entries == {"v": Chosen("b")}


async def test_the_key_that_clears_gives_up_a_search_before_the_choice() -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": LONG})))
    async with asked(app) as pilot:
        app.view.body.panel.put({"v": Chosen("b")})
        await pilot.press(*"Oslo")
        await until(pilot, lambda: "0 of 63" in app.words, "nothing is found")
        assert "nothing here matches" in app.words
        await pilot.press("ctrl+u")
        await until(pilot, lambda: "63 choices" in app.words, "the search is gone")
        assert app.view.body.panel.entries == {"v": Chosen("b")}
        await pilot.press("ctrl+u")
        await until(pilot, lambda: app.view.body.panel.entries == {"v": Unset()}, "nothing")


async def test_the_key_that_cancels_ends_a_search_first() -> None:
    app = several(LONG)
    async with asked(app) as pilot:
        await pilot.press("b", "escape")
        await until(pilot, lambda: "63 choices" in app.words, "all of them")
        assert app.outcome is None
        assert "again cancels" not in app.words


async def test_while_a_search_is_on_the_button_of_escape_does_not_say_that_it_cancels() -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": LONG})))
    async with asked(app) as pilot:
        assert "Esc Cancel" in app.words
        await pilot.press(*"Oslo")
        await until(pilot, lambda: "Esc Back" in app.words, "the other word")
        assert "Esc Cancel" not in app.words
        assert "Esc show all" in app.words
        assert "Enter" not in app.words, "there is nothing to choose"
        await pilot.press("escape")
        await until(pilot, lambda: "Esc Cancel" in app.words, "all choices again")


async def test_once_a_choice_was_found_the_button_of_escape_says_again_that_it_cancels() -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": LONG})))
    async with asked(app) as pilot:
        await pilot.press(LONG[0][0])
        await until(pilot, lambda: "Esc Back" in app.words, "the search")
        await pilot.press("enter")
        await until(pilot, lambda: "Esc Cancel" in app.words, "the other word")


async def test_escape_that_ends_a_search_takes_back_that_the_next_one_cancels() -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": LONG})))
    async with asked(app) as pilot:
        await pilot.press(LONG[0][0], "enter", "escape")
        await until(pilot, lambda: "again cancels" in app.words, "the warning")
        await pilot.press(LONG[1][0], "escape")
        await until(pilot, lambda: "again cancels" not in app.words, "it is over")
        await pilot.press("escape")
        await until(pilot, lambda: "again cancels" in app.words, "it is said anew")
        assert app.outcome is None


async def test_while_a_search_is_on_what_chooses_is_named_first() -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": LONG})))
    async with asked(app) as pilot:
        await pilot.press(LONG[0][0])
        await until(pilot, lambda: "Enter choose" in app.words, "the key")


async def test_what_is_said_of_a_search_goes_with_it() -> None:
    app = Asking(form_question(schema(v={"type": "string", "title": "City", "enum": LONG})))
    async with asked(app) as pilot:
        app.view.body.panel.put({"v": Chosen("b")})
        await pilot.press(*"Oslo", "ctrl+s")
        words = "nothing was chosen for “Oslo”. ^S again sends “b”."
        await until(pilot, lambda: words in app.words, "what would be sent")
        await pilot.press("backspace")
        await until(pilot, lambda: "nothing was chosen" not in app.words, "another search")


async def test_the_arrows_are_named_anew_when_the_choices_come_to_lie_otherwise() -> None:
    labels = ["a long label for one", "another long label", "the last long label"]
    named = schema(("v",), v={"type": "string", "enum": labels}, w={"type": "string"})
    app = Asking(form_question(named))
    async with asked(app, (80, 24)) as pilot:
        assert "↑↓ move" in app.words
        await pilot.resize_terminal(119, 24)
        await until(pilot, lambda: "←→ choose" in app.words, "they lie side by side")


async def test_a_blank_that_ends_a_search_leaves_nothing_out() -> None:
    app = several(LONG)
    async with asked(app) as pilot:
        await pilot.press("b", "space")
        await until(pilot, lambda: "1 of 63" in app.words, "what was found")
        await pilot.press("enter")
        chosen = {"v": ChosenMany(("b",))}
        await until(pilot, lambda: app.view.body.panel.entries == chosen, "the choice")


@pytest.mark.parametrize("on_review", [False, True])
async def test_a_search_from_which_nothing_was_chosen_is_not_dropped_without_a_word(
    on_review: bool,
) -> None:
    fields = schema(v={"type": "string", "title": "City", "enum": LONG}, w={"type": "string"})
    app = Asking(form_question(fields))
    async with asked(app) as pilot:
        await pilot.press(*"choice", "tab", "x")
        if on_review:
            await pilot.press("ctrl+r")
            await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "review")
        await pilot.press("ctrl+s")
        words = "City: nothing was chosen for “choice”. ^S again leaves it unset."
        await until(pilot, lambda: words in app.words, "the word")
        assert app.outcome is None
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"w": "x"}


async def test_what_was_chosen_from_a_search_is_sent_without_a_word() -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": LONG})))
    outcome = await answer(app, *"choice", "enter", "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"v": "choice 0"}


async def test_of_several_enter_takes_what_was_found_and_the_next_one_goes_on() -> None:
    items = {"type": "string", "enum": LONG}
    app = Asking(form_question(schema(v={"type": "array", "items": items}, w={"type": "string"})))
    async with asked(app, (140, 40)) as pilot:
        panel = app.view.body.panel
        await pilot.press("b")
        await until(pilot, lambda: "Enter choose" in app.words, "the key")
        await pilot.press("enter")
        await until(pilot, lambda: "Enter next" in app.words, "the way on")
        assert panel.entries["v"] == ChosenMany(("b",))
        await pilot.press("enter")
        await until(pilot, lambda: panel.focused_field.spec.name == "w", "the next field")
        assert panel.entries["v"] == ChosenMany(("b",))


async def test_the_letters_beside_each_other_move_as_the_arrows_do_where_they_begin_no_choice() -> (
    None
):
    colours = {"type": "string", "enum": ["red", "green", "lilac"]}
    app = Asking(form_question(schema(a={"type": "boolean"}, c=colours)))
    async with asked(app, (100, 30)) as pilot:
        panel = app.view.body.panel
        await pilot.press("l", "l")
        await until(pilot, lambda: panel.entries["a"] == Ticked(False), "two to the right")
        await pilot.press("h")
        await until(pilot, lambda: panel.entries["a"] == Ticked(True), "one to the left")
        await pilot.press("j")
        await until(pilot, lambda: panel.focused_field.spec.name == "c", "the field below")
        await pilot.press("l")
        await until(pilot, lambda: panel.entries["c"] == Chosen("lilac"), "what begins with it")
        await pilot.press("h", "enter")
        await until(pilot, lambda: panel.entries["c"] == Chosen("green"), "the one before")


async def test_enter_in_a_long_list_does_what_its_words_say() -> None:
    fields = schema(v={"type": "string", "enum": LONG}, w={"type": "string"})
    app = Asking(form_question(fields))
    async with asked(app, (140, 40)) as pilot:
        panel = app.view.body.panel
        assert "Enter next" in app.words
        await pilot.press("enter")
        await until(pilot, lambda: panel.focused_field.spec.name == "w", "the next field")
        assert panel.entries["v"] == Unset(), "nothing that was not looked for"
        await pilot.press("shift+tab", *"Oslo")
        await until(pilot, lambda: "nothing here matches" in app.words, "nothing")
        await pilot.press("enter")
        await pilot.pause()
        assert panel.focused_field.spec.name == "v", "what was typed is not left behind"
        await pilot.press("escape", "down")
        await until(pilot, lambda: "Enter choose and go on" in app.words, "the words")
        await pilot.press("enter")
        await until(pilot, lambda: panel.focused_field.spec.name == "w", "the next field")
        assert panel.entries["v"] == Chosen("b")


async def test_the_key_that_chooses_is_named_in_a_small_window_too() -> None:
    cities = {"type": "string", "enum": [f"city {number}" for number in range(63)]}
    app = Asking(form_question(schema(city=cities, required=["city"])))
    async with asked(app, (80, 24)):
        assert "Enter choose and go on" in app.words


async def test_what_is_chosen_is_in_view_while_a_search_leaves_it_out() -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": LONG})))
    async with asked(app) as pilot:
        app.view.body.panel.put({"v": Chosen("b")})
        await pilot.press(*"choice")
        await until(pilot, lambda: "● b" in app.words, "the standing choice")


async def test_empty_on_purpose_is_offered_where_it_can_be_sent() -> None:
    for least, offered in ((1, False), (0, True)):
        app = several(SHORT, minItems=least)
        async with asked(app, size=(140, 30)):
            assert ("empty on purpose" in app.words) is offered


@pytest.mark.parametrize("kind", ["", "email", "uri", "date"])
async def test_empty_on_purpose_is_offered_for_no_text_whose_format_an_empty_one_breaks(
    kind: str,
) -> None:
    field = {"type": "string", **({"format": kind} if kind else {})}
    app = Asking(form_question(schema(v=field)))
    async with asked(app, size=(140, 30)) as pilot:
        assert ("empty on purpose" in app.words) is not bool(kind)
        await pilot.press("ctrl+e")
        await pilot.pause()
        stands = Unset() if kind else EmptyOnPurpose()
        assert app.view.body.panel.entries == {"v": stands}


async def test_after_a_choice_of_several_the_next_letter_begins_another_search() -> None:
    app = several(LONG)
    async with asked(app) as pilot:
        await pilot.press("b", "enter", "c", "enter")
        chosen = {"v": ChosenMany(("b", "c"))}
        await until(pilot, lambda: app.view.body.panel.entries == chosen, "both")
        await pilot.press("space")
        await until(
            pilot, lambda: app.view.body.panel.entries == {"v": ChosenMany(("b",))}, "one again"
        )


@pytest.mark.parametrize(
    ("labels", "keys"),
    [
        (SHORT, "1-3 ←→ choose"),
        (["long " * 20] * 2, "1-2 Space choose  Enter → Send button  ↑↓ move"),
    ],
)
async def test_the_arrows_that_are_named_lie_as_the_choices_do(
    labels: list[str], keys: str
) -> None:
    choices = [{"const": str(place), "title": label} for place, label in enumerate(labels)]
    app = Asking(form_question(schema(v={"type": "string", "oneOf": choices})))
    async with asked(app, (140, 40)) as pilot:
        await until(pilot, lambda: keys in app.words, "the keys")


@pytest.mark.parametrize(("letter", "sure"), [("y", True), ("n", False)])
async def test_a_form_of_one_yes_or_no_is_answered_by_its_letter_and_sent_by_the_key_that_sends(
    letter: str, sure: bool
) -> None:
    app = Asking(form_question(schema(("sure",), sure={"type": "boolean", "title": "Sure"})))
    async with asked(app) as pilot:
        assert "y n ←→ choose" in app.words
        await pilot.press(letter)
        await until(pilot, lambda: "ready to send 1 answer" in app.words, "it is picked")
        assert app.outcome is None
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "it is sent")
    assert app.outcome is not None
    assert (app.outcome.action, app.outcome.content) == ("accept", {"sure": sure})


@pytest.mark.parametrize(("width", "words"), [(80, "type to search "), (24, "search ")])
async def test_what_invites_to_search_is_not_cut(width: int, words: str) -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": LONG})))
    async with asked(app, (width + 8, 24)):
        assert words in app.words
        assert "63 choices" in app.words
        assert "sear…" not in app.words


@pytest.mark.parametrize(
    ("label", "value", "said"),
    [
        ("Staging", "staging", True),
        ("Eu West 1", "eu-west-1", True),
        ("Gold (g-24)", "g-24", True),
        ("yes", "yes", True),
        ("3", 3, True),
        ("No", "yes", False),
        ("staging", "production", False),
        ("Staging (eu-west)", "stg-eu", False),
        ("5", "-5", False),
        ("15", "1.5", False),
        ("+", "-", False),
        ("Never", 0, False),
        ("No", True, False),
        ("a" * 250, "a" * 250, False),
    ],
)
def test_a_label_says_its_value_or_it_does_not(label: str, value: Any, said: bool) -> None:
    assert says(label, value) == said


SWAPPED = {"title": "Share it?", "oneOf": [{"const": "yes", "title": "No"}, {"const": "no"}]}
NAMED = {"title": "Where", "enum": ["stg", "prod"], "enumNames": ["Production", "Staging"]}
MANY = {"type": "array", "items": {"anyOf": [{"const": "rm -rf /", "title": "Nothing"}]}}
LONG_LIST = {"enum": [f"v{n}" for n in range(20)], "enumNames": [f"n{n}" for n in range(20)]}


@pytest.mark.parametrize("width", [40, 60, 80, 140])
@pytest.mark.parametrize(
    ("field", "keys", "sent"),
    [
        (SWAPPED, ("1",), 'sends "yes"'),
        (NAMED, ("1",), 'sends "stg"'),
        (MANY, ("space",), 'sends "rm -rf /"'),
        (LONG_LIST, ("n", "7", "enter"), 'sends "v7"'),
    ],
)
async def test_what_is_sent_for_a_choice_that_says_something_else_stands_below_it(
    field: dict[str, Any], keys: tuple[str, ...], sent: str, width: int
) -> None:
    app = Asking(form_question(schema(v=field, w={"type": "string", "title": "Other"})))
    async with asked(app, (width, 40)) as pilot:
        assert "sends" not in app.words
        before = [line for line, text in enumerate(app.words.splitlines()) if "Other" in text]
        await pilot.press(*keys)
        await until(pilot, lambda: sent in app.words, "what is sent")
        lines = app.words.splitlines()
        after = [line for line, text in enumerate(lines) if "Other" in text]
        if width >= 60:
            assert after == [before[0] + 1], "it has a line of its own, and the blank one stays"
            assert sent in lines[after[0] - 2]
            # Where there is room what would be sent stands beside the fields.
            assert not lines[after[0] - 1][: width // 2].strip("│ ▌")


async def test_a_default_that_its_label_does_not_say_is_told_from_the_beginning() -> None:
    app = Asking(form_question(schema(v={**SWAPPED, "default": "yes"})))
    async with asked(app):
        assert 'sends "yes"' in app.words


async def test_a_choice_whose_words_say_what_is_sent_says_it_once() -> None:
    field = {"title": "Where", "oneOf": [{"const": "eu-west", "title": "EU West"}]}
    app = Asking(form_question(schema(v=field, w={"type": "boolean", "default": True})))
    async with asked(app) as pilot:
        await pilot.press("1")
        await pilot.pause()
        assert "sends" not in app.words


@pytest.mark.parametrize(("rows", "shown"), [(24, 6), (40, 12), (60, 20)])
async def test_a_long_list_has_more_rows_on_a_tall_screen(rows: int, shown: int) -> None:
    app = Asking(form_question(schema(v={"type": "string", "enum": LONG[3:]})))
    async with asked(app, size=(100, rows)) as pilot:
        await until(pilot, lambda: "choice 0" in app.words, "the list")
        assert app.words.count("○ choice ") == shown
