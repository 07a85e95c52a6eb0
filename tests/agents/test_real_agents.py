"""Real agents behind the gateway, as `gateway install` puts it there: a model of ours calls a tool.

`python -m tests.agents` runs all of them, and more of each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.bench import bench
from tests.agents.real_agents import ALL
from tests.installing import needs_agents

IN_CI = sorted(key for key, agent in ALL.items() if agent.in_ci)


@needs_agents
@pytest.mark.timeout(300)
@pytest.mark.parametrize("key", IN_CI)
def test_a_call_that_asks_is_paused_and_answered_and_the_agent_s_file_is_as_it_was(
    key: str, tmp_path: Path
) -> None:
    agent = ALL[key]
    if agent.missing:
        pytest.skip(f"{agent.missing}: python -m tests.agents install {key}")
    with bench(agent, tmp_path / "home") as here:
        here.configure(hold="1")
        here.install()
        process = here.starts()
        here.until(lambda: "elicit_resume with id" in here.read, "no call was paused")
        with here.person():
            here.until(lambda: "from-the-agent" in here.read, "no answer arrived")
        here.kill(process)
        assert here.uninstall()
