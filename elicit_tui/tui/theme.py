"""The looks of every screen: ours, the library's, a file of the owner's, or as the terminal is."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from rich.color import Color as RichColor
from rich.segment import Segments
from textual.app import App
from textual.color import Color, ColorParseError
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import BUILTIN_THEMES, Theme

from elicit_tui.errors import ElicitTuiError
from elicit_tui.text import quoted

DEFAULT_THEME: Final = "dark"

_DARK = Theme(
    name="elicit-dark",
    dark=True,
    primary="#7fb4ca",
    secondary="#7fb4ca",
    accent="#7fb4ca",
    foreground="#dcdfe4",
    background="#16181d",
    surface="#1d2027",
    panel="#262a33",
    warning="#e5c07b",
    error="#f07178",
    success="#98c379",
    variables={
        "border": "#7fb4ca",
        "border-blurred": "#3b414d",
        "faint": "#9aa2b1",
        "well": "#2c313c",
        "well-focus": "#313744",
        "input-selection-background": "#7fb4ca 35%",
        "scrollbar": "#4a5160",
        "scrollbar-hover": "#7fb4ca",
        "scrollbar-active": "#7fb4ca",
        "scrollbar-background": "#1d2027",
        "scrollbar-background-hover": "#1d2027",
        "scrollbar-background-active": "#1d2027",
        "scrollbar-corner-color": "#1d2027",
    },
)

_LIGHT = Theme(
    name="elicit-light",
    dark=False,
    primary="#1a6079",
    secondary="#1a6079",
    accent="#1a6079",
    foreground="#24292f",
    background="#f2f3f5",
    surface="#fbfbfc",
    panel="#e9ebef",
    warning="#7a5000",
    error="#b3261e",
    success="#2e6b34",
    variables={
        "border": "#1a6079",
        "border-blurred": "#c3c8d0",
        "faint": "#59616e",
        "well": "#e9ebef",
        "well-focus": "#d8e6ec",
        "input-selection-background": "#1a6079 30%",
        "scrollbar": "#b7bdc8",
        "scrollbar-hover": "#1a6079",
        "scrollbar-active": "#1a6079",
        "scrollbar-background": "#fbfbfc",
        "scrollbar-background-hover": "#fbfbfc",
        "scrollbar-background-active": "#fbfbfc",
        "scrollbar-corner-color": "#fbfbfc",
    },
)

_HIGH_CONTRAST = Theme(
    name="elicit-high-contrast",
    dark=True,
    primary="#ffff00",
    secondary="#ffff00",
    accent="#ffff00",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#262626",
    warning="#ffaf00",
    error="#ff9494",
    success="#87ff87",
    text_alpha=1.0,
    variables={
        "border": "#ffff00",
        "border-blurred": "#ffffff",
        "faint": "#e4e4e4",
        "well": "#262626",
        "well-focus": "#00005f",
        "input-selection-background": "#5f5fff",
        "scrollbar": "#ffffff",
        "scrollbar-hover": "#ffff00",
        "scrollbar-active": "#ffff00",
        "scrollbar-background": "#000000",
        "scrollbar-background-hover": "#000000",
        "scrollbar-background-active": "#000000",
        "scrollbar-corner-color": "#000000",
    },
)

THEMES: Final = {"dark": _DARK, "light": _LIGHT, "high-contrast": _HIGH_CONTRAST}
"""Ours: configured name (`console.theme`) to theme, each with one accent."""


_LIBRARYS: Final = {
    name: theme for name, theme in BUILTIN_THEMES.items() if not theme.primary.startswith("ansi")
}
"""Textual's own, but for those whose colours only the terminal knows."""
# Each application knows ours before its styles are made, which name a theme's colours.
BUILTIN_THEMES.update({theme.name: theme for theme in THEMES.values()})


_BLACK: Final = RichColor.parse("black")
_SHORTER: Final = 1.01
"""Rows by which the thumb is shorter than its bar at least: what is drawn is rounded up."""


class ColouredBar(ScrollBarRender):
    """A scrollbar of colour alone: no sign at its ends is copied, or read aloud, as text.

    While rows are hidden its thumb is shorter than it, if by one row.
    """

    VERTICAL_BARS = [" "]  # noqa: RUF012 - Textual declares it so
    HORIZONTAL_BARS = [" "]  # noqa: RUF012

    @classmethod
    def render_bar(
        cls,
        size: int = 25,
        virtual_size: float = 50,
        window_size: float = 20,
        position: float = 0,
        thickness: int = 1,
        vertical: bool = True,
        back_color: RichColor = _BLACK,
        bar_color: RichColor = _BLACK,
    ) -> Segments:
        """The bar, as the library draws it for a window that is small enough."""
        seen = min(window_size, virtual_size * (1 - _SHORTER / max(size, 1)))
        if 0 < window_size < virtual_size and seen > 0:
            position *= (virtual_size - seen) / (virtual_size - window_size)
            window_size = seen
        return super().render_bar(
            size, virtual_size, window_size, position, thickness, vertical, back_color, bar_color
        )


ScrollBar.renderer = ColouredBar


def thumb_row(bar: ScrollBar, position: float) -> float:
    """The row in which the thumb of a vertical bar begins when the view stands at `position`.

    Where the bar has no place yet, each position has a row of its own.
    """
    rows, left = bar.size.height, bar.window_virtual_size - bar.window_size
    if not rows or left <= 0:
        return position
    thumb = max(1, min(bar.window_size * rows / bar.window_virtual_size, rows - _SHORTER))
    return int((rows - thumb) * position / left)


