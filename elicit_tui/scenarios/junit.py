"""The runs as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from xml.etree import ElementTree

from elicit_tui.scenarios.result import Run, Suite
from elicit_tui.text import neutral_line
from elicit_tui.text.neutral import escaped_commands_in_xml


def junit_xml(suite: Suite, ended: str | None = None) -> bytes:
    """One test suite a scenario file, one test case a run (the schema of Jenkins, junit-10).

    `ended`: why the whole could not begin, or ended before its time: a test case with an error.
    """
    root = ElementTree.Element("testsuites", _counts(suite.runs, ended))
    root.set("name", "elicit-tui test")
    if ended is not None:
        told = ElementTree.SubElement(
            root, "testsuite", {"name": "elicit-tui test", **_counts((), ended)}
        )
        case = ElementTree.SubElement(
            told,
            "testcase",
            {"name": "runs to its end", "classname": "elicit-tui", "time": "0.000"},
        )
        error = ElementTree.SubElement(case, "error", {"type": "ended", "message": _text(ended)})
        error.text = _text(ended)
    for file, runs in groupby(suite.runs, lambda run: str(run.scenario.file)):
        _suite(root, _text(file), list(runs))
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, "utf-8", xml_declaration=True)
    return escaped_commands_in_xml(written.decode()).encode()


def _suite(root: ElementTree.Element, file: str, runs: Sequence[Run]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", {"name": file, **_counts(runs)})
    for run in runs:
        name = f"{run.scenario.name}: {run.branch}" + (f" ({run.era})" if run.era != "auto" else "")
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {
                "name": _text(name),
                "classname": _text(f"{run.scenario.server}.{run.scenario.call}"),
                "time": f"{run.seconds:.3f}",
            },
        )
        if run.failures:
            failures = list(map(_text, run.failures))
            failure = ElementTree.SubElement(
                case, "failure", {"type": run.kind, "message": failures[0]}
            )
            failure.text = "\n".join(failures)


def _counts(runs: Iterable[Run], ended: str | None = None) -> dict[str, str]:
    runs = list(runs)
    errors = int(ended is not None)
    return {
        "tests": str(len(runs) + errors),
        "failures": str(sum(not run.passed for run in runs)),
        "errors": str(errors),
        "time": f"{sum(run.seconds for run in runs):.3f}",
    }


def _text(text: str) -> str:
    """Neutral text, which holds nothing that XML could not."""
    return neutral_line(text, 2000)
