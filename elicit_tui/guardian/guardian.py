"""The guardian: all rules over one request, the owner's included, and one look at an answer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.elicitation import ElicitationRequest, Finding, Review, Severity
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.elicitation.shapes import secret_in
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.form.form import Form
    from elicit_tui.guardian.rule import GuardianRule

RULE_FAILED = "guardian.rule_failed"
SECONDS: Final = 5.0  # of the processor for one request: no ordinary one takes a tenth of it
_FAMILIES: Final = "credentials private destructive deception hidden url schema suspected".split()
_LOOK_WELL = "A check could not be finished, so look at this request with special care."
_MAY_IT_LEAVE: Final = (
    "This looks like a secret. Send it only if you are sure that this server may have it."
)
_CHOSEN: Final = frozenset({"single", "multi", "boolean"})  # Nothing can be typed there.


class Guardian:
    """Judges requests by deterministic rules; vocabularies are loaded with the first one."""

    def __init__(self, settings: GuardianSettings | None = None) -> None:
        self.settings = settings if settings is not None else GuardianSettings()

    @cached_property
    def rules(self) -> tuple[GuardianRule, ...]:
        """The rules in force: the owner's own first, then ours that are not disabled."""
        from elicit_tui.guardian.rule import owner_rules

        disabled = frozenset(self.settings.disable)
        families = (import_module(f"elicit_tui.guardian.families.{name}") for name in _FAMILIES)
        ours = (rule for family in families for rule in family.RULES if rule.id not in disabled)
        return (*owner_rules(self.settings.rules), *ours)

    def review(self, request: ElicitationRequest) -> Review:
        """All findings about one request. Never raises; a rule that fails is itself a finding."""
        from elicit_tui.guardian.families.suspected import PAGES, is_spared
        from elicit_tui.guardian.hosts import is_trusted
        from elicit_tui.guardian.reading import read

        reading = read(request)
        findings: list[Finding] = []
        sensitive: set[str] = set()
        spares = PAGES.keys().isdisjoint(self.settings.disable)
        trusted = request.url is not None and is_trusted(request.url, self.settings.trusted_domains)
        began, until = thread_time(), monotonic() + SECONDS
        for rule in self.rules:
            found = rule.last and any(not it.to_author for it in findings)
            if found or (rule.about_host and trusted):
                continue
            try:
                if monotonic() > until and thread_time() > began + SECONDS:
                    raise TimeoutError
                for sighting in rule.find(reading):
                    if spares and is_spared(rule.id, sighting, reading):
                        continue
                    findings.append(rule.finding(sighting, reading))
                    if sighting.field is not None:
                        sensitive.add(sighting.field)
                    if rule.once:
                        break
            # Whatever a hostile request provokes in a rule stops no other, nor does it pass unseen.
            except Exception as error:  # noqa: BLE001 - no rule stops the others
                shown = f"{rule.id}: {type(error).__name__}"
                is_late = isinstance(error, TimeoutError)
                severity = Severity.BLOCK if is_late else rule.if_it_fails
                findings.append(Finding(RULE_FAILED, severity, "guardian", shown, _LOOK_WELL))
                if is_late:
                    sensitive.update(field.name for field in reading.fields)
                    break
        findings.sort(key=lambda finding: -finding.severity)
        return Review(tuple(dict.fromkeys(findings)), frozenset(sensitive))

    def outgoing(self, content: Mapping[str, Any], form: Form | None = None) -> tuple[Finding, ...]:
        """Secrets in an answer to this form, before it leaves; no finding repeats a value."""
        if self.settings.outgoing == "off":
            return ()
        # What the form lets only be chosen, however its schema spells it, is the server's own.
        fields = form.by_name if form is not None else {}
        chosen = {name for name, field in fields.items() if field.kind in _CHOSEN}
        typed = ((name, secret_in(value)) for name, value in content.items() if name not in chosen)
        return tuple(_outgoing(name, *secret) for name, secret in typed if secret is not None)


def _outgoing(name: str, kind: str, length: int) -> Finding:
    where, shown = neutral_line(f"content.{name}", 120), kind.replace("_", " ")
    return Finding(
        f"outgoing.{kind}", Severity.WARN, where, f"{shown}, {length} characters", _MAY_IT_LEAVE
    )
