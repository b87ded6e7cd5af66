"""The table of modes, cell by cell (seed 003, sections 1, 3.6 and 9.2)."""

from typing import get_args

import pytest

from protocols.debate.model.io import ModeName
from protocols.debate.model.turn import Stance
from protocols.debate.modes import MODES, PACK, Anchor, Mode, Order, Part
from protocols.debate.prompts.call_context import DebateView, RoundContext
from protocols.debate.prompts.system_prompt import system
from tests.protocols.debate.parts import course, debate, names_of

NAMES: tuple[ModeName, ...] = (
    "collaborative",
    "adversarial",
    "socratic",
    "expert-panel",
    "devils-advocate",
    "delphi",
    "red-team-blue-team",
)
ONE_ROLE = tuple(name for name in NAMES if name not in {"devils-advocate", "red-team-blue-team"})
PARTS = [
    pytest.param(mode, part, id=f"{mode.name}-{number}")
    for mode in MODES.values()
    for number, part in enumerate(mode.parts, 1)
]


def rendered(name: ModeName) -> str:
    """The system message of the first debater in round 1."""
    inp = debate(name, prompts=PACK)
    return system(DebateView(inp, course(), names_of(inp), "5eed"), inp.seats[0], RoundContext(1))


class TestImplementationByMode:
    """Section 1, "Current Implementation by Mode"."""

    def test_the_table_has_the_seven_rows_in_the_order_of_the_seed(self) -> None:
        """There is a row for each mode that may be asked for, under its own name, and no other."""
        assert NAMES == tuple(MODES) == get_args(ModeName)
        assert NAMES == tuple(mode.name for mode in MODES.values())

    @pytest.mark.parametrize(
        ("name", "roles"),
        [
            ("collaborative", ("Synthesizer",)),
            ("adversarial", ("Challenger",)),
            ("socratic", ("Questioner",)),
            ("expert-panel", ("Domain Expert",)),
            ("devils-advocate", ("Role-assigned (YES)", "Role-assigned (NO)", "Role-assigned (NEUTRAL)")),
            ("delphi", ("Anonymous Expert",)),
            ("red-team-blue-team", ("RED (Attacker)", "BLUE (Defender)")),
        ],
    )
    def test_l1_role(self, name: ModeName, roles: tuple[str, ...]) -> None:
        """The cell "L1 Role": a mode has the roles of the table, in their order."""
        assert roles == tuple(part.role for part in MODES[name].parts)

    @pytest.mark.parametrize(
        ("name", "word"),
        [
            ("collaborative", "YOU ARE a Synthesizer"),
            ("adversarial", "YOU ARE a Challenger"),
            ("socratic", "YOU ARE a Questioner"),
            ("expert-panel", "YOU ARE a Domain Expert"),
            ("devils-advocate", "YOU ARE the advocate of YES"),
            ("delphi", "YOU ARE an Anonymous Expert"),
            ("red-team-blue-team", "YOU ARE on the RED team, the Attacker"),
        ],
    )
    def test_l1_role_opens_the_prompt(self, name: ModeName, word: str) -> None:
        """The cell "L1 Role" as it is asked: the first debater's first layer says the role."""
        assert word in rendered(name).split("LAYER 2")[0]

    @pytest.mark.parametrize(
        ("name", "constraint"),
        [
            ("collaborative", "Find agreement > Highlight differences"),
            ("adversarial", "Find flaws > Find agreement"),
            ("socratic", "Ask questions > Provide answers"),
            ("expert-panel", "Accuracy > Agreeableness"),
            ("devils-advocate", "Maintain assigned stance"),
            ("delphi", "Honest assessment > Social conformity"),
        ],
    )
    def test_l2_key_constraint(self, name: ModeName, constraint: str) -> None:
        """The cell "L2 Key Constraint": it is the first priority of every part, in the prompt too."""
        assert {constraint} == {part.priorities[0] for part in MODES[name].parts}
        assert f"PRIORITY HIERARCHY:\n1. {constraint}\n2. " in rendered(name)

    def test_l2_key_constraint_of_the_teams(self) -> None:
        """The cell "L2 Key Constraint" of red and blue: the two teams have constraints of their own."""
        first = tuple(part.priorities[0] for part in MODES["red-team-blue-team"].parts)
        assert ("Expose vulnerabilities > Defend the proposal", "Mitigate vulnerabilities > Deny them") == first

    @pytest.mark.parametrize(
        ("name", "sections"),
        [
            ("collaborative", ("Points of Agreement", "Building", "Synthesis")),
            ("adversarial", ("Steel-man", "Weaknesses", "Counter-arguments")),
            ("socratic", ("Questioning", "Examining", "Exploring")),
            ("expert-panel", ("Assessment", "Evidence", "Consensus/Divergence")),
            ("delphi", ("Position", "Confidence", "Response to Group")),
        ],
    )
    def test_l3_structure(self, name: ModeName, sections: tuple[str, ...]) -> None:
        """The cell "L3 Structure": the headers are those of the table, in the first round and in all others."""
        (part,) = MODES[name].parts
        assert sections == tuple(section.name for section in part.first)
        assert sections == tuple(section.name for section in part.later)

    @pytest.mark.parametrize("name", ["devils-advocate", "red-team-blue-team"])
    def test_l3_structure_by_role(self, name: ModeName) -> None:
        """The cell "L3 Structure" of the modes with several roles: no two roles have the same headers."""
        parts = MODES[name].parts
        assert len(parts) == len({tuple(section.name for section in part.first) for part in parts})
        assert len(parts) == len({tuple(section.name for section in part.later) for part in parts})

    @pytest.mark.parametrize(
        ("name", "questions"),
        [
            ("collaborative", ("Built on others?", "Synthesis opportunities?")),
            ("adversarial", ("Steel-manned?", "Strongest counter-argument?")),
            ("socratic", ("Opened inquiry?", "Avoided premature closure?")),
            ("expert-panel", ("Domain expertise applied?", "Evidence-based?")),
            ("devils-advocate", ("Maintained stance?", "Challenged consensus?")),
            ("delphi", ("Independent assessment?", "Avoided anchoring?")),
            ("red-team-blue-team", ("Threat coverage?", "Mitigations provided?")),
        ],
    )
    def test_l4_checks(self, name: ModeName, questions: tuple[str, str]) -> None:
        """The cell "L4 Checks", as decision 6 settled it: the mode's two questions are the eighth and the ninth."""
        assert questions == MODES[name].questions
        assert f"[] 8. {questions[0]}\n[] 9. {questions[1]}\n" in rendered(name)


