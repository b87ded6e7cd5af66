"""The arms of a study: which there are, who sits there, and what each makes of a row."""

import tomllib
from typing import Any

import pytest

from parley.errors import RequestError
from parley.panel_files import shipped_panels
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import Means
from protocols.answers import AnswerForm
from protocols.final_answer_prompt import with_ending
from studies.definition.arm_protocols import arm_protocol, protocol_names
from studies.definition.column_mapping import StudyRow
from studies.definition.files import Overrides, parse_study
from studies.definition.grid import arms_of
from studies.definition.inputs import build_input
from tests.fakes.study_files import AT_ONCE, STUDY, dataset, study
from worker import WORKFLOWS

_ALL = protocol_names()


def _template(protocol: str, extra: str = "") -> dict[str, Any]:
    """What the first deliberation of ``protocol`` on the panel of the lab begins with."""
    text = STUDY.replace('"council", "single"', f'"{protocol}"').replace("[grid]", f"{extra}\n[grid]")
    return study(text).entered().arms[0].template


def test_every_protocol_has_its_kind_and_its_workflow() -> None:
    """What a study file may name can run by a worker."""
    known = {getattr(workflow, "__temporal_workflow_definition").name for workflow in WORKFLOWS}

    assert {"single", "parallel", "self-consistency", "majority", *PROTOCOLS} == set(_ALL)
    assert {arm_protocol(name, judges=False).spec.workflow_type for name in _ALL} <= known


def test_a_grid_is_every_protocol_with_every_panel() -> None:
    """Arms are named after both, protocol by protocol, behind those that are alone."""
    text = STUDY.replace("[grid]", '[panels.two]\nmodels = ["rehearsal:a"]\n[[arms]]\nprotocol = "debate"\n[grid]')

    found = [arm.name for arm in study(text).arms]

    assert found == ["debate", "council-lab", "council-two", "single-lab", "single-two"]


@pytest.mark.parametrize("protocol", _ALL)
def test_every_protocol_sits_on_a_panel_of_three(protocol: str) -> None:
    """One panel serves all protocols; only named models take part."""
    found = _template(protocol)

    panel = found["panel"]
    models = {one["model"] for one in [*panel["participants"], *panel["beside"]]} | {panel["chair"]["model"]}
    assert models <= {"rehearsal:one", "rehearsal:two", "rehearsal:three"}
    assert found["batch_id"] == "small"
    assert (found["patience"]["attempts"], found["patience"]["away"]) == (20, 86_400)


@pytest.mark.parametrize("protocol", _ALL)
def test_every_protocol_is_held_over_a_dataset_alone(protocol: str) -> None:
    """Without a panel it has its own default one."""
    found = dataset("q.csv", "question\nWhy?\n", AT_ONCE._replace(protocols=(protocol,), rehearse=True))

    assert found.instances == 1
    assert found.is_rehearsal


def test_a_chair_concludes_wherever_somebody_does() -> None:
    """The panel's chair is the council's chair, the consensus's curator, the debate's synthesiser, the aggregator."""
    panel = '[panels.lab]\nchair = "rehearsal:chair"'
    text = STUDY.replace("[panels.lab]", panel).replace(
        '"council", "single"', '"council", "consensus", "debate", "mixture"'
    )

    assert {arm.panel.chair.model for arm in study(text).arms} == {"rehearsal:chair"}


def test_a_consensus_takes_the_speakers_of_its_panel() -> None:
    """A larger panel says which three speak."""
    speakers = 'speakers = ["rehearsal:x", "rehearsal:y", "rehearsal:z"]\n[grid]'
    text = STUDY.replace("[grid]", speakers).replace('"council", "single"', '"consensus"')

    assert study(text).arms[0].models == ("rehearsal:x", "rehearsal:y", "rehearsal:z")


def test_options_of_an_arm_win_over_its_panel_and_the_study() -> None:
    """The nearest setting counts."""
    text = STUDY.replace(
        "[grid]",
        '[[arms]]\nname = "mine"\nprotocol = "council"\npanel = "lab"\n'
        'options = { chair = "rehearsal:z", failure_mode = "strict", final_only = true }\n[grid]',
    )

    found: dict[str, Any] = study(text).entered().arms[0].template

    assert (found["panel"]["chair"]["model"], found["failure_mode"], found["final_only"]) == (
        "rehearsal:z",
        "strict",
        True,
    )


