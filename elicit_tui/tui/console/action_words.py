"""What a key does, in more words than a bar of keys has room for: in the help and the palette."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.binding import Binding

SENTENCES: Final[Mapping[str, str]] = {
    "console.quit": "Leave elicit-tui (quit)",
    "console.next_question": "Open the next question",
    "console.previous_pane": "Show the pane before this one",
    "console.next_pane": "Show the next pane",
    "console.mute_loop": "Mute the server whose question is open, or that asks in a loop",
    "console.suspend": "Suspend to the shell",
    "console.allowances": "Show the tools allowed for this session",
    "servers.about": "All about this server, or this tool",
    "servers.search": "Search what all servers offer",
    "servers.list": "Back to the list of servers",
    "servers.restart": "Start this server again",
    "servers.stop": "Stop this server, until it is started again",
    "servers.mute": "Mute this server for this run, or unmute it",
    "servers.favourite": "Make this a favourite, or no more",
    "servers.add": "Add a server",
    "servers.import": "Import servers of other programs",
    "servers.edit": "Edit this server",
    "servers.remove": "Remove this server",
    "servers.offers": "Go to what this server offers",
    "server.begin_anew": "Begin anew: as the file has it, or a new one",
    "questions.last": "Show the call that asked last, or the history",
    "questions.decline_all": "Decline all questions of this server",
    "questions.mute": "Mute the server that asks this",
    "calls.list": "Back to the list of calls",
    "calls.back": "Back to the tools, one of which was called",
    "calls.read": "Go to the call beside the list",
    "calls.cancel": "Cancel this call",
    "calls.whole": "Read this result on the whole screen",
    "calls.again": "Make this call again",
    "calls.restart": "Start the server of this call again, which has ended",
    "calls.turn": "Show this result in another way",
    "calls.copy": "Copy this result",
    "calls.save": "Save this result to files",
    "calls.open_link": "Follow a link of this result",
    "calls.filter": "List the calls of one state",
    "calls.search": "Search the calls",
    "calls.found": "Go to what calls were searched for, in the whole result",
    "calls.keep": "Keep this call in a file",
    "calls.kept": "Show the calls kept in files",
    "calls.note": "Write a note at this call",
    "calls.difference": "Compare this result with another one (diff)",
    "calls.copy_json": "Copy the data of this result as JSON",
    "calls.copy_command": "Copy this call as a command",
    "arguments.at_length": "Write this text, or the JSON, on the whole screen",
    "arguments.next_value": "Go to the next value to be written, in JSON",
    "arguments.previous_value": "Go back to the value before, in JSON",
    "arguments.skeleton": "Begin anew: as the call was made, or JSON with what is required",
    "field.reveal": "Show a secret: in its field, in JSON and in the review; or no more",
    "activity.search": "Search the activity",
    "history.read": "Read the history again",
    "history.search": "Search the history",
    "record.call": "Show the call that asked this",
    "record.copy": "Copy the record as JSON",
    "result.turn": "Show the result in another way",
    "result.search": "Search the result",
    "result.out": "Out of what was found, or of the result",
    "result.next": "Go to the next place found",
    "result.previous": "Go to the place found before",
    "result.narrow": "List the rows that were found alone, or all of them",
    "result.difference": "Compare the result with another one (diff)",
    "result.other": "Choose the call to compare with",
    "result.open_link": "Follow a link of the result",
    "result.copy": "Copy what the cursor is on, or the text",
    "result.copy_json": "Copy the data of the result as JSON",
    "result.copy_command": "Copy the call as a command",
    "result.save": "Save the result to files",
    "kept.search": "Search the calls kept in files",
    "text.search": "Search the text",
    "text.next": "Go to the next place found",
    "text.previous": "Go to the place found before",
    "row.copy": "Copy the row as JSON",
    "table.sort": "Sort by the column that the cursor is in",
}
"""By the id of an action; of those that are not here its short name says enough."""


def sentence(binding: Binding) -> str:
    """What it does and to what."""
    return SENTENCES.get(binding.id or "", binding.description)
