import random
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from typing import Any

import pytest
from pydantic import ValidationError

from parley.results import parse_result
from protocols.cost_text import spending
from protocols.model_call import Spending
from report.deliberation_page import single_page
from report.study import study_page
from studies.comparison.compare import compare_scored
from studies.comparison.scoring import LabelRule
from tests.fakes import reported
from tests.fakes.council_results import lost_call
from tests.fakes.reported import collect

CONTENT = {"label": {"read": "choice", "choices": ["A", "B", "C", "D"]}, "seed": 7}
HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(1)</script>\"'&"


def study(rows: int) -> str:
    """The page of a study of so many questions in five arms."""
    seen = collect(reported.study_rows(rows), LabelRule.of(CONTENT))
    return study_page(reported.about(title="A study"), seen, compare_scored("study", seen.marks, CONTENT))


@pytest.fixture(scope="module")
def large() -> str:
    """Five hundred deliberations with transcripts of real length."""
    return study(100)


@pytest.mark.long
def test_five_hundred_deliberations_are_less_than_a_megabyte(large: str) -> None:
    """A report can be sent by mail: 500 deliberations with their transcripts stay below a million bytes."""
    assert large.count('aria-expanded="false"') == 500
    assert len(large.encode()) < 1_000_000


def test_a_study_shows_all_its_drawings(large: str) -> None:
    """Each drawing that the data allow is there, and the comparison with intervals above them."""
    for key in ("quality", "rounds-to-consensus", "falsehood", "convergence", "agreement", "places", "failures"):
        assert f'<figure id="{key}">' in large
    assert "The arms side by side" in large
    assert re.search(r"<td>0\.\d{3}</td><td>\d+</td><td>[\d,]+ of \d+</td><td>0\.\d+–[01]\.\d+</td>", large)
    assert "parley export study --what results" in large


def test_an_answer_is_shown_as_it_was_asked_for() -> None:
    """A choice has the capitals of its label, as in the export, though answers are compared without them."""
    asked = reported.row(expected="New York", verdict="FINAL ANSWER: **new york**")
    seen = collect([asked], LabelRule(read="choice", choices=("Rome", "New York")))
    page = study_page(reported.about(), seen, compare_scored("study", seen.marks, CONTENT))
    assert '<td class="text">New York</td><td>New York</td><td>yes</td>' in page


def test_models_of_one_name_from_two_makers_are_two() -> None:
    """Each has its own places and its whole name; the name of another model is shortened."""
    seen = collect([reported.row()])
    seen.places.clear()
    seen.places |= {("lab:one/large", 1): 3, ("desk:two/large", 2): 3, ("lab:one/small", 3): 3}
    page = study_page(reported.about(), seen, compare_scored("study", seen.marks, {}))
    names = re.findall(r'<th scope="row">([^<]+) \(n=3\)</th>', page)
    assert names == ["lab:one/large", "desk:two/large", "small"]


def test_halves_of_a_tenth_are_rounded_in_one_direction() -> None:
    """Agreements of 0.25, 0.35 and 0.45 are in three tenths: rounding to even would make every other tenth wider."""
    seen = collect([reported.row(1)])
    seen.agreements["council"] = [0.25, 0.35, 0.45]
    page = study_page(reported.about(), seen, compare_scored("study", seen.marks, {}))
    drawn = re.sub(r"\s+", "", page.partition('<figure id="agreement">')[2].partition("</figure>")[0])
    cells = re.findall(r"<t[hd][^>]*>(\d+)</t[hd]>", drawn)
    assert ["3", "4", "5", "1", "1", "1"] == cells


def test_a_consensus_that_has_ended_is_still_in_the_mean_of_its_curve() -> None:
    """Each round shows how many deliberations its mean is of; those that agreed before stay in it at 1."""
    agreed = {"generator": "NO", "refiner": "NO", "validator": "NO"}
    divided = {"round": 1, "opinions": agreed | {"generator": "YES"}}
    long = {**reported.consensus(random.Random(1), 40), "rounds": [divided, {"round": 2, "opinions": agreed}]}
    short = {**long, "rounds": [{"round": 1, "opinions": agreed}]}
    rows = [reported.row(n, arm="consensus", result=one) for n, one in enumerate((long, short, short))]
    seen = collect(rows)
    page = study_page(reported.about(), seen, compare_scored("study", seen.marks, {}))
    drawn = unescape(page.partition('<figure id="convergence">')[2].partition("</figure>")[0])
    assert ["3", "3"] == re.findall(r">(\d+)</text>", drawn.partition("n =")[2])
    assert "one that ended with all stays at 1. " in drawn
    assert "n is how many are in the mean." in drawn


