"""The council as a LangGraph with an SQLite checkpointer: ``python -m bench.peers.langgraph_council BASE_URL HOME``.

A stage is a node, and its state is written before the next one begins: a crash repeats the stage that it interrupts.
"""

import asyncio
import sys
import uuid
from pathlib import Path
from typing import TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

from bench.peers import council
from bench.peers.process import Models, run_as_requested


class State(TypedDict, total=False):
    """The replies so far."""

    answers: list[str]
    judged: list[str]
    verdict: str


def graph(models: Models) -> StateGraph[State]:
    """Return the three stages."""

    async def opinions(_: State) -> State:
        return {"answers": await models.ask_all(council.opinions())}

    async def reviews(state: State) -> State:
        return {"judged": await models.ask_all(council.reviews(state["answers"]))}

    async def synthesis(state: State) -> State:
        return {"verdict": await models.ask(council.synthesis(state["answers"], state["judged"]))}

    built = StateGraph(State)
    built.add_sequence([opinions, reviews, synthesis])
    built.add_edge(START, "opinions")
    built.add_edge("synthesis", END)
    return built


async def serve(base_url: str, home: Path) -> None:
    """Run councils as the standard input says."""
    async with AsyncSqliteSaver.from_conn_string(str(home / "langgraph.db")) as saver:
        stages = graph(Models(base_url)).compile(checkpointer=saver)

        async def run() -> None:
            thread = {"configurable": {"thread_id": uuid.uuid4().hex}}
            await stages.ainvoke({}, thread, durability="sync")

        await run_as_requested(run)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Path(sys.argv[2])))
