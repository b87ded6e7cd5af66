"""``parley estimate``: what it may cost, on the screen and as JSON."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from parley import errors
from parley.estimates import Comparison, Dollars, Estimate, comparison
from starter.cli import parley
from starter.commands.groups import ask_commands
from starter.terminal import console
from starter.views.estimates import estimates
from tests.fakes.estimates import Planned

KNOWN = "cerebras:gpt-oss-120b"


def invoke(*arguments: str, typed: str | None = None) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(parley, ["estimate", *arguments], input=typed)


def told(*arguments: str) -> Estimate:
    """The JSON document, read."""
    return Estimate.model_validate_json(invoke(*arguments, "--json").stdout)


def shown(found: Estimate, compared: Comparison | None = None) -> str:
    """What the view prints where there is no terminal."""
    screen = console()
    with screen.capture() as captured:
        screen.print(estimates(found, compared))
    return captured.get()


@pytest.mark.parametrize("name", ask_commands(""))
def test_every_command_that_requests_is_estimated_without_a_key(name: str, tmp_path: Path) -> None:
    """Nothing is asked, nothing is started and nothing is written down."""
    done = invoke(name)
    assert (errors.VERDICT, "", []) == (done.exit_code, done.stderr, list(tmp_path.iterdir()))
    assert "tokens in" in done.stdout


def test_an_estimate_is_one_json_document() -> None:
    """Each model has its calls, tokens and dollars from low to high; what is unknown is null."""
    done = json.loads(invoke("vote", "--models", f"{KNOWN},nobody/knows", "--json").stdout)
    first, second = done["models"]
    assert (KNOWN, {"low": 1, "high": 1}, {"low": 600, "high": 600}) == (
        first["model"],
        first["calls"],
        first["prompt_tokens"],
    )
    assert 0 < first["usd"]["low"] == first["usd"]["high"] == done["total"]["usd"]["low"]
    assert (None, None, 1) == (second["usd"], done["total"]["usd"]["high"], done["total"]["models_of_unknown_price"])


@pytest.mark.parametrize(
    ("asked", "is_compared"),
    [
        (("council", "--panel", "seed"), False),
        (("consensus", "--panel", "seed"), False),
        (("fire-circle", "--panel", "seed"), True),
        (("fire-circle-baseline", "--panel", "seed"), True),
        (("fire-circle-baseline",), False),
    ],
)
def test_the_modes_of_the_seeds_table_are_compared(asked: tuple[str, ...], *, is_compared: bool) -> None:
    """The comparison supports what it compares: the fire circle and its baselines, with the models of that table."""
    done = json.loads(invoke(*asked, "--json").stdout)
    assert is_compared == ("comparison" in done)
    assert comparison().model_dump() == done.get("comparison", comparison().model_dump())


def test_a_preset_is_estimated_as_the_vote_that_it_names() -> None:
    """``single`` is one call of one model, as its command and the arm of a study make it; it judges no prompt."""
    assert told("single", "--model", "a/one") == told("vote", "--models", "a/one")
    assert [5] == [line.calls.high for line in told("self-consistency").models]


def test_options_reach_the_plan() -> None:
    """Models, curator and rounds are those that were given."""
    speakers = ("--generator", "a/one", "--refiner", "b/two", "--validator", "c/three")
    found = told("consensus", *speakers, "--curator", "d/four", "--max-rounds", "2")
    assert [("openrouter:d/four", 1), ("openrouter:c/three", 4)] == [
        (line.model, line.calls.high) for line in reversed(found.models[2:])
    ]


def test_samples_and_layers_reach_the_plan() -> None:
    """A vote counts its samples, and a mixture its layers and the aggregator."""
    sampled = told("self-consistency", "--model", "a/one", "--samples", "7")
    layered = told("mixture", "--models", "a/one,b/two", "--layers", "3", "--aggregator", "c/three")
    assert (7, 7) == (sampled.total.calls.low, sampled.total.calls.high)
    assert [3, 3, 1] == [line.calls.high for line in layered.models]


def test_lengths_of_replies_reach_the_plan() -> None:
    """The limit of a reply is its high end; at a high effort four fifths of it are reasoning."""
    limited, thinking = (
        told("vote", "--models", "a/one", *given).total.completion_tokens
        for given in (("--max-tokens", "5000"), ("--reasoning-effort", "high"))
    )
    assert [(300, 5000), (1500, 1500)] == [(limited.low, limited.high), (thinking.low, thinking.high)]


def test_fallbacks_are_named_with_what_the_dearest_costs() -> None:
    """The range ends with the dearest model of a chain; asking all of it comes on top, which no option leaves out."""
    found = Planned("mixture", ("a/one",), {"aggregator": "b/two", "aggregator_fallbacks": ["c/dear"]})
    text = " ".join(shown(found.estimate(lambda model, *_: 5.0 if model.endswith("dear") else 1.0)).split())
    note = "openrouter:b/two has fallbacks (openrouter:c/dear): the low end is its own, the high end that of the dear"
    assert note in text
    assert "one further call, and each fallback may be asked after a reply that was paid: 0 – 5 calls on top" in text
    assert "$0.0000 – $9.0000. --no-clarify leaves the former out." in text
    unknown = shown(found.estimate(lambda model, *_: None if model.endswith("dear") else 1.0))
    assert ("at least $3.0000" in unknown, "1 model has no price" in unknown) == (True, True)


def test_a_debate_is_estimated_by_its_mode() -> None:
    """A mode with a safety evaluator and a judge costs their calls, too; the chair's model is all three."""
    given = ("debate", "--agents", "a/one,b/two", "--synthesiser", "d/four", "--max-rounds", "2")
    (plain,) = (line.calls for line in told(*given).models if line.model == "openrouter:d/four")
    (watched,) = (line.calls for line in told(*given, "--mode", "adversarial").models if line.model.endswith("four"))
    assert [(1, 1), (4, 4)] == [(plain.low, plain.high), (watched.low, watched.high)]


