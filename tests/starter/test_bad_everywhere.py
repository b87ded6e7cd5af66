"""Options that cannot be used, at every entrance: one clear sentence each, before anything starts."""

import csv
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import click
import pytest
import tomlkit

from parley.catalogue import Providers
from parley.client import Parley
from parley.errors import RequestError
from protocols.starting import InvalidStartError, StartRequest
from runtime.settings import Settings
from starter.commands.ask_command import ask_command
from starter.handlers import ask
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.start import refuse_unable_arms
from studies.short_inputs import ShortInputs
from tests.fakes.files import pdf, png, written

QUESTION = "Why is the sky blue?"
FAST = "cerebras:gpt-oss-120b"


def seat(**settings: Any) -> dict[str, Any]:
    """Return the models of a panel whose first seat has ``settings``."""
    return {"models": [{"model": "a/one", **settings}, "b/two"]}


BAD: Mapping[str, tuple[dict[str, Any], str]] = {
    "unknown field": (seat(temprature=1), "'temprature' is no key of a seat. Did you mean 'temperature'?"),
    "wrong kind": (seat(temperature="warm"), "temperature is 'warm': write a number"),
    "out of range": (seat(top_p=1.5), "top_p is '1.5': write 1 or less"),
    "too many stops": (seat(stop=list("12345")), "stop: at most 4 texts"),
    "key in extra_body": (seat(extra_body={"api_key": "x"}), "it may carry no key, and 'api_key' looks like one"),
    "field of Parley": (seat(extra_body={"messages": []}), "it may not set 'messages': Parley writes them"),
    "unknown routing": (seat(provider={"ordr": ["x"]}), "'ordr' is no key of a seat's provider. Did you mean 'order'?"),
    "contradicting routing": (
        seat(provider={"order": ["x"], "only": ["y"]}),
        "order names 'x' and only leaves it out; name it in both, or in neither",
    ),
    "routing of another provider": (
        {"models": [{"model": FAST, "provider": {"zdr": True}}, "b/two"]},
        "seat 'p1': provider chooses among the endpoints of OpenRouter, and",
    ),
    "field that Cerebras refuses": (
        {"models": [{"model": FAST, "extra_body": {"top_k": 40}}, "b/two"]},
        "seat 'p1': extra_body has 'top_k', and Cerebras",
    ),
    "effort that Cerebras lacks": (
        {"models": [FAST, "b/two"], "reasoning_effort": "minimal"},
        "seat 'p1': reasoning_effort is 'minimal', and Cerebras",
    ),
    "model and models": (seat(models=["a/two"]), "a seat has either model or models; leave one of them out"),
    "fallback to itself": (
        {"models": [{"models": ["a/one", "a/one"]}, "b/two"]},
        "models names 'a/one' twice; a fallback is another model",
    ),
    "contradicting fallbacks": (
        {**seat(), "chair": {"models": ["c/three", "d/four"]}, "chair_fallbacks": ["e/five"]},
        "the seat 'chair' has fallbacks in its models, and openrouter:e/five as fallbacks beside it; name them in one",
    ),
    "two seats of one name": (
        {"models": [{"model": "a/one", "name": "Sceptic"}, {"model": "b/two", "name": "Sceptic"}]},
        "two seats are called 'Sceptic'; give one of them another name",
    ),
    "search of another provider": ({"models": [FAST, "b/two"], "web": True}, "cannot search the web"),
    "budget below zero": ({"budget_usd": -0.5}, "budget_usd: '-0.5' cannot be used: write a number above 0"),
    "budget of no tokens": ({"budget_tokens": 0}, "budget_tokens: '0' cannot be used: write a number above 0"),
    "unknown end at a budget": ({"budget_tokens": 9, "on_budget": "stop"}, "'end'"),
    "weight of zero": ({"rubric": {"accuracy": 0}}, "the weight of 'accuracy' is 0; write a number above 0"),
    "rubric without a review": ({"rubric": {"accuracy": 1}, "final_only": True}, "leave one of them out"),
    "example without an answer": ({"examples": [{"user": "1 + 1?"}]}, "examples.1.assistant: it is missing"),
    "blank instructions": ({"system": " "}, "it is blank"),
    "unknown context": ({"context": "everything"}, "'verdict'"),
    "image to a text model": (
        {"models": ["rehearsal:a/text-only", "rehearsal:b/two"], "chair": "rehearsal:c/three", "attach": ["chart.png"]},
        "(seat p1) takes no images, and 'chart.png' is one",
    ),
    "PDF without pages": (
        {"attach": ["empty.pdf"]},
        "empty.pdf' is a PDF file of 0 pages, so there is nothing to show of it; leave it out",
    ),
    "missing file": ({"attach": ["absent.txt"]}, "attach: there is no file '"),
    "one file twice": (
        {"attach": ["notes.txt", "notes.txt"]},
        "'notes.txt' is attached twice, with the same content; attach it once",
    ),
}
UNLIKE = {
    ("short object", "PDF without pages"): "attach",
    ("short object", "missing file"): "attach",
    ("short object", "one file twice"): "attach",
    ("short object", "image to a text model"): "attach",
}
"""Where another sentence is right: a short object names no files of the machine that reads it."""


