"""An ECMA-262 pattern (as `pattern` of JSON Schema has it) in the dialect of `regex`.

The pattern is read as in ECMA's unicode mode, and leniently where the web does: a needless
backslash before punctuation, a brace or bracket that means itself. What cannot be said in
`regex` with the same meaning raises `Untranslatable`.
"""

from __future__ import annotations

import re
from typing import Final


class Untranslatable(Exception):
    """The pattern is not ECMA-262, or not one that can be run here; `str()` says why."""


# `\w` and `\s` as ECMA-262 has them: words are ASCII, blanks are those of Unicode.
_WORD: Final = "A-Za-z0-9_"
_SPACE: Final = r"\x09-\x0D\x20\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF"
_SHORTHAND: Final = {"d": "0-9", "w": _WORD, "s": _SPACE}
# `\b` by ECMA's words; that of `regex` would take letters of all languages.
_BOUNDARY: Final = f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
_NO_BOUNDARY: Final = f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"
_CONTROL: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_QUANTIFIER: Final = re.compile(r"(?:[*+?]|\{[0-9]{1,6}(?:,[0-9]{0,6})?\})\??")
_PROPERTY: Final = re.compile(r"\{([A-Za-z_]+(?:=[A-Za-z0-9_]+)?)\}")
_GROUP_NAME: Final = re.compile(r"<([^\W\d][\w$]*|\$[\w$]*)>")
_PARTS: Final = re.compile(
    r"\\.|\[(?:\\.|[^\]\\])*\]?|\((\?<(?![=!])([^>]*)>|\?)?",
    re.DOTALL,
)
"""Escapes and classes, in which a parenthesis opens nothing, and the start of each group."""


def translated(pattern: str) -> str:
    """The pattern for `regex.compile(…, regex.V1)`; raises Untranslatable."""
    return _Translation(pattern).run()


def _literal(code: int) -> str:
    """One character that means itself, inside a class and outside."""
    character = chr(code)
    if character.isascii() and character.isalnum():
        return character
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


