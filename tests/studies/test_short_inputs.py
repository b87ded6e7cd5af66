"""The whole argument of a workflow, made of a short object: what is filled in, and what is refused."""

import json
from typing import Any

import pytest

from protocols.answers import AnswerForm
from protocols.council.model import CouncilInput
from protocols.final_answer_prompt import with_ending
from protocols.panel import Panel
from protocols.starting import (
    INVALID,
    CompletedInput,
    InvalidStartError,
    StartRequest,
    example_of,
    is_complete,
    read_complete,
)
from tests.fakes.short_inputs import SHORTEST, short_council, short_inputs
from worker import WORKFLOWS
from workflows.type_names import DELIBERATIONS, PARTS, STUDIES


async def completed(workflow: str, **settings: Any) -> CompletedInput:
    """Complete the shortest object of a workflow type, with scripted models."""
    return await complete(workflow, {**SHORTEST[workflow], "rehearse": True}, **settings)


async def complete(workflow: str, given: dict[str, Any], **settings: Any) -> CompletedInput:
    """Complete ``given`` for a workflow type."""
    request = StartRequest(workflow=workflow, workflow_id="by-hand", salt="5a17", given=given)
    return await short_inputs(**settings).complete(request)


async def refusal(workflow: str, given: dict[str, Any]) -> str:
    """Return why ``given`` cannot be used."""
    with pytest.raises(InvalidStartError) as refused:
        await complete(workflow, given)
    return str(refused.value)


def asked_of(workflow: str, question: str) -> str:
    """Return ``question`` as ``workflow`` asks it: a vote counts final answers, so it asks for one."""
    return with_ending(question, AnswerForm()) if workflow == "Vote" else question


def test_the_types_are_those_that_a_worker_runs() -> None:
    """Every workflow of the worker has its name in exactly one of the lists, and the type of a refusal is pinned."""
    registered = [vars(workflow)["__temporal_workflow_definition"].name for workflow in WORKFLOWS]

    assert sorted((*DELIBERATIONS, *STUDIES, *PARTS)) == sorted(registered)
    assert "input.invalid" == INVALID


@pytest.mark.parametrize("workflow", DELIBERATIONS)
async def test_what_is_asked_is_enough_for_every_protocol(workflow: str) -> None:
    """A question, a topic or a layer starts it: panel, prompts, title and salt are filled in."""
    found = (await completed(workflow)).input

    assert {"panel", "prompts", "title", "salt", "queues"} <= set(found)
    assert ("5a17", asked_of(workflow, next(iter(SHORTEST[workflow].values())))) == (found["salt"], found["question"])


@pytest.mark.parametrize("workflow", DELIBERATIONS)
async def test_question_stands_for_what_every_protocol_requests(workflow: str) -> None:
    """``{"question": …}`` starts all of them: it is a debate's topic, and what the user wrote in a judged prompt."""
    found = await complete(workflow, {"question": "Why?", "rehearse": True})

    assert asked_of(workflow, "Why?") == found.input["question"]


@pytest.mark.parametrize("workflow", DELIBERATIONS)
async def test_the_example_of_a_refusal_can_be_copied(workflow: str) -> None:
    """What a refusal shows starts the workflow."""
    found = await complete(workflow, {**json.loads(example_of(workflow)), "rehearse": True})

    assert found.input["question"]


async def test_options_have_their_names_in_python_or_on_the_command_line() -> None:
    """``max-rounds``, ``--max-rounds`` and ``max_rounds`` are one option, and lists may be written with commas."""
    spelt = [
        await complete("Consensus", {"question": "Why?", "rehearse": True, name: 3})
        for name in ("max_rounds", "max-rounds", "--max-rounds")
    ]
    seated = await complete("Council", short_council(models="a/b, c/d", chair="c/d"))
    panel = Panel.model_validate(seated.input["panel"])

    assert [3, 3, 3] == [one.input["max_rounds"] for one in spelt]
    assert ("rehearsal:c/d", ["rehearsal:a/b", "rehearsal:c/d"]) == (
        panel.chair.model,
        [p.model for p in panel.participants],
    )


async def test_a_panel_is_given_by_its_name() -> None:
    """``panel`` is an option as on the command line, and an unknown one is refused with those there are."""
    found = await complete("Council", {"question": "Why?", "panel": "seed", "rehearse": True})
    panel = Panel.model_validate(found.input["panel"])

    assert "rehearsal:zai-glm-4.7" in [p.model for p in panel.participants]
    assert "seed" in await refusal("Council", {"question": "Why?", "panel": "sede"})


