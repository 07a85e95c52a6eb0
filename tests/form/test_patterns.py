"""`pattern` is ECMA-262, unanchored, and bounded in time whatever it is."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from elicit_tui.form import pattern as patterns
from elicit_tui.form.ecma import Untranslatable, translated
from elicit_tui.form.field import Typed
from elicit_tui.form.form import Form
from elicit_tui.form.pattern import SchemaPatterns
from elicit_tui.form.pattern_steps import STEPS_TOGETHER, Patterns
from elicit_tui.form.schema_reading import read_form
from tests.bounds import bounded
from tests.form.forms import form_of, wrong

EXPLODING = "^(a|aa|ab?)+$"
FOOD = "a" * 60 + "!"

FOUND = [
    ("b", "abc"),
    ("^b", "bc"),
    ("c$", "abc"),
    (r"^\d+$", "2026"),
    (r"^\w+$", "a_9"),
    (r"\s", "\u00a0"),
    (r"\s", "\ufeff"),
    (r"\s", "\u2028"),
    (r"^.$", "😀"),
    (r"^[😀-😂]$", "😁"),
    (r"^\u{1F600}$", "😀"),
    (r"^\uD83D\uDE00$", "😀"),
    (r"^\u0041\x42\cJ\t\0$", "AB\n\t\0"),
    (r"^\u0041\u0042$", "AB"),
    (r"^\u{10FFFF}$", "\U0010ffff"),
    (r"^(?:\uD83D|a)$", "a"),
    (r"\0", "\0"),
    (r"^\P{ASCII}[\P{ASCII}\p{Any}]$", "éa"),
    (r"^\p{L}+$", "Straßeñя名"),
    (r"^\p{Script=Greek}+$", "αβγ"),
    (r"^\p{Lu}\P{Lu}$", "Ab"),
    (r"^\p{ASCII}\p{Any}$", "aé"),
    (r"^(?<year>\d{4})-\k<year>$", "2026-2026"),
    (r"^(a)?b\1c$", "bc"),
    (r"^(?:a)(?<y>b)\k<y>$", "abb"),
    (r"^(?=a)(a)\1$", "aa"),
    (r"^(?:a|(b))\1$", "a"),
    (r"(?<=\$)\d+", "cost $15"),
    (r"(?<!-)\b\d+\b", "15"),
    (r"^(?!.*\.\.).+$", "a.b"),
    (r"^[\w.+-]+@[\w-]+\.[\w.]+$", "a.b+c@d-e.fr"),
    (r"^[^]$", "\n"),
    (r"^[^a]$", "^"),
    (r"^[\]\\[^&|~-]+$", "]\\[^&|~-"),
    (r"^[\d-x]+$", "1-x"),
    (r"^[a-\d]+$", "a-1"),
    (r"^[a-a]$", "a"),
    (r"^[\D]$", "a"),
    (r"^[^\D]$", "1"),
    (r"^[\b]$", "\x08"),
    (r"^a{2,3}?$", "aaa"),
    (r"^{a}$", "{a}"),
    (r"^a{,2}$", "a{,2}"),
    (r"^\-\_\@\ \'$", "-_@ '"),
    (r"^\é$", "é"),
    (r"^\.+\-?\d{2}\p{L}*\x41+$", "...12éAA"),
    (r"\bfoo\b", "a foo é"),
    ("", "anything"),
]
NOT_FOUND = [
    (r"^\d+$", "٣"),
    (r"^\d+$", "12\n"),
    (r"^\w+$", "é"),
    (r"^.$", "\u2028"),
    (r"^.$", "ab"),
    (r"[]", "a"),
    (r"[a-c]", "-"),
    (r"^[^a]$", "a"),
    (r"^[^\W]$", "é"),
    (r"^\p{ASCII}$", "é"),
    (r"^a$", "A"),
    (r"a$", "a\n"),
    (r"^(?:foo){e<=1}$", "fo"),
    (r"\Bfoo", "foo"),
]
NO_PATTERNS = [
    "(", ")", "[a", "a**", "a++", "*a", "(?i)a", "(?P<n>a)", "(?>a)", "(?R)", "(?#x)", r"\A", r"\Z",
    r"\z", r"\x4", r"\x4g", r"\u12", r"\u12g4", r"\cé", r"\k",
    r"\u{110000}", r"\u{}", r"\c1", r"\p", r"\pL", r"\p{Nonsense}", r"\1",
    r"(a)\2", r"(?:a)\1", r"(?=a)\1", r"\k<n>", r"(?<n>a)(?<n>b)", "[b-a]", "\\", r"\01", "a{2,1}",
    "(?<1>a)", "(?",
    "(?i:a)", "(*VERB)", r"\N{DIGIT ONE}", r"(?|a|b)", "a{1}{2}", r"\b*", r"\B+", "^*", "$?", "a|*",
    "(+a)",
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "text"), FOUND)
def test_a_pattern_is_found_anywhere_and_means_what_ecma_means(pattern: str, text: str) -> None:
    assert SchemaPatterns().search(pattern, text) is True


@pytest.mark.parametrize(("pattern", "text"), NOT_FOUND)
def test_what_ecma_does_not_match_is_not_matched(pattern: str, text: str) -> None:
    assert SchemaPatterns().search(pattern, text) is False


@pytest.mark.parametrize("number", [9, 100, 1001])
def test_a_reference_means_its_own_group_whatever_its_number(number: int) -> None:
    pattern = f"^{'()' * (number - 1)}(a)b\\{number}$"
    assert SchemaPatterns().search(pattern, "aba") is True
    assert SchemaPatterns().search(pattern, "ab") is False


@pytest.mark.parametrize("pattern", NO_PATTERNS)
def test_what_is_no_pattern_of_ecma_is_not_enforced_and_the_field_says_so(pattern: str) -> None:
    form = form_of({"it": {"type": "string", "pattern": pattern}, "other": {"type": "string"}})
    assert form.unenforced == ("it",)
    assert any("pattern is not checked" in note for note in form.notes_for("it"))
    assert form.notes_for("other") == ()
    assert form.judge({"it": "anything"}) == ()


def test_a_pattern_that_cannot_be_translated_is_said_before_anything_is_judged() -> None:
    schema = {"type": "string", "pattern": "(a", "format": "other", "x-mine": 1}
    form = form_of({"it": schema})
    own = form.fields[0].notes
    assert own[-1] == "the pattern is not checked: a group is not closed"
    assert len(own) == 3
    assert form.judge({"it": "x"}) == ()
    assert form.notes_for("it") == own


def test_a_value_that_does_not_match_is_told_the_pattern() -> None:
    assert wrong({"type": "string", "pattern": "^[a-z]+$"}, Typed("A")) == (
        "it must match the pattern ^[a-z]+$"
    )
    said = wrong({"type": "string", "pattern": "^[a-z\u202e\x1b]+$"}, Typed("A"))
    assert said.isprintable()


def _walk(form: Form) -> None:
    entries = {field.name: Typed(FOOD) for field in form.fields}
    for name, entry in entries.items():
        form.check_field(name, entry)
    form.convert(entries)
    form.judge({field.name: FOOD for field in form.fields})


def test_a_pattern_that_explodes_is_given_up_and_no_rule_may_accept() -> None:
    form = form_of({"it": {"type": "string", "pattern": EXPLODING}, "b": {"type": "boolean"}})
    assert form.unenforced == ()
    assert form.judge({"it": "aab"}) == ()
    assert form.unenforced == ()
    with bounded():
        _walk(form)
    assert form.unenforced == ("it",)
    assert form.notes_for("it") == ("the pattern is not checked: it takes too long to run",)
    assert form.judge({"it": FOOD}) == ()


def test_a_field_with_one_pattern_that_cannot_be_run_may_not_be_accepted_by_a_rule() -> None:
    both = {"type": "string", "pattern": "^a", "allOf": [{"pattern": "(?:a{1000}){1000}"}, {}]}
    assert form_of({"it": both}).unenforced == ("it",)


def test_a_pattern_is_enforced_however_often_its_form_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    each_search = patterns.SECONDS_TOGETHER / 50
    now = itertools.count(0.0, each_search)
    monkeypatch.setattr(patterns, "time", SimpleNamespace(process_time=lambda: next(now)))
    form = form_of({"it": {"type": "string", "pattern": "^a$"}})
    assert all(form.judge({"it": "b"}) for _ in range(200))


def test_a_rule_that_meets_an_exploding_pattern_first_is_refused_as_well() -> None:
    form = form_of({"it": {"type": "string", "pattern": EXPLODING}})
    assert form.judge({"it": FOOD}) == ()
    assert form.unenforced == ("it",)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:a{1000}){1000}",
        "(?:(?:a{1000}){1000}){1000}",
        "((((((a{10}){10}){10}){10}){10}){10})",
        "[(]{9}(?:[)b]{900}){900}",
        "a{999999}",
    ],
)
def test_a_pattern_that_would_be_huge_written_out_is_never_compiled(pattern: str) -> None:
    form = form_of({"it": {"type": "string", "pattern": pattern}})
    assert form.notes_for("it") == ("the pattern is not checked: it repeats too much",)


def test_a_pattern_that_is_refused_costs_the_others_of_its_form_nothing() -> None:
    huge, honest = "(?:a{1000}){1000}", "^[a-z]{2}$"
    form = form_of(
        {
            name: {"type": "string", "pattern": pattern}
            for name, pattern in (("huge", huge), ("honest", honest))
        }
    )
    assert form.unenforced == ("huge",)


def test_patterns_that_are_large_together_are_not_all_compiled() -> None:
    many = {f"p{n}": {"type": "string", "pattern": f"(?:a{{100}}){{90}}{n}"} for n in range(30)}
    enforced = set(many) - set(form_of(many).unenforced)
    assert 0 < len(enforced) < 12


@pytest.mark.parametrize("pattern", ["^[ab]{1,100000}$", "^(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$"])
def test_a_pattern_that_may_repeat_much_is_enforced(pattern: str) -> None:
    assert SchemaPatterns().search(pattern, "x") is False


def test_two_hundred_exploding_patterns_cost_no_more_than_a_few() -> None:
    many = {
        f"p{number}": {"type": "string", "pattern": f"^(a|aa|ab{{{number}}})+$"}
        for number in range(200)
    }
    with bounded():
        _walk(form_of(many))


def test_patterns_of_items_references_and_names_are_bounded_too() -> None:
    form = form_of(
        {
            "lines": {"type": "array", "items": {"type": "string", "pattern": EXPLODING}},
            "referred": {"$ref": "#/$defs/bad"},
        },
        patternProperties={"^(a|aa|ab?)+$": {"type": "string"}},
        propertyNames={"pattern": "^(x|xx|a|aa|b)+$"},
        additionalProperties={"type": "string"},
        **{"$defs": {"bad": {"type": "string", "pattern": "^(a|aa|b)+$"}}},
    )
    with bounded():
        form.judge({"lines": [FOOD] * 50, "referred": FOOD, FOOD: "x"})
    assert form.unenforced == ("lines", "referred", "the form as a whole")


def test_a_pattern_of_names_that_cannot_be_run_is_one_of_the_form_as_a_whole() -> None:
    of_names = {"patternProperties": {"(?:a{1000}){1000}": {"type": "string"}}}
    assert form_of({"a": {"type": "string"}}, **of_names).unenforced == ("the form as a whole",)


def test_a_schema_that_refers_to_itself_is_looked_through_once_for_its_patterns() -> None:
    again = {"$ref": "#/$defs/a", "pattern": "^x"}
    with bounded():
        form = form_of({"a": {"$ref": "#/$defs/a"}}, **{"$defs": {"a": again}})
        assert form.unenforced == ()


@pytest.mark.parametrize("reference", [5, None, ["#"], {"a": "#"}])
def test_a_reference_that_is_none_leads_to_no_pattern(reference: object) -> None:
    form = form_of({"a": {"$ref": reference}, "b": {"type": "string", "pattern": "(a"}})
    assert form.unenforced == ("b",)


def test_a_pattern_for_which_no_time_is_left_may_not_be_accepted_by_a_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = itertools.count(0.0, patterns.SECONDS_TOGETHER)
    monkeypatch.setattr(patterns, "time", SimpleNamespace(process_time=lambda: next(now)))
    form = form_of({name: {"type": "string", "pattern": "^x" + name} for name in ("a", "b")})
    assert [one.field for one in form.judge({"a": "no", "b": "no"})] == ["a"]
    assert form.unenforced == ("b",)
    assert form.notes_for("b") == (
        "the pattern is not checked: the patterns of this form take too long together",
    )


def test_each_judgement_has_time_of_its_own_for_its_patterns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = itertools.count(0.0, patterns.SLOW * 0.8)
    monkeypatch.setattr(patterns, "time", SimpleNamespace(process_time=lambda: next(now)))
    form = form_of({"a": {"type": "string", "pattern": "^x"}})
    for _ in range(2 * round(patterns.SECONDS_TOGETHER / patterns.SLOW)):
        assert [one.field for one in form.judge({"a": "no"})] == ["a"]
    assert form.unenforced == ()


def test_a_field_is_not_told_of_the_pattern_of_another_one() -> None:
    slow, honest = ({"type": "string", "pattern": pattern} for pattern in (EXPLODING, "^a"))
    form = form_of({"slow": slow, "honest": honest})
    form.judge({"slow": FOOD, "honest": "a"})
    assert form.notes_for("slow") != ()
    assert form.notes_for("honest") == ()


def test_additional_properties_know_the_patterns_of_names() -> None:
    form = form_of(
        {"a": {"type": "string"}},
        patternProperties={r"^x-\d+$": {"type": "integer"}},
        additionalProperties=False,
    )
    assert read_form(form.schema, "arguments").judge({"a": "1", "x-1": 1}) == ()
    assert [problem.message for problem in form.judge({"x-1": "one"})] == ["“x-1”: a whole number"]
    assert [problem.message for problem in form.judge({"b\x1b": 1})]
    assert form.judge({"b\x1b": 1})[0].message.isprintable()


def test_a_name_that_a_pattern_may_allow_is_not_refused_where_the_pattern_cannot_be_tried() -> None:
    form = form_of(
        {"a": {"type": "string"}},
        patternProperties={"*b": {"type": "integer"}},
        additionalProperties=False,
    )
    assert read_form(form.schema, "arguments").judge({"a": "1", "b": 1}) == ()


@pytest.mark.parametrize(
    "pattern",
    [
        "(" * 2000 + ")" * 2000,
        "[" * 4000,
        "(?<" * 1300,
        "[" * 3_990,
        "a{1,999999}" * 300,
        "(?:" * 1000 + "a" + "{2})" * 1000,
        "\\p{L}" * 800,
        "x" * 1_000_000,
        "(?=a)" * 800,
        "|" * 4000,
    ],
)
def test_a_monstrous_pattern_is_read_compiled_and_run_in_a_moment(pattern: str) -> None:
    with bounded():
        many = {f"p{n}": {"type": "string", "pattern": f"{pattern}{n}"} for n in range(30)}
        form = form_of(many)
        form.judge(dict.fromkeys(many, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"))
        assert isinstance(form.unenforced, tuple)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a", "a group is not closed"),
        ("[b-a]", "a range is in the wrong order"),
        (r"(a)\2", "it refers to a group that it does not have"),
        (r"(a)\1000", "it refers to a group that it does not have"),
        ("a**", "a quantifier has nothing to repeat"),
        ("{2}a", "a quantifier has nothing to repeat"),
        ("(?:{2}a)", "a quantifier has nothing to repeat"),
        ("(?i)a", "it uses a kind of group that ECMA-262 does not have"),
        (r"\01", "it uses an octal escape"),
    ],
)
def test_the_reason_why_a_pattern_cannot_be_run_is_a_clause(pattern: str, reason: str) -> None:
    with pytest.raises(Untranslatable, match=f"^{reason}$"):
        translated(pattern)


@pytest.mark.parametrize(
    ("pattern", "trouble"),
    [
        (r"(?<!a)b", "unusual"),
        (r"(?<=a)b", "unusual"),
        # What has to be there and takes nothing leads to what comes after it.
        ("^(?:b?){2}(a+)+$", "catastrophic"),
        # An anchor takes nothing, so that it hides nothing.
        (r"^(?:^a+)+$", "catastrophic"),
        (r"^(?:a|\b)+$", None),
        # A class of letters may be any letter, an escaped one is that letter alone.
        (r"^(?:\p{L}|aa)+$", "catastrophic"),
        (r"^(?:\u0061|bb)+$", None),
        # Twice is not without end.
        ("^(?:a|aa){1,2}$", None),
    ],
)
def test_a_pattern_is_tried_as_it_is_spelt(pattern: str, trouble: str | None) -> None:
    assert Patterns().trouble_in(pattern) == trouble


def test_patterns_that_explode_use_up_what_all_of_a_form_may_take() -> None:
    form = Patterns()
    for number in range(STEPS_TOGETHER // 5_000):
        assert form.trouble_in(f"^(a+)+b{number}$") == "catastrophic"
    assert form.trouble_in("^a$") == "catastrophic"


@pytest.mark.parametrize(
    ("pattern", "characters"),
    [
        ("abc", 3),
        ("a{5}", 5),
        ("a{0}b{1,9}", 2),
        ("(ab){5}", 10),
        ("((ab){3}c){2}", 14),
        (r"\d[a-z)]{4}", 5),
        ("a{2}{3}", 6),
        ("a)b", 3),
    ],
)
def test_a_pattern_is_as_long_as_its_counts_make_it(pattern: str, characters: int) -> None:
    assert patterns._written_out(pattern) == characters