def test_an_estimate_of_a_debate_states_what_it_assumes() -> None:
    """The part of a debate without an estimate is below its figures, and not below those of others."""
    assert "Objection rounds, an evaluator" in shown(Planned("debate").estimate(lambda *_: 1.0))
    assert "Objection rounds" not in shown(Planned("council").estimate(lambda *_: 1.0))


def test_a_question_is_measured_however_it_is_given(tmp_path: Path) -> None:
    """Words, a file and standard input of the same text make the same estimate; a count of tokens is taken as it is."""
    text = "Why is the sky blue? " * 100
    (tmp_path / "q.txt").write_text(text)
    by_words = told("council", text)
    assert by_words == told("council", "--file", "q.txt")
    assert by_words == Estimate.model_validate_json(invoke("council", "--file", "-", "--json", typed=text).stdout)
    assert told("fire-circle-baseline", "--tokens", "1000").total.prompt_tokens.low == 2000


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["parallel"],
        ["council", "why", "--tokens", "3"],
        ["council", "why", "--file", "q.txt"],
        ["council", " "],
        ["council", "--tokens", "0"],
        ["council", "--file", "missing.txt"],
        ["council", "--samples", "2"],
        ["council", "--models", "a b"],
        ["council", "--models", "nobody:one,a/two"],
        ["council", "--models", ",".join(map(str, range(27)))],
        ["consensus", "--generator", "a/one", "--refiner", "a/one", "--validator", "b/two"],
        ["consensus", "--max-rounds", "51"],
        ["fire-circle", "--models", "a/one"],
        ["fire-circle", "--models", ",".join(map(str, range(11)))],
        ["fire-circle", "--max-rounds", "1"],
        ["fire-circle-baseline", "--mode", "parallel", "--models", "a/one"],
        ["debate", "--agents", "a/one"],
        ["debate", "--mode", "loud"],
        ["debate", "--tokens", "4001"],
        ["mixture", "--layers", "6"],
        ["vote", "--samples", "65"],
        ["single", "--models", "a/one,b/two"],
        ["self-consistency", "--layers", "2"],
        ["majority", "--samples", "2"],
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: list[str]) -> None:
    """Wrong usage ends with 2, says why, and leaves standard output empty."""
    done = invoke(*arguments)
    assert (errors.USAGE, "", True) == (done.exit_code, done.stdout, bool(done.stderr))


def test_figures_are_shown_from_low_to_high() -> None:
    """A range has both ends, what is certain has one, and all is below the models."""
    rows = [
        line.split() for line in shown(Planned("consensus").estimate(lambda *_: 0.001)).splitlines() if line.strip()
    ]
    (curator,) = [row for row in rows if row[0].endswith("claude-opus-4.6")]
    assert ["3", "–", "101"] == curator[1:4]
    (total,) = [row for row in rows if row[0] == "all"]
    assert ["7", "–", "301"] == total[1:4]
    assert ["$0.0070", "–", "$0.3010"] == total[-3:]


