"""Scores in the ledger: one row for each scorer and deliberation, written again without a trace."""

from typing import Any

from ledger.store import Store
from ledger.studies.scores import Grading, Score, ScoreReader, remove_scores, save_grading, write_scores
from ledger.studies.writing import enter
from tests.fakes.entered import entered


def _score(deliberation_id: str, value: float | None, **fields: Any) -> Score:
    given: dict[str, Any] = {"scorer": "grade", "outcome": "scored", "kind": "graded", "fingerprint": "f" * 64}
    return Score(**{**given, "version": "1", "deliberation_id": deliberation_id, "value": value, **fields})


async def test_a_score_is_read_as_it_was_written(store: Store, url: str) -> None:
    """Every field comes back, also text that a database refuses, made storable."""
    written = _score("a", 3.5, label="x\x00", correct=True, details={"why": "\ud800"}, cost_usd=None, tokens=9, calls=2)
    await write_scores(store, "study", [written, _score("b", None, outcome="unread", reason="no grade", other_id="a")])
    async with ScoreReader(url) as reader:
        first, second = await reader.scores("study", "grade")
        assert await reader.scorers("study") == ("grade",)
    assert first.recorded_at is not None
    assert first.model_copy(update={"recorded_at": None}) == written.model_copy(
        update={"label": "x\ufffd", "details": {"why": "\ufffd"}}
    )
    assert (second.value, second.outcome, second.other_id) == (None, "unread", "a")


async def test_scoring_again_replaces(store: Store, url: str) -> None:
    """A second score of the same deliberation takes the place of the first, and a changed scorer that of all."""
    await write_scores(store, "study", [_score("a", 1.0), _score("b", 2.0)])
    await write_scores(store, "study", [_score("a", 3.0)])
    async with ScoreReader(url) as reader:
        assert [one.value for one in await reader.scores("study")] == [3.0, 2.0]
    await write_scores(store, "study", [_score("c", 4.0)], replaces=["grade"])
    async with ScoreReader(url) as reader:
        assert [one.deliberation_id for one in await reader.scores("study")] == ["c"]
        assert await reader.scores("other") == ()


async def test_scores_of_what_runs_again_are_removed(store: Store, url: str) -> None:
    """They are of results that are replaced; a preference is of two deliberations. Other scores stay."""
    whole = entered(rows=2)
    await enter(store, *whole.parts)
    first, second, third, _ = (one.deliberation_id for one in whole.instances)
    pair = _score(second, 1.0, scorer="prefer", other_id=first)
    await write_scores(store, "toy", [_score(first, 1.0), _score(second, 2.0), _score(third, 3.0), pair])
    await write_scores(store, "other", [_score(first, 4.0)])

    await remove_scores(store, "toy", [0])

    async with ScoreReader(url) as reader:
        assert [(one.scorer, one.value) for one in await reader.scores("toy")] == [("grade", 2.0), ("grade", 3.0)]
        assert [one.value for one in await reader.scores("other")] == [4.0]


async def test_a_grading_is_saved_once(store: Store, url: str) -> None:
    """A command that is repeated finds the grading that it began."""
    grading = Grading(grading="study-grade-1", study="study", scorer="grade", fingerprint="a" * 64)
    await save_grading(store, grading)
    await save_grading(store, grading)
    async with ScoreReader(url) as reader:
        assert await reader.gradings("study", "grade") == (grading,)
        assert await reader.gradings("study", "other") == ()
