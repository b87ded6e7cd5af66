"""What a turn owes beyond its format: P2, P3, stances and objection rounds (seed 003, section 2, decisions 1 and 3)."""

from typing import Any

import pytest

from protocols.debate.model.history import RoundKind
from protocols.debate.model.turn import ParsedClaim
from protocols.debate.modes import MODES
from protocols.debate.rules.turn_checks import find_violations, unverified
from tests.protocols.debate.parts import claim, debate, reading, seat

CONTENTIOUS = ("adversarial", "red-team-blue-team")
OPPOSING = claim("Shops lose trade", "FACT", opposes=["C1"])


def breaks(
    *made: ParsedClaim,
    mode: str = "collaborative",
    number: int = 1,
    kind: RoundKind = "ordinary",
    can_oppose: bool = True,
    **fields: Any,
) -> list[str]:
    """The kinds of rules that such a turn breaks."""
    said = reading(*made, **fields)
    return [one.kind for one in find_violations(debate(mode), seat(number), said, kind, can_oppose=can_oppose)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["ordinary", "objection"])
def test_a_sound_turn_breaks_nothing(mode: str, kind: RoundKind) -> None:
    """In no mode, and in no kind of round."""
    assert breaks(mode=mode, kind=kind) == []


class TestUniqueContribution:
    """P2: before agreeing with consensus, a concern and an alternative."""

    @pytest.mark.parametrize("concerns", [(), ("",), ("None.",), ("-", "N/A")])
    def test_accept_owes_a_concern(self, concerns: tuple[str, ...]) -> None:
        """What only fills the field is none."""
        assert breaks(concerns=concerns) == ["agreement_without_concern"]

    @pytest.mark.parametrize("alternatives", [(), ({"text": "None"},)])
    def test_accept_owes_an_alternative(self, alternatives: tuple[dict[str, str], ...]) -> None:
        """Even an inferior one."""
        assert breaks(alternatives=alternatives) == ["agreement_without_alternative"]

    @pytest.mark.parametrize("vote", ["MINOR", None])
    def test_whoever_does_not_accept_owes_neither(self, vote: str | None) -> None:
        """The rule is for those that agree."""
        assert breaks(vote=vote, concerns=(), alternatives=()) == []

    def test_a_word_that_states_something_is_a_concern(self) -> None:
        """Short is not empty."""
        assert breaks(concerns=("Cost",)) == []


class TestSteelmanFirst:
    """P2: restate the proposal's strongest rationale before critiquing."""

    @pytest.mark.parametrize(
        ("made", "fields"),
        [((OPPOSING,), {}), ((), {"challenges": ("C1",)}), ((OPPOSING,), {"vote": "BLOCKER", "challenges": ("C1",)})],
    )
    def test_dissent_owes_the_other_side_at_its_strongest(
        self, made: tuple[ParsedClaim, ...], fields: dict[str, Any]
    ) -> None:
        """A turn that opposes, challenges or blocks without it breaks the rule, and with it does not."""
        assert breaks(*made, **fields, steelman=" ") == ["no_steelman"]
        assert breaks(*made, **fields) == []

    def test_a_blocker_owes_it_though_it_names_no_claim(self) -> None:
        """A turn that blocks is against the proposal itself."""
        fact = claim("Shops lose trade", "FACT")
        assert breaks(fact, vote="BLOCKER", can_oppose=False, steelman="") == ["no_steelman"]

    def test_without_dissent_nothing_is_owed(self) -> None:
        """A turn that opposes nothing needs no fair summary."""
        assert breaks(steelman="") == []