def test_further_calls_stand_below_the_table() -> None:
    """What asking once more may add has a line of its own, with the option that leaves it out."""
    text = " ".join(shown(Planned("vote", ("a/b", "c/d")).estimate(lambda *_: 0.5)).split())
    assert "0 – 2 calls on top, $0.0000 – $1.0000. --no-clarify leaves them out." in text


def test_unknown_prices_are_said_in_words() -> None:
    """An unknown price is shown as unknown and never as zero, in a row and in the total."""
    found = Planned("vote", ("a/b", "c/d")).estimate(lambda model, *_: 0.5 if model.endswith("b") else None)
    text = shown(found)
    assert ("unknown", True) == (
        next(r.split()[-1] for r in text.splitlines() if "c/d" in r),
        "at least $0.5000" in text and "1 model has no price" in text,
    )
    assert "what they cost comes on top" in text


def test_an_assumed_price_holds_where_the_list_has_none() -> None:
    """``--assume-price`` is the price of the models that the list does not have, and of no other."""
    assumed = ("--tokens", "1000", "--no-clarify", "--assume-price", "1/2", "--max-tokens", "300")
    found = told("vote", "--models", "ollama:mine", *assumed).total
    read, written = found.prompt_tokens, found.completion_tokens
    assert found.usd == Dollars(low=(read.low + 2 * written.low) / 1e6, high=(read.high + 2 * written.high) / 1e6)
    listed = ("vote", "--models", "openai/gpt-5-mini", "--tokens", "1000")
    assert told(*listed).total.usd == told(*listed, "--assume-price", "900/900").total.usd


def test_without_any_price_the_total_is_unknown() -> None:
    """Nothing known is no sum of nothing."""
    found = shown(Planned("vote", ("a/b",)).estimate(lambda *_: None))
    assert (2, False) == (sum(line.rstrip().endswith("unknown") for line in found.splitlines()), "$" in found)


def test_the_comparison_is_shown_with_its_computed_figures() -> None:
    """The line names the models and what each mode costs."""
    (line,) = [
        line
        for line in shown(Planned("fire-circle-baseline").estimate(lambda *_: 1.0), comparison()).splitlines()
        if "$0.1395" in line
    ]
    assert (True, True) == ("single $0.0315" in line, "parallel $0.0339" in line)


def test_a_models_name_does_not_steer_the_terminal() -> None:
    """A name that holds escape sequences is refused, and shown without them."""
    with pytest.raises(errors.RequestError) as refused:
        Planned("vote", ("maker/\x1b[31mone",)).estimate(lambda *_: 1.0)

    assert (True, False) == ("maker/" in str(refused.value), "\x1b" in str(refused.value))


def test_an_estimate_names_what_limits_the_calls_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The panel where workers take more, the workers where they take fewer, and every limit of a provider."""
    file = tmp_path / "providers.toml"
    file.write_text(
        '[providers.lab]\nbase_url = "http://localhost:1/v1"\nrequests_per_second = 2\nmax_concurrent = 3\n', "utf-8"
    )
    monkeypatch.setenv("PARLEY_PROVIDERS_FILE", str(file))
    asked = ("council", "--models", "lab:one,lab:two,lab:three", "--chair", "lab:one")

    limits = json.loads(invoke(*asked, "--json").stdout)["at_once"]
    assert limits == [
        "at most 3 calls at once, limited by the panel of 3",
        "limited by lab: 2 requests a second, for all workers together (parley limits)",
        "limited by lab: 3 at once in each worker (max_concurrent of the providers file)",
    ]
    shown_limits = " ".join(invoke(*asked).stdout.split())
    assert all(limit in shown_limits for limit in limits)

    monkeypatch.setenv("PARLEY_MAX_CONCURRENT_CALLS", "2")
    monkeypatch.setenv("PARLEY_WORKERS", "1")
    assert json.loads(invoke(*asked, "--json").stdout)["at_once"][0] == (
        "at most 2 calls at once, limited by 1 worker with 2 calls each (PARLEY_MAX_CONCURRENT_CALLS)"
    )
