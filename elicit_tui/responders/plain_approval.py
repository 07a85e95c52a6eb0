"""A tool call that must be confirmed, at the prompt: without a yes nothing is called."""

from __future__ import annotations

from typing import Final

from elicit_tui.elicitation import Outcome, accept, hints_of
from elicit_tui.responders.commands import APPROVAL_HELP, PromptCommand
from elicit_tui.responders.dialogue import Dialogue
from elicit_tui.responders.heading import indented
from elicit_tui.text import neutral, neutral_line, readable_json

YES: Final = ("y", "yes")
NO: Final = ("n", "no")


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
    dialogue.say(readable_json(dict(request.call.arguments) if request.call else {}))
    while True:
        line = await dialogue.ask(
            "y (once), n (not), /session, /decline or /cancel: ", APPROVAL_HELP, deciding=True
        )
        command = line.word if isinstance(line, PromptCommand) else ""
        said = "" if isinstance(line, PromptCommand) else line.strip().casefold()
        if command == "once" or said in YES:
            return accept("user", "You allowed the call.", None, scope="once")
        if command == "session":
            return accept("user", "You allowed the tool for this session.", None, scope="session")
        if said in NO:
            await dialogue.decline()
        dialogue.say("Nothing was called. Type y, n or one of the commands.")
