"""Compare two protocols on questions with known answers, from Python.

Writes questions.csv and study.toml into the working directory, holds every question under both arms, and prints the
accuracy of each. Run again it goes on where it was; `parley report sums --open` shows all of it.

Needs a worker: run `parley up --rehearse` in another terminal.
"""

import asyncio
from pathlib import Path

from ledger.studies.reading import StudyReader
from parley import Parley
from runtime.settings import load_settings
from studies.comparison.compare import compare_scored
from studies.comparison.rows import LabelRule
from studies.comparison.scoring import score_row
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.follow import follow
from studies.runs.start import StudyRuns

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
protocols = ["single", "council"]
"""


async def main() -> None:
    """Hold the study to its end, then print its arms side by side."""
    settings = load_settings()
    parley = await Parley.connect(settings)
    study = load_study("study.toml", Overrides(), settings)
    await StudyRuns(parley.client, settings).begin(study)
    async for standing in follow(parley.client, settings, study.study.name, every=1.0):
        progress = standing.progress
        print(f"{progress.completed} held, {progress.failed} failed of {progress.total}")
    async with StudyReader(settings.database_url) as ledger:
        rule = LabelRule.of(study.content)
        rows = [score_row(row, rule) async for row in ledger.results(study.study.name)]
    for arm in compare_scored(study.study.name, rows, study.content).arms:
        print(f"{arm.arm}: accuracy {arm.accuracy.value} of {arm.labelled} answers, {arm.calls} calls")


if __name__ == "__main__":
    Path("questions.csv").write_text(QUESTIONS, "utf-8")
    Path("study.toml").write_text(STUDY, "utf-8")
    asyncio.run(main())