class _Translation:
    """One pass over one pattern."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0
        self._names, self._groups = _groups(pattern)

    def run(self) -> str:
        parts: list[str] = []
        quantifiable = False
        # Terms one after the other; after some of them a quantifier may stand, which is taken as it
        # is.
        while self._at < len(self._pattern):
            quantifier = _QUANTIFIER.match(self._pattern, self._at)
            if quantifier:
                if not quantifiable:
                    raise Untranslatable("a quantifier has nothing to repeat")
                parts.append(quantifier.group())
                self._at = quantifier.end()
                quantifiable = False
                continue
            part, quantifiable = self._term()
            parts.append(part)
        if self._depth:
            raise Untranslatable("a group is not closed")
        return "".join(parts)

    def _term(self) -> tuple[str, bool]:
        """The next term, and whether a quantifier may follow it."""
        character = self._take()
        if character == "\\":
            return self._escape()
        if character == "[":
            return self._class(), True
        if character == "(":
            self._depth += 1
            return self._open_group(), False
        if character == ")":
            self._depth -= 1
            if self._depth < 0:
                raise Untranslatable("a group is closed that was not opened")
            return ")", True
        if character == "|":
            return "|", False
        if character == ".":
            return r"[^\n\r\u2028\u2029]", True
        # Always at the ends of the whole text: JSON Schema has no flags, and `$` of `regex` would
        # also match before a last line break.
        if character in "^$":
            return (r"\A" if character == "^" else r"\Z"), False
        return _literal(ord(character)), True

    def _take(self) -> str:
        if self._at >= len(self._pattern):
            raise Untranslatable("it ends in the middle")
        self._at += 1
        return self._pattern[self._at - 1]

    def _looking_at(self, text: str) -> bool:
        return self._pattern.startswith(text, self._at)

    def _open_group(self) -> str:
        for prefix in ("?:", "?=", "?!", "?<=", "?<!"):
            if self._looking_at(prefix):
                self._at += len(prefix)
                return "(" + prefix
        # Names go, and groups are counted: what refers to a name is written as its number.
        if self._looking_at("?<"):
            name = _GROUP_NAME.match(self._pattern, self._at + 1)
            if name is None:
                raise Untranslatable("a group has no proper name")
            self._at = name.end()
            return "("
        if self._looking_at("?"):
            raise Untranslatable("it uses a kind of group that ECMA-262 does not have")
        return "("

    def _escape(self) -> tuple[str, bool]:
        character = self._take()
        if character == "b":
            return _BOUNDARY, False
        if character == "B":
            return _NO_BOUNDARY, False
        if character in "123456789":
            digits = character
            while self._at < len(self._pattern) and self._pattern[self._at] in "0123456789":
                digits += self._take()
            # Whatever follows six digits: no pattern has so many groups.
            return self._back_reference(int(digits[:6])), True
        if character == "k":
            name = _GROUP_NAME.match(self._pattern, self._at)
            if name is None or name.group(1) not in self._names:
                raise Untranslatable("it refers to a group that it does not have")
            self._at = name.end()
            return self._back_reference(self._names[name.group(1)]), True
        shorthand = self._shorthand(character, in_class=False)
        return (shorthand, True) if shorthand else (_literal(self._character(character)), True)

    def _back_reference(self, number: int) -> str:
        """What a group matched; a group that took no part matches nothing, as in ECMA."""
        if number > self._groups:
            raise Untranslatable("it refers to a group that it does not have")
        # "If the group took part, what it matched, else nothing": `regex` would fail there. And not
        # `\NUMBER`, of which `regex` takes three digits for a character in octal.
        return f"(?({number})\\g<{number}>|)"

    def _shorthand(self, character: str, in_class: bool) -> str | None:
        r"""`\d` and its like, and `\p{…}`, of ASCII where ECMA means ASCII."""
        lower = character.lower()
        if lower in _SHORTHAND:
            inside = _SHORTHAND[lower]
            if character != lower:
                # A set within a set, where it stands in a class; V1 reads it so.
                return f"[^{inside}]"
            return inside if in_class else f"[{inside}]"
        if character not in "pP":
            return None
        name = _PROPERTY.match(self._pattern, self._at)
        if name is None:
            raise Untranslatable("it names no Unicode property")
        self._at = name.end()
        return f"\\{character}{{{name.group(1)}}}"

    def _character(self, character: str) -> int:
        """The code point that an escape stands for."""
        if character in _CONTROL:
            return _CONTROL[character]
        if character == "0":
            if self._at < len(self._pattern) and self._pattern[self._at] in "0123456789":
                raise Untranslatable("it uses an octal escape")
            return 0
        if character == "c":
            letter = self._take()
            if not (letter.isascii() and letter.isalpha()):
                raise Untranslatable("a control escape names no letter")
            return ord(letter) % 32
        if character == "x":
            return self._hexadecimal(2)
        if character == "u":
            return self._unicode()
        # A needless backslash is taken before punctuation alone: a letter may have a meaning of its
        # own.
        if character.isascii() and (character.isalnum() or character == "_"):
            if character == "_":
                return ord("_")
            raise Untranslatable(f"it uses the escape \\{character}, which ECMA-262 does not have")
        return ord(character)

    def _hexadecimal(self, length: int) -> int:
        digits = self._pattern[self._at : self._at + length]
        if len(digits) < length or not re.fullmatch(r"[0-9A-Fa-f]+", digits):
            raise Untranslatable("a hexadecimal escape is not complete")
        self._at += length
        return int(digits, 16)

    def _unicode(self) -> int:
        if self._looking_at("{"):
            end = self._pattern.find("}", self._at)
            digits = self._pattern[self._at + 1 : end] if end > 0 else ""
            if not re.fullmatch(r"0*[0-9A-Fa-f]{1,6}", digits) or int(digits, 16) > 0x10FFFF:
                raise Untranslatable("a code point escape is not one")
            self._at = end + 1
            return int(digits, 16)
        high = self._hexadecimal(4)
        # Two escapes that are halves of one character.
        if 0xD800 <= high <= 0xDBFF and self._looking_at("\\u"):
            back = self._at
            self._at += 2
            low = self._hexadecimal(4) if not self._looking_at("{") else 0
            if 0xDC00 <= low <= 0xDFFF:
                return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
            self._at = back
        return high

    def _class(self) -> str:
        negated = self._looking_at("^")
        if negated:
            self._at += 1
        parts: list[str] = []
        while not self._looking_at("]"):
            start = self._class_atom()
            if self._looking_at("-") and not self._looking_at("-]"):
                self._at += 1
                end = self._class_atom()
                if isinstance(start, int) and isinstance(end, int):
                    if start > end:
                        raise Untranslatable("a range is in the wrong order")
                    parts.append(f"{_literal(start)}-{_literal(end)}")
                    continue
                # A range from or to a set is no range: the hyphen means itself, as on the web.
                parts += [_class_part(start), r"\x2D", _class_part(end)]
                continue
            parts.append(_class_part(start))
        self._at += 1
        if not parts:
            # ECMA's empty classes: `[^]` is any character at all, `[]` is none ever, so it fails
            # wherever it stands.
            return r"[\x00-\U0010FFFF]" if negated else "(?!)"
        return f"[{'^' if negated else ''}{''.join(parts)}]"

    def _class_atom(self) -> int | str:
        """One code point, or a ready part of a class."""
        character = self._take()
        if character != "\\":
            return ord(character)
        escaped = self._take()
        if escaped == "b":
            return 8
        return self._shorthand(escaped, in_class=True) or self._character(escaped)


def _class_part(atom: int | str) -> str:
    return _literal(atom) if isinstance(atom, int) else atom


def _groups(pattern: str) -> tuple[dict[str, int], int]:
    """The numbers of the named groups, and how many groups capture."""
    names: dict[str, int] = {}
    count = 0
    # A group that begins with `?` and has no name captures nothing.
    for part in _PARTS.finditer(pattern):
        if not part.group().startswith("(") or part.group(1) == "?":
            continue
        count += 1
        name = part.group(2)
        if name is not None and names.setdefault(name, count) != count:
            raise Untranslatable("two groups have the same name")
    return names, count