class TestWhatAPartHolds:
    """Section 1, the four layers."""

    @pytest.mark.parametrize(("mode", "part"), PARTS)
    def test_first_and_later_rounds_differ_under_every_header_they_share(self, mode: Mode, part: Part) -> None:
        """A header's text in the first round differs from its text later."""
        assert not {section.about for section in part.first} & {section.about for section in part.later}

    @pytest.mark.parametrize(("mode", "part"), PARTS)
    def test_what_must_be_done_is_not_forbidden(self, mode: Mode, part: Part) -> None:
        """A part has at least two duties, two prohibitions and two priorities, and none is twice."""
        points = (*part.must, *part.must_not, *part.priorities)
        assert len(points) == len(set(points))
        assert min(len(part.must), len(part.must_not), len(part.priorities)) >= 2

    @pytest.mark.parametrize(("mode", "part"), PARTS)
    def test_no_wording_holds_a_slot(self, mode: Mode, part: Part) -> None:
        """The wording of a row is plain text: nothing in it waits to be filled."""
        assert "{{" not in part.model_dump_json()

    def test_no_two_parts_share_a_mission(self) -> None:
        """Every part has a mission and a failure mode of its own."""
        parts = [part for mode in MODES.values() for part in mode.parts]
        assert len(parts) == len({part.mission for part in parts}) == len({part.failure for part in parts})


