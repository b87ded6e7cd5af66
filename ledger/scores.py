"""What a deliberation measured, for the ledger's line: numbers by name, and who voted how.

They are taken from the protocol's own result, which is JSON by then: the table says which figure of which protocol
stands where. A result of another version may lack one; what is not there, or is not a finite number, is left out.

========================  =============================================  =========================================
protocol                  scores                                         votes
========================  =============================================  =========================================
council                   ``kendall_w``, ``average_position.<seat>`` …   by seat: place, votes …; ``answer``
consensus                 ``rounds``, ``accepts`` of the last round …    by speaker: NO (accepts), YES or null
fire_circle               ``falsehood`` (the highest), ``mean`` …        by seat: its last falsehood
evaluate                  ``falsehood`` (the mean), ``highest`` …        by seat: its falsehood
debate                    ``mean_confidence``, ``accepting_share`` …     by seat: ACCEPT, MINOR or BLOCKER
self_consistency,         ``winner_share``, ``cast``, ``abstained`` …    ``answer``, and ``counts`` by answer
majority, mixture
========================  =============================================  =========================================

What protocols measure of their own agreement has a name for each measure: two that are not the same never share one.
"""

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import NamedTuple

from pydantic import JsonValue

from ledger.tables import storable

Figures = Mapping[str, str | Callable[[JsonValue], JsonValue]]
"""By name, where a figure stands (``tally.agreement``; ``-1`` is the last of a list), or how it is made."""


class Findings(NamedTuple):
    """Two columns of the ledger's line."""

    scores: dict[str, float]
    votes: dict[str, JsonValue]


def findings(protocol: str, result: JsonValue) -> Findings:
    """What ``result`` of ``protocol`` measured; nothing where the protocol is not known."""
    reading = _READINGS.get(protocol)
    if reading is None:
        return Findings({}, {})
    figures = {name: _figure(result, where) for name, where in reading.figures.items()}
    numbered = {**figures, **reading.more(result)}
    scores = {
        storable(name): float(value)
        for name, value in numbered.items()
        if isinstance(value, int | float) and isfinite(value)
    }
    return Findings(scores, _kept(reading.votes(result)))


def _figure(result: JsonValue, where: str | Callable[[JsonValue], JsonValue]) -> JsonValue:
    return _at(result, where) if isinstance(where, str) else where(result)


def _at(value: JsonValue, path: str) -> JsonValue:
    """What stands at ``path``, or ``None``."""
    for step in path.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and value and step == "-1":
            value = value[-1]
        else:
            return None
    return value


def _each(value: JsonValue, path: str) -> Iterator[dict[str, JsonValue]]:
    """The objects of the list at ``path``."""
    found = _at(value, path)
    return (one for one in found if isinstance(one, dict)) if isinstance(found, list) else iter(())


def _count(path: str) -> Callable[[JsonValue], JsonValue]:
    """How long the list at the path is; ``None`` when there is none."""

    def counted(result: JsonValue) -> JsonValue:
        found = _at(result, path)
        return len(found) if isinstance(found, list) else None

    return counted