class Untouched:
    """A client of Temporal that fails the test when it is used."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AssertionError(f"{name} was used though the request is refused")


def settings_of(folder: Path) -> Settings:
    """Return settings in ``folder`` with a rehearsal server that does not answer."""
    return Settings(home=folder, rehearsal_url="http://127.0.0.1:9", check_models=False)


async def from_python(folder: Path, options: dict[str, Any]) -> None:
    """Start with keywords."""
    settings = settings_of(folder)
    client: Any = Untouched()
    given = {"question": QUESTION, **options}
    await Parley(client, settings, Providers.of(settings, {})).start("council", given.pop("question"), **given)


async def from_a_short_object(folder: Path, options: dict[str, Any]) -> None:
    """Complete what the Web UI or another client sends."""
    given = {"question": QUESTION, **options}
    keys = {"OPENROUTER_API_KEY": "sk-or-v1-canary-0123456789", "CEREBRAS_API_KEY": "csk-canary-0123456789"}
    request = StartRequest(workflow="Council", workflow_id="bad", salt="s", given=given)
    await ShortInputs(settings_of(folder), keys).complete(request)


async def from_a_study_file(folder: Path, options: dict[str, Any]) -> None:
    """Load a study with one arm, as the command does before it starts."""
    arm = {"name": "one", "protocol": "council", "options": options}
    study = {"name": "bad", "dataset": {"path": "rows.csv", "question": "question"}, "arms": [arm]}
    (folder / "study.toml").write_text(tomlkit.dumps(study))
    await refuse_unable_arms(load_study(str(folder / "study.toml"), Overrides(), settings_of(folder)))


async def from_a_configuration_file(folder: Path, options: dict[str, Any]) -> None:
    """Ask with ``--config``."""
    (folder / "options.toml").write_text(tomlkit.dumps(options))
    words = [] if "question" in options else [QUESTION]
    await run_command(folder, *words, "--config", str(folder / "options.toml"))


async def from_the_command_line(folder: Path, options: dict[str, Any]) -> None:
    """Ask with an option for each key."""
    words = [QUESTION]
    for key, value in options.items():
        option, given = f"--{key.replace('_', '-')}", value
        if key == "rubric":
            (folder / "rubric.toml").write_text(tomlkit.dumps(value))
            given = str(folder / "rubric.toml")
        elif key == "examples":
            (folder / "examples.jsonl").write_text("\n".join(map(json.dumps, value)))
            given = str(folder / "examples.jsonl")
        for one in given if isinstance(given, list) else [given]:
            said = [] if one is True else [json.dumps(one) if isinstance(one, dict) else str(one)]
            words += [option, *said]
    await run_command(folder, *words)


async def run_command(folder: Path, *words: str) -> None:
    """Run ``parley council`` as far as it is refused."""
    command: click.Command = ask_command("council", "")
    given = command.make_context("council", [*words, "--no-key-check"]).params
    await ask.ask(settings_of(folder), "council", given)


SURFACES: dict[str, Callable[[Path, dict[str, Any]], Awaitable[None]]] = {
    "python": from_python,
    "short object": from_a_short_object,
    "study file": from_a_study_file,
    "configuration file": from_a_configuration_file,
    "command line": from_the_command_line,
}


@pytest.fixture
def folder(tmp_path: Path, clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that are named; no connection can be opened from it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARLEY_HOME", str(tmp_path))
    monkeypatch.setenv("PARLEY_REHEARSAL_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("PARLEY_CHECK_MODELS", "false")
    monkeypatch.setattr(ask, "open_session", Untouched().__getattr__)
    written(tmp_path, "chart.png", png())
    written(tmp_path, "empty.pdf", pdf([]))
    written(tmp_path, "notes.txt", b"Notes.")
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "question"], ["q1", QUESTION]])
    return tmp_path


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", BAD)
async def test_it_is_refused_in_one_sentence_and_nothing_is_spent(folder: Path, surface: str, name: str) -> None:
    """The sentence names the value; no traceback, no words of a library, and no call."""
    options, message = BAD[name]
    panel = {"models": ["a/one", "b/two"], "chair": "c/three"}
    with pytest.raises((RequestError, InvalidStartError, click.ClickException)) as refused:
        await SURFACES[surface](folder, {**panel, **options})
    error = refused.value
    said = error.format_message() if isinstance(error, click.ClickException) else str(error)

    assert 1 == len(said.splitlines())
    assert UNLIKE.get((surface, name), message) in said
    assert not any(word in said for word in ("Traceback", "pydantic", "validation error", "Input should", "Field "))


@pytest.mark.parametrize("surface", ["python", "short object", "configuration file"])
@pytest.mark.parametrize(
    "question", ["", " ", [], ["One?", " "], ["One?", 2]], ids=["no", "blank", "none", "hole", "number"]
)
async def test_turns_that_cannot_be_asked_are_refused_as_well(folder: Path, surface: str, question: Any) -> None:
    """A question is a text or a list of texts, none of them blank."""
    options = {"models": ["a/one", "b/two"], "chair": "c/three", "question": question}
    with pytest.raises((RequestError, InvalidStartError)) as refused:
        await SURFACES[surface](folder, options)

    assert any(word in str(refused.value) for word in ("question", "turn"))
    assert 1 == len(str(refused.value).splitlines())
