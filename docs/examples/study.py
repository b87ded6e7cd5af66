"""Compare three protocols on questions with known answers, from Python.

Writes questions.csv and study.toml into the working directory, holds every question under each arm, and prints their
accuracy. Run again it goes on where it was; `parley report sums --open` shows all of it.

Needs a worker: run `parley up --rehearse` in another terminal.
"""

import asyncio
from pathlib import Path

from parley import Parley, Study

QUESTIONS = """\
id,question,answer
train,"A train leaves with 212 people, 38 get off and 15 get on. How many are on it?",189
product,What is 17 * 23?,391
total,What is 48 + 77?,125
share,What is 144 / 12?,12
"""
STUDY = """\
name = "sums"
rehearse = true       # scripted models; remove it to ask real ones
window = 4

[dataset]
path = "questions.csv"
id = "id"
template = "{question} End with one line, FINAL ANSWER: and the number."
label = "answer"

[label]
read = "number"

[panels.three]
models = ["openai/gpt-5-mini", "google/gemini-3.1-flash-lite", "deepseek/deepseek-v4.1-flash"]

[grid]
protocols = ["single", "self-consistency", "council"]
"""


async def main() -> None:
    """Hold the study to its end, then print its arms side by side."""
    study = Study(await Parley.connect(), "study.toml")
    await study.start()
    async for status in study.follow(every=1.0):
        progress = status.progress
        print(f"{progress.completed} completed, {progress.failed} failed of {progress.total}")
    for arm in (await study.compare()).arms:
        print(f"{arm.arm}: accuracy {arm.accuracy.value} of {arm.labelled} answers, {arm.calls} calls")


if __name__ == "__main__":
    Path("questions.csv").write_text(QUESTIONS, "utf-8")
    Path("study.toml").write_text(STUDY, "utf-8")
    asyncio.run(main())
