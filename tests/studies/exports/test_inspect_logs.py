"""Logs for Inspect, read back with the real package."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ledger.studies.exports import ExportReader
from parley.errors import RequestError
from runtime.settings import Settings
from starter.cli import parley
from studies.comparison.study import compare_study
from studies.exports.inspect_logs import write_logs
from tests.studies.exports.conftest import Exported


async def opened(paths: list[Path]) -> dict[str, Any]:
    """The logs by their task as Inspect reads them, off the loop: on it, it replaces parts of asyncio for good."""
    logs = pytest.importorskip("inspect_ai.log")
    read = [await asyncio.to_thread(logs.read_eval_log, str(path)) for path in paths]
    return {log.eval.task: log for log in read}


@pytest.fixture
async def council(reader: ExportReader, tmp_path: Path) -> Any:
    """The log of the arm with three answered deliberations, as Inspect reads it."""
    return (await opened(await write_logs(reader, "toy", tmp_path / "logs", force=False)))["toy/council"]


async def test_an_arm_is_a_task_and_a_row_is_a_sample(council: Any) -> None:
    """A sample has its question, its label, its verdict and its id; open deliberations are in no log."""
    assert (council.eval.model, council.eval.dataset.name, council.status) == ("parley/council", "toy", "started")
    first, second = council.samples
    assert [(one.id, one.epoch, one.target) for one in (first, second)] == [("q0", 1, "B"), ("q1", 1, "B")]
    assert [message.role for message in first.messages] == ["user", "assistant"]
    assert (first.input, first.output.completion) == ("Why 0?", "FINAL ANSWER: B")
    assert (first.metadata["deliberation_id"], first.metadata["version"]) == ("toy/q0.council", "0.1.0-gabc")
    assert (first.total_time, first.uuid) == (90.0, "toy/q0.council")


async def test_calls_are_model_events_with_their_usage(council: Any) -> None:
    """Prompt, parameters, reply, tokens and cost of every call are in its event, and their sums in the sample."""
    first = council.samples[0]
    answered, lost = first.events
    assert [message.text for message in answered.input] == ["Be brief.", "Why 0?\nAnswer as JSON."]
    assert (answered.config.temperature, answered.config.seed, answered.role) == (0.5, 9, "p1")
    assert (answered.output.completion, answered.output.model) == ("FINAL ANSWER: B", "anthropic/claude-opus-4.6")
    assert (lost.error, lost.retries) == ("the provider refused the request", 2)
    usage = first.model_usage["openrouter:anthropic/claude-opus-4.6"]
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.total_cost) == (10, 7, 17, 0.001)
    assert council.stats.model_usage["openrouter:anthropic/claude-opus-4.6"].total_tokens == 17
    assert first.role_usage["p1"].output_tokens == 7


async def test_scores_are_by_scorer(council: Any, study: Exported) -> None:
    """The study's own label is a scorer, others are under their names, and figures are those of ``compare``."""
    first, second = council.samples
    assert {name: one.value for name, one in first.scores.items()} == {"label": "C", "strict": "C", "words": 0.25}
    assert {name: one.value for name, one in second.scores.items()} == {"label": "I", "strict": "I"}
    told = {one.name: next(iter(one.metrics.values())) for one in council.results.scores}
    compared = await compare_study(Settings(database_url=study.url), "toy")
    accuracy = next(one.accuracy.value for one in compared.arms if one.arm == "council")
    assert (told["label"].name, told["label"].value) == ("accuracy", accuracy)
    assert (told["words"].name, told["words"].value) == ("mean", 0.25)


async def test_a_log_has_the_scores_of_named_scorers(reader: ExportReader, tmp_path: Path) -> None:
    """The study's own label stays, and a scorer that is not there is refused before a file is written."""
    read = await opened(await write_logs(reader, "toy", tmp_path, force=False, scorers=["words"]))
    found = {name for log in read.values() for one in log.samples for name in one.scores}
    assert found == {"label", "words"}
    with pytest.raises(RequestError, match="no scorer 'wrods' has scored 'toy'"):
        await write_logs(reader, "toy", tmp_path / "none", force=False, scorers=["wrods"])
    assert not (tmp_path / "none").exists()


async def test_a_deliberation_without_a_verdict_is_an_error(reader: ExportReader, tmp_path: Path) -> None:
    """A failed and a missing one are samples with their reason and without an answer."""
    log = (await opened(await write_logs(reader, "toy", tmp_path, force=False)))["toy/consensus"]
    assert {one.error.message for one in log.samples} == {"p1: the account is empty", "terminated by hand"}
    assert [(one.output.completion, one.scores["label"].value) for one in log.samples] == [("", "I")] * 2
    assert (log.results.total_samples, log.results.completed_samples) == (2, 0)


@pytest.mark.filterwarnings("ignore")  # of the package's own use of pandas
async def test_data_frames_open_the_logs(reader: ExportReader, tmp_path: Path) -> None:
    """The package's own data frames have a row for each log, each sample and each message."""
    await write_logs(reader, "toy", tmp_path, force=False)
    analysis = pytest.importorskip("inspect_ai.analysis")
    frames = (analysis.evals_df, analysis.samples_df, analysis.messages_df)
    found, samples, messages = [await asyncio.to_thread(read, str(tmp_path), quiet=True) for read in frames]
    assert sorted(found["task_name"]) == ["consensus", "council"]
    assert sorted(samples["score_label"].dropna()) == ["C", "I", "I", "I"]
    assert sorted(set(messages["role"])) == ["assistant", "system", "user"]


def files(folder: Path) -> list[Path]:
    """What is in the folder."""
    return sorted(folder.iterdir())


async def test_logs_are_written_again_only_when_forced(reader: ExportReader, tmp_path: Path) -> None:
    """Their names do not change, so a second export is refused, and with force it replaces them."""
    folder = tmp_path / "logs"
    written = await write_logs(reader, "toy", folder, force=False)
    with pytest.raises(RequestError, match="--force"):
        await write_logs(reader, "toy", folder, force=False)
    assert await write_logs(reader, "toy", folder, force=True) == written
    assert files(folder) == sorted(written)


async def test_one_deliberation_has_a_log(reader: ExportReader, tmp_path: Path) -> None:
    """Its id does where the name of a study does."""
    read = await opened(await write_logs(reader, "council-alone", tmp_path, force=False))
    assert {task: len(log.samples) for task, log in read.items()} == {"council-alone": 1}


async def test_a_folder_that_cannot_be_made_is_reported(reader: ExportReader, tmp_path: Path) -> None:
    """The message names the folder and the option."""
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError, match=r"cannot be made.*-o"):
        await write_logs(reader, "toy", tmp_path / "file" / "logs", force=False)


def test_the_command_writes_logs(study: Exported, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``--format inspect`` writes a log for each arm and says how to look at them."""
    monkeypatch.setenv("PARLEY_DATABASE_URL", study.url)
    done = CliRunner().invoke(parley, ["export", "toy", "--format", "inspect", "-o", str(tmp_path / "logs")])
    assert (done.exit_code, len(list((tmp_path / "logs").glob("*.eval")))) == (0, 2)
    assert "2 logs of toy" in done.stderr
    assert "inspect view --log-dir" in done.stderr