def test_a_mean_of_circles_comes_with_who_has_left_it() -> None:
    """No falsehood changes here from round to round, and the mean of the last round is that of the other circles."""
    results = [reported.circle(random.Random(n), 40) for n in range(6)]
    for number, result in enumerate(results):
        low = number < 2
        for past in result["dialogue_history"]:
            for one in past["evaluations"]:
                one["assessment"]["falsehood"] = 0.1 if low else 0.9
        del result["dialogue_history"][2 if low else 3 :]
    seen = collect([reported.row(n, arm="circle", expected=None, result=one) for n, one in enumerate(results)])
    page = study_page(reported.about(), seen, compare_scored("study", seen.marks, {}))
    drawn = unescape(page.partition('<figure id="falsehood">')[2].partition("</figure>")[0])
    counts = list(map(int, re.findall(r">(\d+)</text>", drawn.partition("n =")[2])))
    assert counts == [6, 6, 4]
    assert "Circles that converge early are not in later means, which may move where no circle does." in drawn


def test_the_file_runs_nothing_but_its_own_script(large: str) -> None:
    """The policy allows by hash exactly the one style and the one script that are in the file, and nothing else."""
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', large)
    (style,) = re.findall(r"<style>(.*?)</style>", large, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", large, re.DOTALL)
    hashes = [b64encode(sha256(text.encode()).digest()).decode() for text in (script, style)]
    wanted = f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'"
    assert list(map(unescape, policy)) == [f"{wanted}; base-uri 'none'; form-action 'none'"]


def test_the_file_requests_no_network_for_anything(large: str) -> None:
    """Nothing in it has an address, a style or a handler of its own; links lead to places in the file."""
    assert not re.search(r"<[^>]*\s(src|style|on[a-z]+)=", large)
    assert set(re.findall(r"\shref=\"(.)", large)) == {"#"}
    assert "innerHTML" not in large
    assert "://" not in re.sub(r"<script.*?</script>", "", large, flags=re.DOTALL)


@pytest.mark.parametrize("field", ["question", "verdict", "title", "stop_reason", "arm", "row_id", "expected"])
def test_what_was_written_by_others_is_text(field: str) -> None:
    """No text of a dataset or a model becomes markup, wherever it is."""
    row = reported.row(1, **{field: HOSTILE})
    seen = collect([row])
    whole = study_page(reported.about(title=HOSTILE), seen, compare_scored("study", seen.marks, {})) + single_page(row)
    assert "<img" not in whole
    assert "<script>alert" not in whole


@pytest.mark.parametrize("make", [reported.council, reported.consensus, reported.circle, reported.debate])
def test_what_a_result_holds_is_text(make: Any) -> None:
    """The same of everything in a result: each text is replaced by a hostile one where the result stays readable."""
    result = make(random.Random(1), 40)
    spoilt = sum(_spoil(result, result, key) for key in tuple(result))
    whole = single_page(reported.row(1, result=result))
    assert spoilt > 10
    assert "&lt;script&gt;" in whole
    assert "<img" not in whole
    assert "<script>" not in whole


def _spoil(result: dict[str, Any], parent: Any, key: Any) -> int:
    """Replace each text below ``parent[key]`` that may be any text, and return how many were."""
    value = parent[key]
    if isinstance(value, dict | list):
        return sum(
            _spoil(result, value, one) for one in (tuple(value) if isinstance(value, dict) else range(len(value)))
        )
    if not isinstance(value, str):
        return 0
    parent[key] = f"{value}{HOSTILE}"
    try:
        parse_result(result)
    except ValidationError:
        parent[key] = value
        return 0
    return 1


_DECISION = {"decision": "Close it now.", "model": "lab:m", "written_by": "judge"}


def test_the_verdict_of_a_debate_begins_with_the_judges_decision() -> None:
    """Under "Verdict" the decision is before the synthesis, each under its heading; without one there is none."""
    result = {**reported.debate(random.Random(1), 40), "decision": _DECISION}
    page = single_page(reported.row(1, result=result, verdict="In short, close it."))
    top = page.partition("<h2>Verdict</h2>")[2].partition("<h2>")[0]
    assert top.index("Close it now.") < top.index("<h3>Synthesis</h3>") < top.index("In short, close it.")
    assert "<h3>Synthesis</h3>" not in single_page(reported.row())


def test_a_rehearsal_states_so_on_top() -> None:
    """A banner is before the first heading, and says how many of them when not all were rehearsed."""
    page = single_page(reported.row(rehearsal=True))
    assert page.index("REHEARSAL.") < page.index("<h1>")
    seen = collect([reported.row(1, rehearsal=True), reported.row(2)])
    assert "REHEARSAL (1 of 2 deliberations)." in study_page(
        reported.about(), seen, compare_scored("study", seen.marks, {})
    )
    assert "REHEARSAL" not in single_page(reported.row())


@pytest.mark.parametrize("rehearsal", [True, False])
def test_a_cost_that_is_not_known_is_said_in_the_words_of_the_screen(*, rehearsal: bool) -> None:
    """Where no part of the cost is known, report and screen say that the cost is unknown."""
    page = single_page(reported.row(cost_usd=None, cost_source="unknown", rehearsal=rehearsal))
    assert spending(Spending(calls=1, calls_of_unknown_cost=1), rehearsal=rehearsal).endswith(", cost unknown")
    assert re.search(r"<dt>Cost</dt><dd>[^<]* · cost unknown</dd>", page)
    seen = collect([reported.row(1, cost_usd=None)])
    assert "cost unknown" in study_page(reported.about(), seen, compare_scored("study", seen.marks, {}))


@pytest.mark.parametrize(("tokens", "said"), [(0, "tokens unknown"), (900, "at least 900 tokens")])
def test_tokens_that_are_not_counted_are_not_none(tokens: int, said: str) -> None:
    """Of a deliberation and of a study, what is known of them is the least."""
    row = reported.row(prompt_tokens=tokens, completion_tokens=0, calls_of_unknown_tokens=1)
    seen = collect([row])
    assert f" · {said} · " in single_page(row)
    assert f"<dd>{said} · " in study_page(reported.about(), seen, compare_scored("study", seen.marks, {}))


def test_a_cost_of_which_a_part_is_not_known_is_no_total() -> None:
    """Facts and methods count the calls of unknown cost, and the deliberation's cost is a lower bound."""
    seen = collect([reported.row(1, cost_usd=0.5, calls_of_unknown_cost=1), reported.row(2, cost_usd=0.5)])
    page = study_page(reported.about(), seen, compare_scored("study", seen.marks, {}))
    assert 2 == page.count("$1.00 and the unknown cost of 1 call")
    assert (1, 1) == (page.count(">≥ $0.5<"), page.count(">$0.5<"))


def test_requests_that_may_be_billed_beside_a_cost_are_named() -> None:
    """In the facts and the methods of a study behind its cost, for its arm below the tables, and in a deliberation."""
    row = reported.row(1, cost_usd=0.5, unanswered_requests=3)
    seen, said = collect([row]), "up to 3 requests without an answer may be billed too"
    page = study_page(reported.about(), seen, compare_scored("study", seen.marks, {}))
    assert (2, 1) == (page.count(f"$0.5; {said}"), page.count(f"Cost of council: {said}."))
    assert said in single_page(row)


def test_a_study_without_labels_and_results_is_shown_all_the_same() -> None:
    """Without results there are no drawings of rounds, without labels no accuracy; table and failures stay."""
    seen = collect([reported.row(n, result=None) for n in range(3)])
    page = study_page(reported.about(), seen, compare_scored("study", seen.marks, {}))
    assert '<figure id="failures">' in page
    assert '<figure id="quality">' not in page
    assert "expected" not in page.partition('<table id="deliberations">')[2].partition("</thead>")[0]


def test_a_large_study_lists_its_first_deliberations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table has an end; what is not in it is counted, and the note says where it is."""
    monkeypatch.setattr("report.collect.MOST_LISTED", 5)
    monkeypatch.setattr("report.table.MOST_LISTED", 5)
    page = study(2)
    assert page.count('aria-expanded="false"') == 5
    assert "The first 5 of 10 deliberations are listed; all of them: parley export study --what results" in page


def test_a_branch_stands_beside_what_it_left() -> None:
    """Both are drawn under different ids, with what they share and what changed."""
    draws = random.Random(2)
    told = {"of": "old", "through_round": 1, "seats": {"refiner": "ollama:other"}}
    new = reported.row(1, result={**reported.consensus(draws, 40), "branch": told})
    page = single_page(new, reported.row(2, deliberation_id="old", result=reported.consensus(draws, 40)))
    assert "Shared with old through round 1; from then on: refiner is ollama:other." in page
    assert 'id="old-rounds"' in page
    assert 'id="new-rounds"' in page
    assert "old is not in this ledger" in single_page(new)


def test_ids_are_unique(large: str) -> None:
    """No two elements of a page share an id, so every description belongs to its drawing."""
    found = re.findall(r'\sid="([^"]*)"', large)
    assert len(found) == len(set(found))


def test_a_lost_call_is_named_once() -> None:
    """A lost call is not listed as a flaw once more; a repeated question of the same turn still is."""
    where = {"stage": "opinion", "round": 1, "participant": "p2"}
    call = lost_call(**where, model="lab:two", kind="refused", message="declined in words").model_dump(mode="json")
    flaws = [
        {**where, "kind": "refused", "note": "refused: declined in words"},
        {**where, "kind": "asked_again", "note": "twice the length"},
        {**where, "participant": "p3", "kind": "refused", "note": "refused: by another"},
    ]
    result = {**reported.council(random.Random(1), 40), "failed": [call], "degraded": {"flaws": flaws}}
    page = single_page(reported.row(1, result=result))
    assert (1, 1, 1) == tuple(page.count(words) for words in ("declined in words", "twice the length", "by another"))


def test_a_cost_without_a_source_names_none() -> None:
    """Of a refused call it is known that it cost nothing, and of the others nothing is known."""
    page = single_page(reported.row(cost_usd=0.0, cost_source="unknown", calls_of_unknown_cost=5))
    assert "$0 (of 5 calls it is not known)" in page
    assert "by unknown" not in page
