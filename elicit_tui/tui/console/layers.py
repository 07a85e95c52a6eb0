"""How Textual's own layers look here: notices that stand clear of the keys, the palette."""

from __future__ import annotations

from typing import Final

LAYERS_CSS: Final = """
ToastRack { margin-bottom: 3; }
QuestionScreen ToastRack { margin-bottom: 5; }
.-narrow ToastRack { margin-bottom: 7; }
Toast {
    width: 60; max-width: 90%; padding: 0 1; background: $panel; color: $foreground;
    margin: 1 1 0 0;
}
CommandPalette { background: $background 70%; }
CommandPalette > Vertical {
    margin: 1 0; max-width: 100; background: transparent;
    &:dark { background: transparent; }
}
CommandPalette #--input, CommandPalette #--input.--list-visible {
    border: round $accent; background: $surface; padding: 0 1;
}
CommandPalette SearchIcon { display: none; }
CommandPalette CommandInput, CommandPalette CommandInput:focus {
    border: none; height: 1; padding: 0; background: $surface;
    &>.input--placeholder { color: $faint; text-style: italic; }
}
CommandPalette #--results { background: $surface; }
CommandPalette CommandList, CommandPalette CommandList:focus,
CommandPalette CommandList.--populating {
    border: round $border-blurred; background: $surface; scrollbar-size-vertical: 1;
    & > .option-list--option { padding: 0 1; color: $foreground; text-style: bold; }
    & > .option-list--option-highlighted { color: $background; background: $accent; }
}
CommandPalette > .command-palette--help-text { color: transparent; text-style: not bold; }
CommandPalette LoadingIndicator { display: none; }
"""
