"""Batches that another client starts: by the name of a study, or with a whole study in the input."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from activities.ledger import LedgerActivities, LostEntry
from ledger.studies.reading import StudyReader
from ledger.studies.writing import open_for_entering
from protocols.starting import InvalidStartError, StartRequest
from protocols.study.model import BatchInput
from protocols.study.scheduled import ScheduledInput
from tests.fakes.entered import entered, line_of
from tests.fakes.payments import failure, identity
from tests.fakes.short_inputs import short_inputs

ARMS = [{"protocol": "single"}, {"protocol": "majority"}]


def study(**changes: Any) -> dict[str, Any]:
    """Return the keys of a study of two questions and two arms, with ``changes``."""
    keys = {"name": "colours", "questions": ["Why is the sky blue?", "Why is grass green?"], "arms": ARMS}
    return {**keys, "rehearse": True, **changes}


async def begun(home: Path, given: dict[str, Any], workflow_id: str = "colours", **settings: Any) -> BatchInput:
    """Return the batch that ``given`` begins over a ledger in ``home``."""
    request = StartRequest(workflow="Batch", workflow_id=workflow_id, salt="", given=given)
    completed = await short_inputs(home, **settings).complete(request)
    assert completed.columns["BatchId"] == completed.input["study"]
    return BatchInput.model_validate(completed.input)


async def refusal(home: Path, given: dict[str, Any], **settings: Any) -> str:
    """Return why ``given`` begins no batch."""
    with pytest.raises(InvalidStartError) as refused:
        await begun(home, given, **settings)
    return str(refused.value)


def url(home: Path) -> str:
    """Return the address of the ledger in ``home``."""
    return f"sqlite:///{home}/parley.db"


async def test_a_study_in_the_input_is_entered_and_begins(tmp_path: Path) -> None:
    """Its questions and arms are in the ledger, and the batch holds all of its deliberations."""
    batch = await begun(tmp_path, {"study": study(title="Colours", window=3, budget={"usd": 2.5})})
    async with StudyReader(url(tmp_path)) as reader:
        known = await reader.known("colours")

    assert ("colours", "Colours", 4, 3, 2.5, True) == (
        *(batch.study, batch.title, batch.end, batch.terms.window, batch.terms.cap.usd),
        batch.rehearsal,
    )
    assert known is not None
    assert (2, ("single", "majority")) == (known.rows, known.arms)


async def test_the_same_study_again_goes_on_where_it_was(tmp_path: Path) -> None:
    """An attempt that is repeated enters nothing twice, and the name alone is then enough."""
    first = await begun(tmp_path, {"study": study()})
    again = await begun(tmp_path, {"study": study()})
    by_name = await begun(tmp_path, {"study": "colours"})

    assert first.model_copy(update={"title": "colours"}) == again.model_copy(update={"title": "colours"}) == by_name


async def test_one_with_a_verdict_that_runs_again_gives_its_id_away(tmp_path: Path) -> None:
    """A refused key cost it a call, so the batch that continues the study has it, and says that it ran before."""
    first = await begun(tmp_path, {"study": study()})
    async with StudyReader(url(tmp_path)) as reader:
        ended = (await reader.missing("colours"))[0].deliberation_id
    place, refused = identity(workflow_id=ended), failure().model_copy(update={"error_type": "provider.auth"})
    result = {"stop_reason": "verdict", "failed": [{"error_type": "provider.auth"}]}
    line = line_of(
        entered().instances[0], id=ended, lost=(LostEntry(identity=place, stage="vote", reply=refused),), result=result
    )
    async with open_for_entering(url(tmp_path)) as store:
        await LedgerActivities(store).record_deliberation(line)
    again = await begun(tmp_path, {"study": "colours"})

    assert (False, True) == (first.again, again.again)
    assert (0, 4, None) == (again.first, again.end, again.only)


async def test_questions_may_have_columns(tmp_path: Path) -> None:
    """An object has what the dataset's keys name: an id, a question, an expected answer."""
    questions = [{"id": "fruit", "question": "Which is a fruit? A) pear B) stone", "answer": "A"}]
    keys = study(questions=questions, dataset={"id": "id", "label": "answer"}, label={"read": "exact"})
    batch = await begun(tmp_path, {"study": keys})

    assert 2 == batch.end


async def test_the_workflow_id_is_the_name_unless_one_is_given(tmp_path: Path) -> None:
    """Under another id the run holds the batch as a child, so that it is found by its study's name."""
    nameless = study()
    del nameless["name"]
    own = await begun(tmp_path, {"study": nameless}, workflow_id="by-its-id")
    other = await begun(tmp_path, {"study": study()}, workflow_id="Some id, typed by a person")

    assert ("by-its-id", False) == (own.study, own.under_other_id)
    assert ("colours", True) == (other.study, other.under_other_id)