def test_baselines_that_count_answers_are_reported_their_form() -> None:
    """Labels say how answers are read, so votes are counted the same way."""
    found = _template("majority")["answer"]

    assert (found["kind"], tuple(found["choices"])) == ("choice", ("A", "B"))


def test_single_requests_one_model_once() -> None:
    """On questions the baseline of one model is one sample."""
    found = _template("single")

    assert found["samples"] == 1
    assert [one["model"] for one in found["panel"]["participants"]] == ["rehearsal:one"]


@pytest.mark.parametrize("dataset", [{"user": "prompt"}, {"question": "prompt"}], ids=["judged", "answered"])
def test_single_refuses_models_of_which_it_would_ask_one(dataset: dict[str, str]) -> None:
    """A model that an arm names takes part; a panel may have more than the arm asks."""
    arm = {"protocol": "single", "options": {"models": ["rehearsal:one", "rehearsal:two"]}}
    told = {"name": "small", "dataset": {"path": "cases.jsonl", **dataset}, "arms": [arm]}
    with pytest.raises(RequestError, match=r"^arm .single.: .*2.*; name "):
        arms_of(parse_study(told))
    arm["options"] = {"models": ["rehearsal:one"]}
    assert [("rehearsal:one",)] == [one.models for one in arms_of(parse_study(told))]


def test_judges_take_a_question_for_what_the_user_wrote() -> None:
    """Without layers in the dataset there is only one."""
    found = _template("fire-circle")

    assert found["layers"] == {"system": "", "application": "", "user": "What is 1 + 1? A) 2 B) 3"}


def test_a_rehearsal_has_scripted_models_alone() -> None:
    """One switch for the whole study."""
    text = STUDY.replace("rehearsal:one", "openai/gpt-5-mini")

    found = study(text, overrides=Overrides(rehearse=True))

    assert {model for arm in found.arms for model in arm.models} == {
        "rehearsal:openai/gpt-5-mini",
        "rehearsal:two",
        "rehearsal:three",
    }
    assert found.entered().rehearsal


def test_arms_can_be_chosen_by_their_protocol() -> None:
    """The command line holds a part of a study file."""
    assert [arm.name for arm in study(overrides=Overrides(protocols=("single",))).arms] == ["single-lab"]

    with pytest.raises(RequestError, match="no arm of the protocol 'debate'; it has: council, single"):
        study(overrides=Overrides(protocols=("debate",)))


@pytest.mark.parametrize(
    ("arm", "seconds"), [("", 7200), ('[[arms]]\nprotocol = "single"\noptions = { patience = "5m" }\n', 300)]
)
def test_a_study_waits_as_long_as_it_states(arm: str, seconds: float) -> None:
    """The study's patience holds for its arms, and an arm may have its own."""
    text = STUDY.replace("[grid]", f"{arm}[grid]").replace("[dataset]", 'patience = "2h"\n[dataset]', 1)
    found: dict[str, Any] = study(text).entered().arms[0].template
    assert seconds == found["patience"]["away"]


def test_an_arm_takes_a_panel_of_the_installation_by_name() -> None:
    """A panel that is in no study file is one of ``parley panels``; one of the file wins over its namesake."""
    text = STUDY.replace("[grid]", '[[arms]]\nprotocol = "council"\npanel = "seed"\n[grid]\npanels = ["lab"]')
    seats = {arm.name: arm.models for arm in arms_of(parse_study(tomllib.loads(text)))}
    assert ("openrouter:anthropic/claude-opus-4.6", "cerebras:zai-glm-4.7") == (
        seats["council-seed"][0],
        seats["council-seed"][-1],
    )
    own = text + '\n[panels.seed]\nmodels = ["maker/one", "maker/two"]\n'
    seats = {arm.name: arm.models for arm in arms_of(parse_study(tomllib.loads(own)))}
    assert ("openrouter:maker/one", "openrouter:maker/two") == seats["council-seed"]


def test_an_arm_without_a_panel_takes_the_default_one() -> None:
    """Nothing named is the panel ``default``, of the file when it has one."""
    text = STUDY.replace("[grid]", '[[arms]]\nname = "open"\nprotocol = "majority"\n[grid]')
    default = tuple(f"openrouter:{model}" for model in shipped_panels().panel("default").models)
    assert default == next(arm.models for arm in arms_of(parse_study(tomllib.loads(text))) if arm.name == "open")
    own = text + '\n[panels.default]\nmodels = ["maker/one"]\n'
    assert ("openrouter:maker/one",) == next(
        arm.models for arm in arms_of(parse_study(tomllib.loads(own))) if arm.name == "open"
    )