class TestEvidenceTetheredDissent:
    """P2: disagreements must cite [FACT] conflicts or [INFER] gaps."""

    @pytest.mark.parametrize("label", ["FACT", "INFER"])
    def test_a_claim_that_opposes_tethers_a_blocker(self, label: str) -> None:
        """A conflicting fact, or an inference that shows the gap."""
        assert breaks(claim("Shops lose trade", label, opposes=["C1"]), vote="BLOCKER") == []

    @pytest.mark.parametrize("label", ["FACT", "INFER"])
    def test_a_challenge_beside_such_a_claim_does_too(self, label: str) -> None:
        """The claim need not name what it is against."""
        assert breaks(claim("Shops lose trade", label), vote="BLOCKER", challenges=["C1"]) == []

    @pytest.mark.parametrize(
        ("made", "challenges"),
        [
            ((), ()),
            ((), ("C1",)),
            ((claim("Shops lose trade", "FACT"),), ()),
            ((claim("People dislike it", "ASSUME", opposes=["C1"]),), ("C1",)),
            ((claim("Do they", "OPEN", opposes=["C1"]),), ()),
        ],
    )
    def test_a_blocker_without_is_untethered(self, made: tuple[ParsedClaim, ...], challenges: tuple[str, ...]) -> None:
        """Neither an assumption, nor a question, nor a bare challenge blocks anything."""
        assert breaks(*made, vote="BLOCKER", challenges=challenges) == ["dissent_untethered"]

    def test_where_there_is_no_claim_yet_its_own_is_enough(self) -> None:
        """In the first turns nothing can be named: then a FACT or INFER is cited all the same."""
        assert breaks(claim("Shops lose trade"), vote="BLOCKER", can_oppose=False) == []
        assert breaks(claim("People dislike it", "ASSUME"), vote="BLOCKER", can_oppose=False) == ["dissent_untethered"]

    def test_only_a_blocker_has_to(self) -> None:
        """MINOR edits need no proof."""
        assert breaks(vote="MINOR", challenges=["C1"]) == []


class TestMitigations:
    """P3: for each vulnerability, at least one mitigation."""

    @pytest.mark.parametrize("mode", CONTENTIOUS)
    @pytest.mark.parametrize("mitigation", ["", " - ", "none", "TBD"])
    def test_every_risk_owes_one(self, mode: str, mitigation: str) -> None:
        """Each risk without is a violation that names it."""
        risks = ({"text": "Detours", "mitigation": mitigation}, {"text": "Noise", "mitigation": "quiet asphalt"})
        found = find_violations(debate(mode), seat(1), reading(risks=risks), "ordinary")
        assert [("risk_unmitigated", "Detours")] == [(one.kind, one.detail) for one in found]

    @pytest.mark.parametrize("mode", [mode for mode in MODES if mode not in CONTENTIOUS])
    def test_elsewhere_nobody_is_held_to_it(self, mode: str) -> None:
        """P3 is for the contentious modes."""
        assert breaks(mode=mode, risks=({"text": "Detours"},)) == []

    @pytest.mark.parametrize("number", [1, 2])
    def test_a_category_is_enough(self, number: int) -> None:
        """The red team names a category; it looks like a short mitigation, so it is enough for blue too."""
        assert (
            breaks(mode="red-team-blue-team", number=number, risks=({"text": "Spoofing", "mitigation": "signing"},))
            == []
        )


class TestStances:
    """Decision 1: a stance means something in devil's advocate alone."""

    @pytest.mark.parametrize(("number", "dealt"), [(1, "YES"), (2, "NO"), (3, "NEUTRAL")])
    @pytest.mark.parametrize("said", ["YES", "NO", "NEUTRAL"])
    def test_whoever_leaves_the_stance_dealt_breaks_the_rule(self, number: int, dealt: str, said: str) -> None:
        """And who keeps it does not; the detail names both."""
        found = find_violations(debate("devils-advocate"), seat(number), reading(stance=said), "ordinary")
        expected = [] if said == dealt else [("stance_changed", f"assigned {dealt}, said {said}")]
        assert expected == [(one.kind, one.detail) for one in found]

    def test_no_stance_is_no_change(self) -> None:
        """A turn that does not repeat its stance has not left it."""
        assert breaks(mode="devils-advocate") == []

    @pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "devils-advocate"])
    def test_elsewhere_no_stance_is_dealt(self, mode: str) -> None:
        """The field means nothing there."""
        assert breaks(mode=mode, stance="NO") == []


