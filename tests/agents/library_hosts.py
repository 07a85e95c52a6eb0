"""A program of each library that hosts agents, with the lines that `gateway snippet` prints for it.

Run by the Python that has the library: `library_hosts.py NAME SNIPPET URL`, with the file of those
lines and the scripted model's address. Nothing of ours is imported here.
"""

# mypy: ignore-errors

from __future__ import annotations

import asyncio
import runpy
import sys
from typing import Any

MODEL = "scripted"
PROMPT = "Call the tool."


async def openai_agents(elicit_tui: Any, url: str) -> None:
    from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=f"{url}/v1", api_key="none")
    async with elicit_tui:
        model = OpenAIResponsesModel(model=MODEL, openai_client=client)
        await Runner.run(Agent(name="host", model=model, mcp_servers=[elicit_tui]), PROMPT)


async def pydantic_ai(elicit_tui: Any, url: str) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=f"{url}/v1", api_key="none")
    agent = Agent(OpenAIChatModel(MODEL, provider=provider), toolsets=[elicit_tui])
    async with agent:
        await agent.run(PROMPT)


async def langchain(elicit_tui: Any, url: str) -> None:
    from langchain.agents import create_agent
    from langchain_mcp_adapters.tools import load_mcp_tools
    from langchain_openai import ChatOpenAI

    async with elicit_tui.session("elicit-tui") as session:
        model = ChatOpenAI(model=MODEL, base_url=f"{url}/v1", api_key="none")
        agent = create_agent(model, await load_mcp_tools(session))
        await agent.ainvoke({"messages": [{"role": "user", "content": PROMPT}]})


async def google_adk(elicit_tui: Any, url: str) -> None:
    from google.adk.agents import LlmAgent
    from google.adk.runners import InMemoryRunner

    agent = LlmAgent(name="host", model="gemini-2.5-flash", tools=[elicit_tui])
    async with InMemoryRunner(agent) as runner:
        await runner.run_debug(PROMPT)


HOSTS = {
    "openai-agents": openai_agents,
    "pydantic-ai": pydantic_ai,
    "langchain": langchain,
    "google-adk": google_adk,
}


def main(name: str, snippet: str, url: str) -> None:
    asyncio.run(HOSTS[name](runpy.run_path(snippet)["elicit_tui"], url))


if __name__ == "__main__":
    main(*sys.argv[1:])