def test_a_study_over_a_dataset_takes_a_panel_by_name() -> None:
    """Without a study file ``--panel`` says who takes part; together with ``--models`` it would not be clear who."""
    (arm,) = dataset("q.csv", "question\nWhy?\n", AT_ONCE._replace(panel="small", rehearse=True)).arms
    assert ("council", 3, "rehearsal:openai/gpt-5-mini") == (arm.name, len(arm.models), arm.panel.chair.model)
    with pytest.raises(RequestError, match="leave one of them out"):
        dataset("q.csv", "question\nWhy?\n", AT_ONCE._replace(panel="small", models=("a",)))


def test_34_a_debate_of_a_study_waits_seconds_for_a_person() -> None:
    """An escalation without an answer concludes flagged and does not hold a place of the window for a day."""
    assert 10.0 == _template("debate")["escalation_timeout"]


def test_34_an_arm_states_itself_how_long_a_person_is_waited_for() -> None:
    """A study that one watches may wait."""
    arm = '[[arms]]\nprotocol = "debate"\npanel = "lab"\noptions = { escalation_timeout = "2h" }\n'

    assert 7200.0 == _template("council", arm)["escalation_timeout"]


def test_36_every_arm_is_asked_the_same_question() -> None:
    """Protocols of all kinds start with one text, which asks once for the form that the labels are read in."""
    protocols = '"council", "consensus", "debate", "single", "self-consistency", "majority", "mixture"'
    found = study(STUDY.replace('"council", "single"', protocols)).entered()
    questions = {str(arm.template["question"]) for arm in found.arms}

    assert 7 == len(found.arms)
    assert {with_ending("What is 1 + 1? A) 2 B) 3", AnswerForm(kind="choice", choices=("A", "B")))} == questions


def test_36_a_template_that_requests_for_the_answer_is_asked_as_it_is() -> None:
    """A dataset's own words for the last line are not followed by ours."""
    template = '"""{prompt}\nEnd with one line: FINAL ANSWER: and the letter."""'
    text = STUDY.replace('question = "prompt"', f"template = {template}")

    assert {"FINAL ANSWER: and the letter."} == {
        str(arm.template["question"]).rpartition("line: ")[2] for arm in study(text).entered().arms
    }


@pytest.mark.parametrize(("protocols", "is_asked"), [('"council", "mixture"', False), ('"council", "majority"', True)])
def test_36_without_labels_all_ask_for_an_open_answer_when_one_compares(protocols: str, *, is_asked: bool) -> None:
    """A vote cannot be counted without a last line, so every arm is asked for one; else none is."""
    text = STUDY.partition('label = "answer"')[0] + "[panels" + STUDY.partition("[panels")[2]
    found = study(text.replace('"council", "single"', protocols)).entered()
    questions = {str(arm.template["question"]) for arm in found.arms}
    plain = "What is 1 + 1? A) 2 B) 3"

    assert {with_ending(plain, AnswerForm()) if is_asked else plain} == questions


def test_36_no_arm_requests_for_another_form_than_the_others() -> None:
    """What would be compared would be the form of the question."""
    arm = '[[arms]]\nprotocol = "majority"\npanel = "lab"\noptions = { answer = "free" }\n'

    with pytest.raises(RequestError, match=r"options.answer: no arm has it; \[label\] says"):
        study(STUDY.replace("[grid]", f"{arm}[grid]"))


@pytest.mark.parametrize(("own", "attack_id"), [({"id": "case"}, "spoofed"), ({}, None)])
def test_patterns_are_kept_under_the_name_of_the_row(own: dict[str, str], attack_id: str | None) -> None:
    """A column of ids names the rows; the number of a line would be the same in every study."""
    dataset = {"path": "cases.jsonl", "user": "user", **own}
    judged = parse_study({"name": "s", "dataset": dataset, "arms": [{"protocol": "fire-circle", "panel": "seed"}]})
    (arm,) = arms_of(judged)
    row = StudyRow(0, 1, "spoofed", "Who are you?", None, {}, {"user": "Who are you?"})

    made = build_input(judged, arm, row, 1, Means(queues={}, private=False, salt=""))

    assert attack_id == made["attack_id"]