def _kept(votes: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """``votes`` as a database can keep them, whatever a model named its answer."""
    return {storable(name): _kept_value(value) for name, value in votes.items()}


def _kept_value(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return dict(_kept(value))
    return storable(value) if isinstance(value, str) else value


def _seat(one: dict[str, JsonValue], name: str = "participant") -> str:
    return str(one.get(name, ""))


def _positions(result: JsonValue) -> dict[str, JsonValue]:
    standings = _each(result, "tally.standings")
    return {f"average_position.{_seat(one, 'author')}": one.get("average_position") for one in standings}


def _places(result: JsonValue) -> dict[str, JsonValue]:
    told = ("model", "place", "average_position", "votes", "first_places", "borda")
    standings = _each(result, "tally.standings")
    places: dict[str, JsonValue] = {_seat(one, "author"): {name: one.get(name) for name in told} for one in standings}
    answer = _at(result, "answer")
    return places if answer is None else {**places, "answer": answer}


def _accepts(result: JsonValue) -> JsonValue:
    opinions = _at(result, "rounds.-1.opinions")
    return sum(opinion == "NO" for opinion in opinions.values()) if isinstance(opinions, dict) else None


def _opinions(result: JsonValue) -> dict[str, JsonValue]:
    opinions = _at(result, "rounds.-1.opinions")
    return opinions if isinstance(opinions, dict) else {}


def _last_falsehoods(result: JsonValue) -> dict[str, JsonValue]:
    votes: dict[str, JsonValue] = {}
    for one in _each(result, "movements"):
        told = one.get("falsehoods")
        votes[_seat(one)] = next((f for f in reversed(told) if f is not None), None) if isinstance(told, list) else None
    return votes


def _falsehoods(result: JsonValue) -> dict[str, JsonValue]:
    return {_seat(one): _at(one, "assessment.falsehood") for one in _each(result, "evaluations")}


def _stands(result: JsonValue) -> dict[str, JsonValue]:
    return {_seat(one, "agent"): one.get("vote") for one in _each(result, "state.agent_status")}


def _debated(result: JsonValue) -> dict[str, JsonValue]:
    """How everybody stands, and where the topic has a form for it the final answer, whose it is, and those by round."""
    rounds = [
        {"majority": _at(one, "majority"), "answers": answers}
        for one in _each(result, "rounds")
        if (answers := _at(one, "answers"))
    ]
    if not rounds and _at(result, "answer") is None:
        return _stands(result)
    return {
        **_stands(result),
        "answer": _at(result, "answer"),
        "answered_by": _at(result, "answered_by"),
        "rounds": [*rounds],
    }


def _cast(vote: str) -> Callable[[JsonValue], JsonValue]:
    """How many cast ``vote`` in the end; ``None`` when nobody said anything."""

    def counted(result: JsonValue) -> JsonValue:
        votes = _stands(result)
        return sum(one == vote for one in votes.values()) if votes else None

    return counted


def _answers(tally: str) -> Callable[[JsonValue], dict[str, JsonValue]]:
    """The answer that won, and how many gave each, from the count at ``tally``."""

    def told(result: JsonValue) -> dict[str, JsonValue]:
        counts = {_seat(one, "answer"): one.get("votes") for one in _each(result, f"{tally}.choices")}
        answer = _at(result, "answer")
        return {"answer": answer, "counts": counts} if counts or answer is not None else {}

    return told


def _nothing_more(_result: JsonValue) -> dict[str, JsonValue]:
    return {}


class _Reading(NamedTuple):
    """What is read of one protocol's result."""

    figures: Figures
    votes: Callable[[JsonValue], Mapping[str, JsonValue]]
    more: Callable[[JsonValue], Mapping[str, JsonValue]] = _nothing_more
    """Scores whose names are not known beforehand."""


def _counted(tally: str) -> Figures:
    """The scores of a count of answers."""
    return {
        "winner_share": f"{tally}.agreement",
        "cast": f"{tally}.cast",
        "abstained": f"{tally}.abstained",
        "tied": _count(f"{tally}.tied"),
    }


_VOTED = _Reading({"asked": "asked", **_counted("tally")}, _answers("tally"))

_READINGS: Mapping[str, _Reading] = {
    "council": _Reading(
        {
            "kendall_w": "tally.agreement",
            "ballots_counted": "tally.ballots_counted",
            "ballots_void": "tally.ballots_void",
        },
        _places,
        _positions,
    ),
    "consensus": _Reading(
        {"rounds": _count("rounds"), "accepts": _accepts, "consensus_achieved": "consensus_achieved"}, _opinions
    ),
    "fire_circle": _Reading(
        {
            "falsehood": "consensus.highest.assessment.falsehood",
            "truth": "consensus.highest.assessment.truth",
            "indeterminacy": "consensus.highest.assessment.indeterminacy",
            "mean": "consensus.mean",
            "spread": "consensus.spread",
            "dissent": _count("consensus.dissent"),
            "rounds": _count("dialogue_history"),
            "patterns": _count("patterns"),
            "empty_chair_influence": "empty_chair_influence",
        },
        _last_falsehoods,
    ),
    "evaluate": _Reading(
        {name: name for name in ("falsehood", "truth", "indeterminacy", "highest", "spread")}, _falsehoods
    ),
    "debate": _Reading(
        {
            "mean_confidence": "rounds.-1.measures.mean_confidence",
            "accepting_share": "rounds.-1.measures.agreement",
            "vote_spread": "rounds.-1.measures.spread",
            "rounds": _count("rounds"),
            "claims": _count("state.claims"),
            "consensus_reached": "consensus_reached",
            "is_flagged": "is_flagged",
            "accepts": _cast("ACCEPT"),
            "minors": _cast("MINOR"),
            "blockers": _cast("BLOCKER"),
        },
        _debated,
    ),
    "self_consistency": _VOTED,
    "majority": _VOTED,
    "mixture": _Reading({"layers": _count("layers"), **_counted("layers.-1.tally")}, _answers("layers.-1.tally")),
}
"""By protocol, as its result names itself."""
