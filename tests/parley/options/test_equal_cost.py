"""What may be asked of the baselines of equal cost, and what their workflows start with."""

import pytest

from parley.errors import RequestError
from parley.options.answer import answer_form
from parley.options.ask import Options
from parley.options.equal_cost import MixtureOptions, VoteOptions
from protocols.answers import AnswerForm
from protocols.model_call import CallTimeouts
from protocols.panel import route
from tests.fakes.seed_panel import SEED_COUNCIL

COUNCIL = tuple(map(route, SEED_COUNCIL))


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("free", AnswerForm()),
        ("number", AnswerForm(kind="number")),
        ("number:1..10", AnswerForm(kind="number", scale=(1, 10))),
        ("number: -0.5..1.5", AnswerForm(kind="number", scale=(-0.5, 1.5))),
        ("yes_no", AnswerForm(kind="yes_no")),
        (" Yes-No ", AnswerForm(kind="yes_no")),
        ("exact", AnswerForm(kind="exact")),
        ("contains", AnswerForm(kind="contains")),
        ("choice:A,B,C", AnswerForm(kind="choice", choices=("A", "B", "C"))),
        ("choice: positive , negative,", AnswerForm(kind="choice", choices=("positive", "negative"))),
    ],
)
def test_form_of_the_answer_is_written_in_a_word(written: str, form: AnswerForm) -> None:
    """A kind, and behind ``choice`` what can be chosen."""
    assert form == answer_form(written) == answer_form(form.written)


@pytest.mark.parametrize(
    "written", ["", "letter", "choice", "choice:", "number:1,2", "number:9..1", "exact:1..2", "choice:A", "choice:A,a"]
)
def test_form_that_cannot_be_is_refused_by_name(written: str) -> None:
    """The message names the option and what was written."""
    with pytest.raises(RequestError, match="answer: "):
        VoteOptions.of({"answer": written})


def test_defaults_are_the_councils_panel() -> None:
    """Nothing but the panel given: its models vote and propose, the first is sampled and aggregates."""
    one = VoteOptions.of({"panel": "seed", "preset": "self-consistency"}).build_input("Why?", queues={})
    some = VoteOptions.of({"panel": "seed"}).build_input("Why?", queues={})
    layered = MixtureOptions.of({"panel": "seed"}).build_input("Why?", queues={})

    assert (COUNCIL[:1], COUNCIL, COUNCIL) == tuple(
        tuple(p.model for p in inp.panel.participants) for inp in (one, some, layered)
    )
    assert (COUNCIL[0], "aggregator") == (layered.panel.chair.model, layered.panel.chair_seat)
    assert (5, 2, AnswerForm(), None) == (one.samples, layered.layers, one.answer, one.sampling.temperature)
    assert {CallTimeouts()} == {one.patience, some.patience, layered.patience}


def test_what_is_given_reaches_the_workflow() -> None:
    """Samples, layers, the aggregator with its fallbacks, form, temperature and salt."""
    one = VoteOptions.of({"models": ["a"], "samples": 9, "temperature": 0.3, "answer": "number", "seed": 4})
    layered = MixtureOptions.of({"models": ["a", "b"], "aggregator": "c", "aggregator_fallbacks": ["d"], "layers": 3})
    first = one.build_input("Why?", queues={"openrouter": "q"}, salt="s")
    second = layered.build_input("Why?", queues={}, private=True)

    assert (9, 0.3, 4, "number", "s", {"openrouter": "q"}) == (
        first.samples,
        first.sampling.temperature,
        first.sampling.seed,
        first.answer.kind,
        first.salt,
        first.queues,
    )
    assert (3, "openrouter:c", ("openrouter:d",)) == (
        second.layers,
        second.panel.chair.model,
        second.panel.chair_fallbacks,
    )
    assert second.title == "a private question"


def test_a_rehearsal_requests_scripted_models_everywhere() -> None:
    """Proposers, aggregator and its fallbacks alike."""
    given = {"models": ["m/a"], "aggregator": "m/b", "aggregator_fallbacks": ["m/c"], "rehearse": True}
    panel = MixtureOptions.of(given).seated()

    assert ["rehearsal:m/a", "rehearsal:m/b", "rehearsal:m/c"] == [
        panel.participants[0].model,
        panel.chair.model,
        *panel.chair_fallbacks,
    ]


@pytest.mark.parametrize(
    ("options", "given", "told"),
    [
        (VoteOptions, {"samples": 65}, "samples: '65' cannot be used"),
        (VoteOptions, {"preset": ["single"]}, "preset: write 'single', 'self-consistency' or 'majority'"),
        (VoteOptions, {"preset": "single", "samples": 2}, "single: it has 1 sample of each model, got 2"),
        (VoteOptions, {"preset": "self-consistency", "models": ["a", "b"]}, "asks one model, and 2 are named"),
        (MixtureOptions, {"layers": 0}, "layers: '0' cannot be used"),
        (VoteOptions, {"chair": "a"}, "'chair' is not an option of a vote"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(options: type[Options], given: dict[str, object], told: str) -> None:
    """An unknown option and a number out of its range."""
    with pytest.raises(RequestError, match=told):
        options.of(given)


@pytest.mark.parametrize("options", [VoteOptions, MixtureOptions])
def test_an_empty_panel_is_refused(options: type[Options]) -> None:
    """A panel without models is an error at the client's side, not in the workflow."""
    with pytest.raises(RequestError):
        options.of({"models": []}).seated()
