from __future__ import annotations

from elicit_tui.config.locating import locate

TEXT = '''a = 1
# [no]
b.c = "x # y" # z
[t]
"q.r" = """
[not]
x = 1
"""
list = [
  1, # one
  { k = [2,
    3] },
]
[[n]]
k = 1
[[n]]
k = { "x" = 1, y.z = \'\'\'
\'\'\' }
[n.sub]
'lit"' = 1
[m."a.b".c]
d = 1979-05-27T07:32:00Z
'''


def test_every_key_is_found_on_its_line() -> None:
    lines = locate(TEXT)
    assert lines == {
        ("a",): 1,
        ("b",): 3,
        ("b", "c"): 3,
        ("t",): 4,
        ("t", "q.r"): 5,
        ("t", "list"): 9,
        ("t", "list", 0): 10,
        ("t", "list", 1): 11,
        ("t", "list", 1, "k"): 11,
        ("t", "list", 1, "k", 0): 11,
        ("t", "list", 1, "k", 1): 12,
        ("n",): 14,
        ("n", 0): 14,
        ("n", 0, "k"): 15,
        ("n", 1): 16,
        ("n", 1, "k"): 17,
        ("n", 1, "k", "x"): 17,
        ("n", 1, "k", "y"): 17,
        ("n", 1, "k", "y", "z"): 17,
        ("n", 1, "sub"): 19,
        ("n", 1, "sub", 'lit"'): 20,
        ("m",): 21,
        ("m", "a.b"): 21,
        ("m", "a.b", "c"): 21,
        ("m", "a.b", "c", "d"): 22,
    }


def test_windows_line_ends_count_once() -> None:
    assert locate("a = 1\r\nb = 2\r\n") == {("a",): 1, ("b",): 2}


def test_what_is_not_toml_ends_the_search_and_nothing_else() -> None:
    assert locate("a = 1\n] = 2\nb = 3\n") == {("a",): 1}
    assert locate("a = " + "[" * 100_000) is not None