@pytest.mark.long
async def test_questions_that_several_give_at_once_are_kept_whole(tmp_path: Path) -> None:
    """Each of them reads all of the questions as soon as it has written them."""
    many = [f"Why is {number} a number?" for number in range(400)]
    names = [f"colours-{number}" for number in range(12)]
    given = [study(name=name, questions=many, arms=[{"protocol": "single"}]) for name in names]
    begin = (begun(tmp_path, {"study": one}, name) for one, name in zip(given, names, strict=True))

    assert [len(many)] * len(names) == [one.end for one in await asyncio.gather(*begin)]


async def test_kept_questions_are_closed_to_other_users(tmp_path: Path) -> None:
    """What is asked may be private, so the file that holds it belongs to this user alone."""
    await begun(tmp_path, {"study": study()})
    (kept,) = (tmp_path / "questions").iterdir()

    assert (0o700, 0o600) == (kept.parent.stat().st_mode & 0o777, kept.stat().st_mode & 0o777)
    assert "Why is the sky blue?" == json.loads(kept.read_text().splitlines()[0])["question"]


class TestDatasets:
    """A dataset is read below one folder that the operator names, and nowhere else."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """A folder of datasets, and beside it a file that is none of it."""
        folder = tmp_path / "datasets"
        folder.mkdir()
        (folder / "colours.csv").write_text("question\nWhy is the sky blue?\n")
        (tmp_path / "secret.csv").write_text("question\nWhat is the password?\n")
        (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
        return folder

    async def test_a_dataset_below_the_folder_is_read(self, tmp_path: Path, folder: Path) -> None:
        """Its rows are entered."""
        keys = {**study(dataset={"path": "colours.csv"}), "questions": None}
        batch = await begun(tmp_path, {"study": keys}, datasets=folder)

        assert 2 == batch.end

    @pytest.mark.parametrize("path", ["../secret.csv", "link.csv", "nothing.csv", "", "a\0b", "{tmp}/secret.csv"])
    async def test_no_other_file_is_read(self, tmp_path: Path, folder: Path, path: str) -> None:
        """A way out, a link that leads out and an absolute path are refused alike, whether or not the file is there."""
        keys = {**study(dataset={"path": path.replace("{tmp}", str(tmp_path))}), "questions": None}

        assert "dataset.path" in await refusal(tmp_path, {"study": keys}, datasets=folder)

    async def test_without_the_setting_none_is_read(self, tmp_path: Path, folder: Path) -> None:
        """The refusal names the setting."""
        keys = {**study(dataset={"path": str(folder / "colours.csv")}), "questions": None}

        assert "PARLEY_DATASETS" in await refusal(tmp_path, {"study": keys})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "'study' is missing. Give one key, for example"),
        ({"question": "Why?"}, "'question' is not a key of Batch"),
        ({"study": 3}, "'study' is 3; give the name of a study"),
        ({"study": "nothing"}, "the ledger has no study 'nothing'"),
        ({"study": study(questions=[])}, "'questions' is a list"),
        ({"study": study(questions="Why?")}, "'questions' is a list"),
        ({"study": study(questions=[3])}, "line 1: is no object"),
        ({"study": {"name": "x", "arms": ARMS}}, "nothing is asked"),
        ({"study": study(dataset="x.csv")}, "'dataset' is 'x.csv'"),
        ({"study": study(dataset={"path": "x.csv"})}, "both say what is asked"),
        ({"study": study(providers="mine.toml")}, "'providers' cannot be given here"),
        ({"study": study(armz=[])}, "Did you mean 'arms'?"),
        ({"study": study(arms=[{"protocol": "councl"}])}, "'councl' cannot be used"),
        ({"study": study(rehearse=False)}, "OPENROUTER_API_KEY"),
    ],
)
async def test_what_begins_no_batch_is_named(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    """Each refusal names the key and the remedy."""
    async with open_for_entering(url(tmp_path)):
        assert said in await refusal(tmp_path, given)


async def test_another_study_of_the_same_name_is_refused(tmp_path: Path) -> None:
    """What was entered stays; the refusal says in what they differ."""
    await begun(tmp_path, {"study": study()})

    assert "arms" in await refusal(tmp_path, {"study": study(arms=ARMS[:1])})


async def test_a_firing_is_of_a_study_that_the_ledger_has(tmp_path: Path) -> None:
    """Title and rehearsal are the study's, and an unknown study is refused."""
    await begun(tmp_path, {"study": study()})
    firing = StartRequest(workflow="ScheduledStudy", workflow_id="x", salt="", given={"pattern": "colours"})
    completed = await short_inputs(tmp_path).complete(firing)

    assert ScheduledInput(pattern="colours", title="colours", rehearsal=True) == ScheduledInput.model_validate(
        completed.input
    )
    with pytest.raises(InvalidStartError, match="no study 'nothing'"):
        await short_inputs(tmp_path).complete(firing.model_copy(update={"given": {"pattern": "nothing"}}))
