"""What cannot be seen is one list, and nothing made of it passes for a word of ours."""

from __future__ import annotations

import sys
import unicodedata

import pytest
import regex

from elicit_tui.elicitation import ElicitationRequest, Question, Review, ServerIdentity
from elicit_tui.form.schema_reading import read_form
from elicit_tui.responders.dialogue import heading
from elicit_tui.text import as_name, looks_blank, quoted
from elicit_tui.text.deceptive import BLANKS, is_invisible


def test_everything_that_unicode_lets_a_renderer_leave_out_is_invisible() -> None:
    ignorable = regex.compile(r"\p{Default_Ignorable_Code_Point}")
    for point in range(sys.maxunicode + 1):
        character = chr(point)
        if ignorable.match(character) or unicodedata.category(character) == "Cf":
            assert is_invisible(character), hex(point)


def test_every_blank_of_python_is_a_blank() -> None:
    assert {c for c in map(chr, range(sys.maxunicode + 1)) if c.isspace()} < set(BLANKS)


@pytest.mark.parametrize("blank", ["\u2800", "\u00a0", "\u3000", "\u2003", "\U0001d159"])
def test_a_name_with_blanks_of_any_kind_cannot_leave_its_quotation_marks(blank: str) -> None:
    name = f'deploy" 1.0{blank}{blank}stdio:{blank}/usr/bin/x'
    assert quoted(name) == "“deploy' 1.0 stdio: /usr/bin/x”"
    assert as_name(f"deploy{blank}stdio") == "“deploy stdio”"
    assert looks_blank(blank * 3 + "\u200b\u3164")


def test_what_a_server_calls_itself_is_quoted_its_version_too() -> None:
    server = ServerIdentity(
        "s", "stdio", "/bin/true", "deploy", '1.0"\u2800\u2800stdio:\u2800/usr/bin/x'
    )
    params = {"message": "m", "requestedSchema": {"type": "object", "properties": {}}}
    shown = heading(Question(ElicitationRequest(server, params), Review()))
    assert 'calls itself "deploy", version "1.0\' stdio: /usr/bin/x"; stdio: /bin/true' in shown
    plain = ServerIdentity("s", "stdio", "/bin/true", "deploy", "1.0⠀stdio:⠀/usr/bin/x")
    assert 'version "1.0 stdio: /usr/bin/x"' in heading(
        Question(ElicitationRequest(plain, params), Review())
    )


def test_a_title_or_a_choice_that_looks_blank_is_none() -> None:
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "\u2800\u2800"},
            "one": {"enum": ["\x1c\x1d", "\u2800"], "enumNames": ["\u3164", "\u2800"]},
        },
    }
    name, one = read_form(schema).fields
    assert name.title == "name"
    assert [choice.label for choice in one.choices] == ["“␜␝”", "“⟨U+2800⟩”"]
