"""Replies that real models wrote, and for which readers they can be, from the data beside the project."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from tests.fakes.corpora import Entry

DATA = Path(__file__).parents[3] / "shared" / "data"

LABELS: list[JsonValue] = ["Response A", "Response B", "Response C", "Response D"]
CODE = "1f3870be27"


class Real(NamedTuple):
    """A real reply, the reader that it is given to, and what must not come out."""

    source: str
    reader: str
    entry: Entry
    wrong: tuple[str, ...] = ()
    """Fields of the reading that must be false, empty or absent; none where that is not known."""


def real_replies() -> Iterator[Real]:
    """Yield every reply, once for each reader that might meet it."""
    yield from _answers()
    yield from _judgements()
    yield from _trials()
    yield from _completions()
    yield from _scores()
    yield from _turns()


def _answers() -> Iterator[Real]:
    """Answers to questions: opinions, drafts, and corrections of what another model answered."""
    models = sorted(path.stem for path in (DATA / "mt-bench" / "model_answer").glob("*.jsonl"))
    said = {
        model: {row["question_id"]: row["choices"][0]["turns"] for row in _rows(_answer_file(model))}
        for model in models
    }
    for place, model in enumerate(models):
        other = said[models[place - 1]]
        for question, turns in said[model].items():
            for turn, text in enumerate(turns):
                name = f"{model} {question} {turn}"
                yield Real("answers", "council.opinion", _entry(name, text, own_names=[model]))
                yield Real("answers", "consensus.draft", _entry(name, text))
                if turn < len(other.get(question, ())):
                    draft = other[question][turn]
                    yield Real("corrections", "consensus.evaluation", _entry(name, text, shown=draft), ("accepted",))


CORRECTED = frozenset(
    f"claude-3-{model} {question}"
    for model, questions in {
        "opus-20240229": (
            "104 1",
            "106 1",
            "107 2",
            "113 2",
            "114 1",
            "115 1",
            "121 1",
            "126 2",
            "128 1",
            "129 1",
            "129 2",
        ),
        "5-sonnet-20240620": ("114 2", "120 2"),
    }.items()
    for question in questions
)
"""Judgements that end in the whole answer in better words; each of them was looked at."""


def _judgements() -> Iterator[Real]:
    """What a judge wrote about an answer: remarks, as a rule no better answer, never a ranking."""
    for row in _rows(DATA / "mt-bench" / "gpt-4_single.judgments.jsonl"):
        name, text = f"{row['model']} {row['question_id']} {row['turn']}", row["judgment"]
        remark = _entry(name, text, shown=_judged(row["user_prompt"]))
        yield Real(
            "judgements", "consensus.evaluation", remark, ("accepted",) if name in CORRECTED else ("accepted", "draft")
        )
        ballot = _entry(name, text, labels=LABELS, nonce=CODE)
        yield Real("judgements", "council.ballot", ballot, ("ranking",))
        yield Real(
            "judgements", "fire_circle.assessment", _entry(name, text, shown=row["user_prompt"]), ("assessment",)
        )


def _trials() -> Iterator[Real]:
    """Replies of councils: first answers, words about the others' answers, and syntheses."""
    for path in sorted((DATA / "council-governance").glob("*.json")):
        for number, trial in enumerate(json.loads(path.read_text("utf-8"))):
            for model, text in trial["stage1_responses"].items():
                yield Real("trials", "council.opinion", _entry(f"{path.stem} {number} {model}", text))
            discussed = (trial["stage2_data"] or {}).get("deliberation_responses", {})
            for model, text in discussed.items():
                entry = _entry(f"{path.stem} {number} {model}", text, labels=LABELS, nonce=CODE)
                yield Real("trials", "council.ballot", entry, ("ranking",))
            if text := (trial["stage3_data"] or {}).get("synthesis"):
                yield Real("trials", "council.synthesis", _entry(f"{path.stem} {number}", text))


def _completions() -> Iterator[Real]:
    """Answers to harmless prompts that look harmful, and to harmful ones."""
    with (DATA / "xstest" / "xstest_v2_completions_gpt4.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name = f"{row['id']} {row['final_label']}"
            yield Real("completions", "council.opinion", _entry(name, row["completion"]))
            yield Real(
                "completions",
                "consensus.evaluation",
                _entry(name, row["completion"], shown=row["prompt"]),
                ("accepted",),
            )


def _scores() -> Iterator[Real]:
    """Replies that were asked for truth, indeterminacy and falsehood."""
    found = json.loads((DATA / "promptguard2" / "v2_1_e_validation_results.json").read_text("utf-8"))
    for number, row in enumerate(found["detailed_results"]):
        yield Real("scores", "fire_circle.assessment", _entry(str(number), row["raw_response"]))


def _turns() -> Iterator[Real]:
    """Answers with a reasoning and a confidence, before and after other models' answers were shown."""
    for path in sorted((DATA / "reconcile-convincing").glob("*/*.json")):
        for number, row in enumerate(json.loads(path.read_text("utf-8"))):
            for when in ("prediction_pre", "prediction_post"):
                yield Real("turns", "debate.turn", _entry(f"{path.stem} {number} {when}", json.dumps(row[when])))


def _judged(prompt: str) -> str:
    """The answer that a judge was shown: the last one."""
    return (
        re.split(r"The Start of Assistant[^\n]*\n|### Assistant A:\n", prompt)[-1]
        .partition("The End of")[0]
        .rstrip("[<|\n")
    )


def _entry(name: str, text: str, *, shown: str = "", **needs: Any) -> Entry:
    return Entry(name=name, text=text, shown=shown, needs=needs)


def _answer_file(model: str) -> Path:
    return DATA / "mt-bench" / "model_answer" / f"{model}.jsonl"


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