class TestObjectionRound:
    """Decision 3: agents must provide counterarguments and alternatives."""

    def test_it_requests_for_a_counterargument(self) -> None:
        """Neither a concern, nor a challenge, nor a claim that opposes."""
        assert breaks(kind="objection", vote="MINOR", concerns=()) == ["no_counterargument"]

    @pytest.mark.parametrize(
        ("made", "fields"), [((), {"concerns": ("Deliveries",)}), ((), {"challenges": ("C1",)}), ((OPPOSING,), {})]
    )
    def test_any_of_the_three_is_one(self, made: tuple[ParsedClaim, ...], fields: dict[str, Any]) -> None:
        """A concern, a challenge, or a claim that opposes."""
        assert breaks(*made, kind="objection", vote="MINOR", **{"concerns": (), **fields}) == []

    def test_it_requests_for_an_alternative(self) -> None:
        """Whatever the vote; who accepts breaks P2 besides."""
        assert breaks(kind="objection", vote="MINOR", alternatives=()) == ["no_alternative"]
        both = ["agreement_without_alternative", "no_alternative"]
        assert both == breaks(kind="objection", alternatives=())

    def test_an_ordinary_round_requests_for_neither(self) -> None:
        """Only the intervention does."""
        assert breaks(vote="MINOR", concerns=(), alternatives=()) == []


ALTERNATIVES = [{"text": text, "rejected_because": "dearer"} for text in ("A toll", "A ring road")]
RISKS = [{"text": text, "mitigation": "signs"} for text in ("Detours", "Lost trade", "Late deliveries")]


class TestChecklist:
    """P4, questions 3 to 5: alternatives with reasons, risks with mitigations, uncertainty."""

    @staticmethod
    def unanswered(turn_format: str = "full", **fields: Any) -> dict[str, str]:
        """The questions that such a turn leaves without an answer."""
        given = {"alternatives": ALTERNATIVES, "risks": RISKS, "uncertainty": "Whether shops lose.", **fields}
        found = unverified(debate(turn_format=turn_format), reading(**given))
        return {one.kind: one.detail for one in found}

    def test_point_33_a_whole_turn_leaves_none(self) -> None:
        """Two alternatives, three risks and a word on what is uncertain are enough."""
        assert {} == self.unanswered()

    @pytest.mark.parametrize(
        ("alternatives", "counted"),
        [
            ((), 0),
            (ALTERNATIVES[:1], 1),
            ([*ALTERNATIVES[:1], {"text": "A ring road"}], 1),
            ([*ALTERNATIVES[:1], {"text": "None", "rejected_because": "n/a"}], 1),
        ],
    )
    def test_point_33_alternatives_are_counted_with_their_reasons(self, alternatives: Any, counted: int) -> None:
        """A mitigation without a reason, or without content, is none."""
        assert {"few_alternatives": f"{counted} of 2 with a reason"} == self.unanswered(alternatives=alternatives)

    @pytest.mark.parametrize(
        ("risks", "counted"), [((), 0), (RISKS[:2], 2), ([*RISKS[:2], {"text": "Noise", "mitigation": "-"}], 2)]
    )
    def test_point_33_risks_are_counted_with_their_mitigations(self, risks: Any, counted: int) -> None:
        """In every mode; a risk that nothing lessens is not answered."""
        assert {"few_risks": f"{counted} of 3 with a mitigation"} == self.unanswered(risks=risks)

    @pytest.mark.parametrize("uncertainty", ["", "None.", " - ", "N/A"])
    def test_point_33_uncertainty_is_named(self, uncertainty: str) -> None:
        """What only fills the field names none."""
        assert ["no_uncertainty"] == [*self.unanswered(uncertainty=uncertainty)]

    def test_of_a_short_turn_nothing_is_asked_and_nothing_held_against_it(self) -> None:
        """Its format has no field for it."""
        assert {} == self.unanswered("lite", alternatives=(), risks=(), uncertainty="")
        bare = reading(vote="ACCEPT", concerns=(), alternatives=(), steelman="", challenges=("C1",))
        assert () == find_violations(debate(turn_format="lite"), seat(1), bare, "objection")

    def test_a_short_turn_keeps_to_its_stance(self) -> None:
        """The stance is part of the short form."""
        inp = debate("devils-advocate", turn_format="lite")
        assert ["stance_changed"] == [
            one.kind for one in find_violations(inp, seat(1), reading(stance="NO"), "ordinary")
        ]
