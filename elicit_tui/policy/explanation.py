"""What would happen to a question or a call, said beforehand: each step, its key, its layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from elicit_tui.elicitation.finding import Review, Severity
from elicit_tui.elicitation.request import Call, ElicitationRequest
from elicit_tui.elicitation.server import ServerIdentity
from elicit_tui.elicitation.settings import Layer, Rule, ServerSettings, Settings
from elicit_tui.elicitation.spelling import dotted
from elicit_tui.policy.rules import matches
from elicit_tui.policy.sentences import (
    entry_key,
    flag_told,
    granted,
    layer_of,
    told,
    who_can_change,
)
from elicit_tui.policy.surfacing import server_settings, surfaces, weigh
from elicit_tui.policy.tools import approval_mode
from elicit_tui.text import neutral_line


@dataclass(frozen=True)
class Step:
    """One step of the decision, in the order in which it is taken."""

    name: str
    sentence: str
    key: str | None = None
    layer: Layer | None = None
    ends: bool = False
    """Whether nothing after this step is reached."""
    change: str | None = None
    """Which key would make this step come out otherwise."""

    def as_json(self) -> dict[str, Any]:
        """The step for `config explain --output json`."""
        return {
            "step": self.name,
            "sentence": self.sentence,
            "key": self.key,
            "layer": self.layer,
            "ends": self.ends,
            "change": self.change,
        }


@dataclass(frozen=True)
class Explanation:
    """The decision order for one server, and tool, mode and message where they were given."""

    server: str
    tool: str | None
    mode: str
    message: str | None
    result: str
    """What comes out: `error`, `decline`, `cancel`, `accept`, `ask`, or `not called`."""
    steps: tuple[Step, ...]

    def as_json(self) -> dict[str, Any]:
        """The whole for `config explain --output json`."""
        return {
            "server": self.server,
            "tool": self.tool,
            "mode": self.mode,
            "message": self.message,
            "result": self.result,
            "steps": [step.as_json() for step in self.steps],
        }


def explain(
    settings: Settings,
    server: str,
    tool: str | None,
    mode: str,
    message: str | None,
    *,
    person_present: bool,
    review: Review | None = None,
) -> Explanation:
    """Walk the decision order as far as it can be known without the question itself.

    `review` is what the guardian finds in the message alone, where one was given.
    """
    request = ElicitationRequest(
        server=ServerIdentity(server, "stdio", ""),
        params={"mode": mode, "message": message or ""},
        call=Call("tools/call", tool) if tool is not None else None,
        wire_id=1,
    )
    known = server_settings(settings, server)
    steps: list[Step] = []
    result = "ask"
    walks: tuple[Callable[[], tuple[Step, str | None]], ...] = (
        lambda: _run(settings, known),
        lambda: _call(settings, known, tool, person_present),
        lambda: _surface(settings, known, request),
        lambda: _flood(settings),
        lambda: _guardian(settings, review),
        lambda: _rules(settings, request, message, tool),
        lambda: _ask(settings, person_present),
    )
    for walk in walks:
        step, ended = walk()
        steps.append(step)
        if ended is not None:
            result = ended
            break
    return Explanation(server, tool, mode, message, result, tuple(steps))


def _run(settings: Settings, server: ServerSettings) -> tuple[Step, str | None]:
    key = dotted("mcp_servers", server.name)
    if server.refused is not None:
        return Step("server", server.refused, key, "managed", ends=True), "not called"
    if server.missing:
        names = ", ".join(server.missing)
        step = Step(
            "server",
            f"{server.name} cannot start: the environment has no {names}.",
            key,
            layer_of(settings, key),
            ends=True,
            change=f"Setting {names} in the environment would let it start.",
        )
        return step, "not called"
    if not server.enabled:
        key = dotted("mcp_servers", server.name, "enabled")
        layer = layer_of(settings, key)
        said = f"{server.name} is not started: {told(key, False, layer)}."
        change = who_can_change(settings, key, f"{key} = true would start it.")
        return Step("server", said, key, layer, True, change), "not called"
    return Step("server", f"{server.name} may run.", key, layer_of(settings, key)), None


def _call(
    settings: Settings, server: ServerSettings, tool: str | None, person_present: bool
) -> tuple[Step, str | None]:
    key, mode = approval_mode(server, tool or "")
    layer = layer_of(settings, key)
    setting = told(key, mode, layer)
    if tool is not None and not server.offers_tool(tool):
        name = "disabled_tools" if tool in server.disabled_tools else "enabled_tools"
        key = dotted("mcp_servers", server.name, name)
        layer = layer_of(settings, key)
        change = who_can_change(settings, key, f"Changing {key} would allow it.")
        sentence = f"The tool may not be called: {key} ({layer})."
        return Step("tool call", sentence, key, layer, True, change), "not called"
    when = {
        "approve": "The call is never confirmed",
        "prompt": "Every call is confirmed",
        "writes": "The call is confirmed unless the tool says that it only reads",
        "auto": "The call is confirmed only if the tool says that it is destructive",
    }[mode]
    remedy = dotted("mcp_servers", server.name, "tools", tool or "TOOL", "approval_mode")
    change = who_can_change(settings, remedy, f'{remedy} = "approve" would never confirm it.')
    if mode == "approve":
        return Step("tool call", f"{when}: {setting}.", key, layer), None
    if not granted(settings).tool_calls:
        flag, sentence, flag_layer = flag_told(settings, "tool_calls")
        said = f"{when} ({setting}); {sentence} lets no confirmation be asked"
        ends = mode == "prompt"
        said += ": the tool is not called." if ends else ": then the tool is not called."
        wanted = 'approval_policy = "on-request"' if flag == "approval_policy" else f"{flag} = true"
        change += " " + who_can_change(settings, flag, f"{wanted} would let it be confirmed.")
        step = Step("tool call", said, flag, flag_layer, ends, change)
        return step, "not called" if ends else None
    if not person_present:
        ends = mode == "prompt"
        said = f"{when} ({setting}); with nobody to ask the tool is then not called."
        return Step("tool call", said, key, layer, ends, change), "not called" if ends else None
    return Step("tool call", f"{when}: {setting}.", key, layer, False, change), None


def _surface(
    settings: Settings, server: ServerSettings, request: ElicitationRequest
) -> tuple[Step, str | None]:
    outcome = surfaces(settings, request)
    if outcome is None:
        key, layer = "approval_policy", layer_of(settings, "approval_policy")
        policy = settings.approval_policy
        value = policy if isinstance(policy, str) else "granular"
        return Step(
            "policy", f"The question may surface: {told(key, value, layer)}.", key, layer
        ), None
    wanted = {
        "approval_policy": 'approval_policy = "on-request"',
        "approval_policy.granular.mcp_elicitations": f"{outcome.key} = true",
        dotted("mcp_servers", server.name, "elicitations"): f'{outcome.key} = "ask"',
    }.get(outcome.key or "", f"Another {outcome.key}")
    change = who_can_change(settings, outcome.key or "", f"{wanted} would let it surface.")
    layer = layer_of(settings, outcome.key or "")
    return Step(
        "policy", outcome.reason, outcome.key, layer, True, change
    ), outcome.action or "error"


def _flood(settings: Settings) -> tuple[Step, str | None]:
    limits = settings.elicitation.limits
    sentence = (
        f"Over {limits.per_minute} questions a minute or {limits.pending} waiting ones of this "
        "server are cancelled."
    )
    key = "elicitation.limits"
    change = who_can_change(settings, key, f"{key}.per_minute and {key}.pending set these limits.")
    return Step("flood", sentence, key, layer_of(settings, key), False, change), None


def _guardian(settings: Settings, review: Review | None) -> tuple[Step, str | None]:
    key = "guardian.on_block"
    outcome = weigh(settings, review) if review is not None else None
    if outcome is not None:
        change = who_can_change(settings, key, f'{key} = "ask" would ask about it.')
        layer = layer_of(settings, key)
        return Step("guardian", outcome.reason, key, layer, True, change), outcome.action
    found = review.at_least(Severity.WARN) if review is not None else ()
    step = _reviewing(settings)
    if found:
        rules = ", ".join(dict.fromkeys(neutral_line(finding.rule, 80) for finding in found))
        step = replace(step, sentence=f"The guardian finds {rules} in the message. {step.sentence}")
    return step, None


def _reviewing(settings: Settings) -> Step:
    key = "guardian.on_block"
    if settings.approvals_reviewer == "user":
        key = "approvals_reviewer"
        layer = layer_of(settings, key)
        said = f"The guardian only advises: {told(key, 'user', layer)}."
        change = who_can_change(settings, key, f'{key} = "auto_review" would let it decline.')
        return Step("guardian", said, key, layer, False, change)
    on_block = settings.guardian.on_block
    layer = layer_of(settings, key)
    if on_block == "decline":
        said = f"A request that the guardian blocks is declined: {told(key, on_block, layer)}."
        change = who_can_change(settings, key, f'{key} = "ask" would ask about it.')
    else:
        said = f"A request that the guardian blocks is asked: {told(key, on_block, layer)}."
        change = who_can_change(settings, key, f'{key} = "decline" would decline it.')
    return Step("guardian", said, key, layer, False, change)


def _rules(
    settings: Settings, request: ElicitationRequest, message: str | None, tool: str | None
) -> tuple[Step, str | None]:
    for rule in settings.rules:
        unknown = (message is None and rule.message is not None) or (
            tool is None and rule.tool is not None
        )
        if unknown:
            continue
        if matches(rule, request):
            return _ruled(settings, rule)
    perhaps = [
        f"rule {rule.position} ({rule.layer})"
        for rule in settings.rules
        if (message is None and rule.message is not None)
        or (tool is None and rule.tool is not None)
    ]
    if perhaps:
        said = f"It depends on the tool or the message: {', '.join(perhaps)} may match."
        return Step("rules", said, "rules"), None
    change = "A [[rules]] entry for this server and message would answer or refuse it."
    return Step("rules", "No rule matches.", "rules", None, False, change), None


def _ruled(settings: Settings, rule: Rule) -> tuple[Step, str | None]:
    key = entry_key(rule, "rules")
    named = f"Rule {rule.position} ({rule.layer})"
    change = f"{key} decides; removing it or putting another rule before it would change this."
    if rule.layer == "managed":
        change = f"{key} is locked by managed configuration."
    if rule.action == "accept":
        said = (
            f"{named} accepts it, unless it is a URL, has no fields, its content does not fit "
            "requestedSchema, or the guardian finds something not listed in despite; then it is "
            "asked."
        )
        return Step("rules", said, key, rule.layer, False, change), None
    if rule.action == "ask":
        if granted(settings).rules:
            return Step(
                "rules", f"{named} asks for a person.", key, rule.layer, False, change
            ), None
        flag, sentence, layer = flag_told(settings, "rules")
        said = f"{named} asks for a person, and {sentence}: declined."
        change = who_can_change(settings, flag, f"{flag} = true would let it be asked.")
        return Step("rules", said, flag, layer, True, change), "decline"
    done = "declines" if rule.action == "decline" else "cancels"
    return Step("rules", f"{named} {done} it.", key, rule.layer, True, change), rule.action


def _ask(settings: Settings, person_present: bool) -> tuple[Step, str | None]:
    if not person_present:
        return Step("ask", "Nobody is there to ask, so it is cancelled.", ends=True), "cancel"
    key = "elicitation.timeout_sec"
    seconds = settings.elicitation.timeout_sec
    layer = layer_of(settings, key)
    said = "You are asked, for as long as you like"
    if seconds:
        said = "You are asked, and without an answer in time it is cancelled"
    change = who_can_change(settings, key, f"{key} sets the time; 0 means none.")
    return Step("ask", f"{said}: {told(key, seconds, layer)}.", key, layer, False, change), "ask"
