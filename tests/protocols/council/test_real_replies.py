"""The readers over texts and rankings that real councils produced, where those lie beside the project."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from protocols.anonymity import Labels
from protocols.council import rules
from protocols.council.model import Ballot, SubmittedBallot
from protocols.council.readers import read_opinion
from protocols.council.replies.ballot import read_ballot
from protocols.model_call import ModelId, ParticipantId

TRIALS = Path(__file__).parents[4] / "shared" / "data" / "council-governance"
LABELS = ("Response A", "Response B", "Response C", "Response D")

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not TRIALS.is_dir(), reason="the real trials do not lie beside the project"),
]


@pytest.fixture(scope="module")
def trials() -> list[dict[str, Any]]:
    """Every trial of every file."""
    return [trial for path in sorted(TRIALS.glob("*.json")) for trial in json.loads(path.read_text("utf-8"))]


def read(text: str, nonce: str | None = None) -> Ballot:
    """The ballot in ``text`` over the four labels."""
    return read_ballot(text, {"labels": [*LABELS], "nonce": nonce})


def form(letters: list[str]) -> str:
    """A ranking in the form asked for."""
    return "FINAL RANKING:\n" + "\n".join(f"{n}. Response {x}" for n, x in enumerate(letters, 1))


def vote(letters: list[str]) -> SubmittedBallot:
    """A ballot that one cast in that form."""
    return SubmittedBallot(
        reviewer=ParticipantId("p1"),
        model=ModelId("m:p1"),
        own_label=None,
        shown_order=LABELS,
        ballot=read(form(letters)),
    )


def ranked(trials: list[dict[str, Any]]) -> list[dict[str, list[str]]]:
    """The rankings of the trials that held a review, by model, as letters."""
    return [trial["stage2_data"]["rankings"] for trial in trials if "rankings" in (trial["stage2_data"] or {})]


def test_any_text_of_a_real_council_is_read_without_an_error(trials: list[dict[str, Any]]) -> None:
    """A text that was never asked for a ranking has some standing without a code, and is void with one."""
    texts = [
        text
        for trial in trials
        for said in (trial["stage1_responses"], (trial["stage2_data"] or {}).get("deliberation_responses", {}))
        for text in said.values()
    ]
    free = Counter(read(text).standing for text in texts)
    coded = Counter(read(text, "1f3870be27").standing for text in texts)
    print(f"{len(texts)} texts without a ranking: {dict(free)} read without a code, {dict(coded)} with one")
    assert coded == {"void": len(texts)}


def test_a_real_ranking_in_the_form_asked_for_is_read_back(trials: list[dict[str, Any]]) -> None:
    """Every ranking that real reviewers gave is read back behind a real answer that talks of options A to D."""
    answers = [text for trial in trials for text in trial["stage1_responses"].values()]
    rankings = [ranking for by_model in ranked(trials) for ranking in by_model.values() if ranking]
    texts = (f"{answer}\n\n{form(order)}" for answer, order in zip(answers, rankings, strict=False))
    assert [[name[-1] for name in ballot.ranking] for ballot in map(read, texts)] == rankings


def test_blank_real_answers_stay_blank(trials: list[dict[str, Any]]) -> None:
    """Some real answers are blank; no reading makes a text of them, and only of them an empty one."""
    answers = [text for trial in trials for text in trial["stage1_responses"].values()]
    shown = [read_opinion(text, {"own_names": []}).shown for text in answers]
    blank = sum(not text.strip() for text in answers)
    print(f"{blank} of {len(answers)} real answers are blank")
    assert blank == sum(not text.strip() for text in shown) > 0


def test_real_elections_can_be_counted(trials: list[dict[str, Any]]) -> None:
    """Every real review gives a tally of all its ballots, with an agreement between 0 and 1."""
    elections = ranked(trials)
    authors = tuple(ParticipantId(f"p{n}") for n in range(1, 5))
    models = {author: ModelId(f"m:{author}") for author in authors}
    tallies = [
        rules.tally(
            Labels(authors=authors), models, [vote(order) for order in by_model.values()], exclude_self_votes=False
        )
        for by_model in elections
    ]
    assert [t.ballots_counted + t.ballots_void for t in tallies if t] == [len(by_model) for by_model in elections]
    assert all(0 <= t.agreement <= 1 for t in tallies if t and t.agreement is not None)
