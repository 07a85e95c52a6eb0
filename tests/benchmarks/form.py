"""How fast a form is: from a request's arrival to its painted form, from a key to its verdict.

Measured inside one process, on a 140x40 screen: a time ends when the words are drawn there. What
looks for them costs one to two milliseconds each time, and is part of the figures. It is the second
question of the application: the first one also reads the styles of its widgets.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any

from textual import events

from elicit_tui.elicitation import Deadline
from elicit_tui.elicitation.settings import ElicitationSettings
from elicit_tui.form import read_form
from elicit_tui.tui.question import QuestionScreen, QuestionView
from tests.tui.question.asking import Asking, form_question, schema, until

SIZES = (5, 50, 200)
KEYS = "abcdefghij"


def fields(count: int) -> dict[str, Any]:
    """A form of this many fields, of five kinds in turn; the first one is a line of text."""
    kinds: list[dict[str, Any]] = [
        {"type": "string", "minLength": 2},
        {"type": "integer", "minimum": 1, "maximum": 9},
        {"type": "boolean"},
        {"type": "string", "enum": ["a", "b", "c"]},
        {"type": "string", "format": "email"},
    ]
    return schema(**{f"field{number}": kinds[number % 5] for number in range(count)})


async def drawn(app: Asking, words: str) -> float:
    """The time at which the words stand on the screen; looks each time the loop is free."""
    while words not in app.words:  # noqa: ASYNC110 - a screen tells nobody when it is drawn
        await asyncio.sleep(0.001)
    return time.perf_counter()


async def once(count: int) -> tuple[float, list[float]]:
    """Seconds from the request to the painted form, and those of each key after it."""
    app = Asking(form_question(fields(5)))
    async with app.run_test(size=(140, 40)) as pilot:
        await drawn(app, "field4")
        await app.pop_screen()
        requested = fields(count)
        arrived = time.perf_counter()
        question = form_question(requested)
        app.view = QuestionView(
            question,
            read_form(requested),
            Deadline(300),
            settings=ElicitationSettings(),
            examine=lambda content: (),
        )
        app.push_screen(QuestionScreen(app.view))
        painted = await drawn(app, "field4") - arrived
        await until(pilot, lambda: not app.view.deaf, "the form takes keys")
        keys = []
        for number, key in enumerate(KEYS, start=1):
            pressed = time.perf_counter()
            app.post_message(events.Key(key, key))
            keys.append(await drawn(app, KEYS[:number]) - pressed)
    return painted, keys


def main(times: int = 7) -> None:
    """Print medians, 95th percentiles, and ratios against 50 fields."""
    asyncio.run(once(5))
    paints: dict[int, list[float]] = {count: [] for count in SIZES}
    keys: dict[int, list[float]] = {count: [] for count in SIZES}
    for _ in range(times):
        for count in SIZES:
            painted, pressed = asyncio.run(once(count))
            paints[count].append(painted)
            keys[count] += pressed
    print(
        f"{'milliseconds (95th percentile)':30}{'painted':>18}{'ratio':>7}{'a key':>18}{'ratio':>7}"
    )
    for count in SIZES:
        row = f"{count} fields".ljust(30)
        for figures in (paints, keys):
            median = statistics.median(figures[count])
            worst = statistics.quantiles(figures[count], n=20)[-1]
            against = median / statistics.median(figures[50])
            row += f"{median * 1000:9.1f} ({worst * 1000:5.1f}){against:7.2f}"
        print(row)


if __name__ == "__main__":
    main()