class TestOrder:
    """Section 3.6, "Parallel vs Sequential Execution"."""

    @pytest.mark.parametrize(
        ("name", "order"),
        [
            ("collaborative", "parallel"),
            ("expert-panel", "parallel"),
            ("delphi", "parallel"),
            ("adversarial", "sequential"),
            ("socratic", "sequential"),
            ("devils-advocate", "sequential"),
            ("red-team-blue-team", "team"),
        ],
    )
    def test_who_speaks_when(self, name: ModeName, order: Order) -> None:
        """A mode is parallel or sequential as section 3.6 says, and red and blue take turns as teams."""
        assert order == MODES[name].order

    def test_delphi_alone_is_anonymous(self) -> None:
        """Peers are shown under labels in delphi and nowhere else."""
        assert ["delphi"] == [mode.name for mode in MODES.values() if mode.is_anonymous]


class TestSafety:
    """Section 2, P3, and decision 2."""

    def test_p3_stands_in_adversarial_and_red_team(self) -> None:
        """The safety constraints belong to the modes that P3 names."""
        assert ["adversarial", "red-team-blue-team"] == [mode.name for mode in MODES.values() if mode.is_constrained]

    def test_tier_2_mode_triggers(self) -> None:
        """Adversarial, devil's advocate and red team call the evaluator by themselves (decision 2, tier 2)."""
        sensitive = [mode.name for mode in MODES.values() if mode.is_sensitive]
        assert ["adversarial", "devils-advocate", "red-team-blue-team"] == sensitive


class TestDealing:
    """Parts, teams, stances and anchors follow from the place in the panel."""

    def test_stances_are_dealt_yes_no_neutral(self) -> None:
        """In devil's advocate the stances go round in their order."""
        dealt = tuple(MODES["devils-advocate"].part(place).stance for place in range(5))
        assert ("YES", "NO", "NEUTRAL", "YES", "NO") == dealt

    def test_a_stance_exists_in_devils_advocate_alone(self) -> None:
        """No other mode deals a stance (decision 1), and there every stance has its part."""
        dealt = {part.stance for part in MODES["devils-advocate"].parts}
        assert set(get_args(Stance)) == dealt
        assert {None} == {part.stance for name in NAMES if name != "devils-advocate" for part in MODES[name].parts}

    def test_teams_are_dealt_by_parity(self) -> None:
        """The first debater is red, the second blue, and so on."""
        dealt = tuple(MODES["red-team-blue-team"].part(place).team for place in range(5))
        assert ("red", "blue", "red", "blue", "red") == dealt

    def test_a_team_exists_in_red_team_blue_team_alone(self) -> None:
        """No other mode has teams."""
        others = [mode for mode in MODES.values() if mode.order != "team"]
        assert {None} == {part.team for mode in others for part in mode.parts}

    @pytest.mark.parametrize("name", ONE_ROLE)
    def test_everybody_has_the_one_part_of_a_mode_without_roles(self, name: ModeName) -> None:
        """Where a mode has one part, the tenth debater has it like the first."""
        assert MODES[name].part(0) == MODES[name].part(9)

    @pytest.mark.parametrize("name", NAMES)
    def test_four_debaters_have_the_four_anchors(self, name: ModeName) -> None:
        """Each of the four frameworks is assigned once before any is assigned again (decision 5)."""
        dealt = [MODES[name].anchor(place) for place in range(5)]
        assert set(get_args(Anchor)) == set(dealt[:4])
        assert dealt[0] == dealt[4]

    def test_red_begins_from_risk_and_blue_from_implementation(self) -> None:
        """The first attacker looks at risk, the first defender at what can be built."""
        anchor = MODES["red-team-blue-team"].anchor
        assert ("Risk-Attentive", "Implementation-Focused") == (anchor(0), anchor(1))
