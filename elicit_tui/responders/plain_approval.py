"""A tool call that must be confirmed, at the prompt: without a yes nothing is called."""

from __future__ import annotations

from elicit_tui.elicitation import Outcome, accept, hints_of
from elicit_tui.responders.commands import APPROVAL_HELP, Command
from elicit_tui.responders.dialogue import Dialogue
from elicit_tui.responders.heading import indented
from elicit_tui.text import ascii_json, neutral, neutral_line


async def ask_approval(dialogue: Dialogue) -> Outcome:
    """Ask whether the tool may be called; raises Decided for every refusal."""
    request = dialogue.question.request
    definition = request.definition
    described = definition.get("description")
    if isinstance(described, str) and described.strip():
        dialogue.say("The tool says of itself:")
        dialogue.say(indented(neutral(described, 4_000).strip()))
    dialogue.say(f"Its hints: {neutral_line(', '.join(hints_of(definition))) or 'none'}")
    dialogue.say("It would be called with:")
    dialogue.say(ascii_json(dict(request.call.arguments) if request.call else {}, indent=2))
    while True:
        line = await dialogue.ask(
            "/once, /session, /decline or /cancel: ", APPROVAL_HELP, deciding=True
        )
        if isinstance(line, Command) and line.word == "once":
            return accept("user", "You allowed the call.", None, scope="once")
        if isinstance(line, Command) and line.word == "session":
            return accept("user", "You allowed the tool for this session.", None, scope="session")
        dialogue.say("Nothing was called. Type one of the commands.")