async def test_null_leaves_an_option_to_its_default() -> None:
    """A typed client sends null for what it was not given."""
    found = await complete("Council", short_council(temperature=None, title=None, chair_fallbacks=None))

    assert "Why is the sky blue?" == found.input["title"]


async def test_a_private_installation_keeps_the_question_out_of_the_title() -> None:
    """With encryption the title is stored readable, so it does not say what is asked."""
    keys = {"encryption_keys": f"k1:{'A' * 43}="}
    found = await completed("Council", **keys)

    assert "a private question" == found.input["title"]


@pytest.mark.parametrize(
    ("workflow", "given", "said"),
    [
        ("Council", {}, "nothing is asked. Give the workflow Council for example"),
        ("Council", {"question": ""}, "nothing is asked"),
        ("Council", {"question": ["Why?", 3]}, "turn 2 is '3', which cannot be asked"),
        ("Council", {"question": "x" * 1_000_001}, "'question' has 1,000,001 bytes, and at most 1,000,000 are taken"),
        ("Council", {"question": "Why?", "quorum": 3}, "'quorum' is not an option of a council"),
        ("Council", {"question": "Why?", "modles": []}, "Did you mean 'models'?"),
        ("Council", {"question": "Why?", "temperature": "hot"}, "temperature: 'hot' cannot be used"),
        ("Council", {"question": "Why?", "models": ["a b"]}, "'a b' is not a name such as"),
        ("Council", {"question": "Why?", "models": ["nobody:a"], "chair": "nobody:a"}, "names an unknown provider"),
        ("Council", {"question": "Why?", "models": ["a/b"], "chair": "a/b"}, '"rehearse": true'),
        ("Council", {"question": "Why?", "rehearse": "yes"}, "rehearse: 'yes' cannot be used: write true or false"),
        (
            "Batch",
            {"study": {"questions": ["Why?"], "rehearse": "yes"}},
            "rehearse: 'yes' cannot be used: write true or false",
        ),
        ("Council", {"question": "Why?", "title": ""}, "'title' is ''"),
        ("Council", {"question": "Why?", "id": "mine"}, "'id' cannot be given here: a deliberation's id is"),
        ("Council", {"question": "Why?", "fresh": True}, "'fresh' cannot be given here"),
        ("Council", {"question": "Why?", "prompts": {}}, "'prompts' cannot be given here"),
        (
            "Council",
            {"question": "Why?", "attach": ["/etc/passwd"]},
            "'attach' cannot be given here: files are read where",
        ),
        ("Vote", {"question": "Why?", "models": ["ollama:a"], "web": True}, "(seat p1) cannot search the web"),
        ("Debate", {"question": "Why?", "topic": "Why?"}, "both say what is asked"),
        ("Debate", {"topic": "Why?", "mode": "loud"}, "mode: 'loud' cannot be used"),
        ("FireCircle", {"user": " ", "system": ""}, "nothing is asked"),
        ("FireCircle", {"user": "Why?", "session": {"turn": 0}}, "session.turn is '0'"),
        ("FireCircle", {"user": "Why?", "empty_chair_prompt_path": "/etc/passwd"}, "no file is read"),
        ("FireCircle", {"user": "Why?", "empty-chair-prompt-path": "/etc/passwd"}, "no file is read"),
        ("Shard", {"study": "colours"}, "start Batch instead"),
        ("Budget", {"study": "colours"}, "start Batch instead"),
    ],
)
async def test_what_cannot_be_used_is_named_with_its_remedy(workflow: str, given: dict[str, Any], said: str) -> None:
    """Each refusal names the field, the value and what to write in its place."""
    assert said in await refusal(workflow, given)


async def test_a_whole_argument_is_reported_from_a_short_object() -> None:
    """What has every required field is meant whole, and a value in it that cannot be used is named."""
    whole = (await completed("Council")).input
    broken = json.dumps({**whole, "question": ""}).encode()
    with pytest.raises(InvalidStartError, match="question is ''"):
        read_complete("Council", broken, CouncilInput)

    assert is_complete(whole, CouncilInput)
    assert not is_complete({"question": "Why?", "title": "Why"}, CouncilInput)