AUTO: Final = "auto"
"""Follows the terminal: light where its background is."""

THEME_NAMES: Final = (AUTO, *THEMES, *sorted(_LIBRARYS))


def begin_with_theme(app: App[Any], name: str) -> None:
    """Let an application that is not made yet wear the theme of this configured name.

    To be called before `App.__init__`: with a theme that comes later all styles are made twice.
    A name nobody knows wears the default.
    """
    theme = _theme(name, colours="NO_COLOR" not in os.environ)
    BUILTIN_THEMES[theme.name] = theme
    app.set_reactive(App.theme, theme.name)


def use_theme(app: App[Any], name: str = DEFAULT_THEME) -> None:
    """Let the application change to the theme of this configured name."""
    theme = _theme(name, colours=not app.no_color)
    app.register_theme(theme)
    app.theme = theme.name


def is_light(red: int, green: int, blue: int) -> bool:
    """Whether a background of this colour (0 to 255 each) wants dark letters."""
    return 0.299 * red + 0.587 * green + 0.114 * blue > 127


def _theme(name: str, *, colours: bool) -> Theme:
    theme = _named(name)
    return theme if colours else _without_colours(theme)


def _named(name: str) -> Theme:
    if name == AUTO:
        return THEMES["light" if _says_light() else "dark"]
    if name in THEMES:
        return THEMES[name]
    if name in _LIBRARYS:
        return _completed(_LIBRARYS[name])
    return _of_file(name) or THEMES[DEFAULT_THEME]


def theme_trouble(name: str) -> str | None:
    """Why a configured name wears the default, with those that are known; None: it is a theme."""
    if name in THEME_NAMES or _of_file(name) is not None:
        return None
    *others, last = (*THEME_NAMES, "a TOML file with colours beside the configuration")
    return f"there is no theme {quoted(name, 60)}: known are {', '.join(others)}, and {last}"


def _says_light() -> bool:
    """Whether the environment names a light background, as some terminals do (`COLORFGBG`)."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")


def _of_file(name: str) -> Theme | None:
    """A theme of the owner's: TOML with the names of colours; None where it cannot be read.

    A name without a folder is looked for beside the configuration, with or without its `.toml`.
    """
    import tomli

    from elicit_tui import paths

    try:
        file = name if name.endswith(".toml") else f"{name}.toml"
        path = paths.config_file().parent / Path(file).expanduser()
        written = tomli.loads(path.read_text(encoding="utf-8"))
        dark = written.get("dark") is not False
        colours = {key: str(value) for key, value in written.items() if key in OWN_COLOURS}
        for colour in colours.values():
            Color.parse(colour)
    except (OSError, ValueError, RuntimeError, ElicitTuiError, ColorParseError):
        return None
    ours = THEMES["dark" if dark else "light"]
    plain = Theme(
        name="own",
        dark=dark,
        primary=colours.get("primary") or colours.get("accent") or ours.primary,
        **{key: colours.get(key, getattr(ours, key)) for key in OWN_COLOURS - {"primary"}},
    )
    return _completed(plain)


OWN_COLOURS: Final = frozenset(
    "primary secondary accent foreground background surface panel warning error success".split()
)
"""What a theme of the owner's may name."""


def _completed(theme: Theme) -> Theme:
    """A theme with the colours that our screens name besides the library's."""
    made = theme.to_color_system().generate()
    ink, ground = (Color.parse(made[name]) for name in ("foreground", "background"))

    def mixed(share: float) -> str:
        return ground.blend(ink, share).hex

    def readable(colour: str) -> str:
        """The colour, with as much of the text's as it takes to be read on each ground of ours."""
        shades = [Color.parse(colour).blend(ink, share / 10) for share in range(0, 11, 2)]
        panel = Color.parse(mixed(0.08))
        return next((shade for shade in shades if _contrast(shade, panel) >= READABLE), ink).hex

    accent = readable(theme.accent or made["accent"])

    bars = ("scrollbar-background", "scrollbar-background-hover", "scrollbar-background-active")
    return replace(
        theme,
        name=f"elicit-{theme.name}",
        foreground=ink.hex,
        background=ground.hex,
        surface=mixed(0.04),
        panel=mixed(0.08),
        accent=accent,
        success=readable(made["success"]),
        warning=readable(made["warning"]),
        error=readable(made["error"]),
        variables={
            **theme.variables,
            "border": accent,
            "border-blurred": mixed(0.25),
            "faint": readable(mixed(0.7)),
            "well": mixed(0.08),
            "well-focus": mixed(0.16),
            "input-selection-background": f"{accent} 35%",
            "scrollbar": mixed(0.35),
            "scrollbar-hover": accent,
            "scrollbar-active": accent,
            **dict.fromkeys((*bars, "scrollbar-corner-color"), mixed(0.04)),
        },
    )


READABLE: Final = 4.5
"""The least contrast of a word (WCAG 2.1, AA)."""


def _contrast(first: Color, second: Color) -> float:
    """The ratio of WCAG 2.1, 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    parts = (part / 255 for part in colour.rgb)
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _without_colours(theme: Theme) -> Theme:
    """The theme where a colour would be a fainter grey: what it sets off is as strong as the text.

    Signs, bold and blocks tell it apart.
    """
    ink = theme.foreground or theme.primary
    return replace(
        theme,
        name=f"{theme.name}-without-colours",
        primary=ink,
        secondary=ink,
        accent=ink,
        warning=ink,
        error=ink,
        success=ink,
    )
