"""Watch a debate, and answer when it waits for a person.

Declared high stakes add a gate: before the conclusion is written a person approves it, or does not. Nothing is lost
when this script ends while the debate waits; `parley escalations` lists it, and `parley accept` answers it.

Needs a worker: run `parley up --rehearse` in another terminal.
"""

import asyncio

from parley import Parley

TOPIC = "Should a city of 200,000 close its centre to cars?"
REHEARSE = True


async def main() -> None:
    """Print each stage as it begins, add evidence, approve the conclusion, and print it."""
    parley = await Parley.connect()
    debate = await parley.start_debate(
        TOPIC, mode="adversarial", high_stakes=["safety_critical"], escalation_timeout="1h", rehearse=REHEARSE
    )
    print(f"parley watch {debate.id}")
    shown = ""
    while (state := await debate.state()).stop_reason is None:
        line = f"round {state.round}: {state.stage}, {state.spent.calls} calls"
        if line != shown:
            print(line)
            shown = line
        if state.waits_for:
            print(f"waits for: {state.waits_for}")
            await parley.approve(debate.id, note="The trial and its counts are what we can decide on.")
        await asyncio.sleep(0.5)
    result = await debate.result()
    print(f"\n{result.stop_reason}: {result.verdict}\n")
    for claim in result.state.claims:
        if claim.status == "accepted":
            print(f"{claim.id} {claim.text}")


if __name__ == "__main__":
    asyncio.run(main())
