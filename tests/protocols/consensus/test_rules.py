"""What a turn, a check and a round give (seed 004, "Decision Logic", "Round Transitions", "Safety Limits")."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.consensus import rules
from protocols.consensus.model import MOST_ROUNDS, ConsensusState, Opinion, Speaker, SpeakerState, StopReason
from protocols.model_call import Answered, Failed
from tests.fakes.consensuses import consensus_input
from tests.protocols.consensus.talk import (
    DRAFT,
    accepts,
    checked,
    corrects,
    course,
    drafts,
    lost,
    objects,
    opinions,
    polishes,
    puzzles,
    replies,
    zombies,
)

NEW = "A corrected version."

given_opinions = st.sampled_from(["YES", "NO", None])


def held(rounds: int, *given: Opinion | None, changing: bool = True) -> ConsensusState:
    """After so many rounds; the last check had these opinions, those before it none in favour."""
    now = course()
    for number in range(1, rounds + 1):
        said: tuple[Opinion | None, ...] = given if number == rounds else ("YES", "YES", "YES")
        now = checked(now, *said, draft=f"Draft {number}." if changing else None)
    return now


def decided(now: ConsensusState, limit: int = MOST_ROUNDS, **options: Any) -> StopReason | None:
    """What that means for the whole."""
    return rules.decide(consensus_input(**options), now, limit)


class TestTurns:
    """Stage Execution: a turn leaves a draft behind, and the draft and the verdict travel separately."""

    @pytest.mark.parametrize(
        ("reply", "draft", "by"),
        [
            (accepts("refiner"), DRAFT, "generator"),
            (corrects("refiner", NEW), NEW, "refiner"),
            (corrects("refiner", NEW, finish="truncated"), DRAFT, "generator"),
            (accepts("refiner", finish="truncated"), DRAFT, "generator"),
            (objects("refiner"), DRAFT, "generator"),
            (lost("refiner"), DRAFT, "generator"),
            (lost("refiner", "truncated"), DRAFT, "generator"),
        ],
        ids=["accept", "correction", "cut correction", "cut accept", "objection", "lost", "lost to its length"],
    )
    def test_the_draft_after_a_turn(self, reply: Answered | Failed, draft: str, by: str) -> None:
        """Only a whole correction replaces the draft; ACCEPT in round 1 leaves the first answer as it was."""
        after = rules.apply_turn(course(), "refiner", reply, 1)
        assert (draft, by) == (after.draft, after.draft_by)

    @pytest.mark.parametrize("finish", ["complete", "truncated"])
    def test_the_first_answer_is_the_draft(self, finish: str) -> None:
        """Whole or cut off by its length, the answer to the bare question is what the others continue with."""
        after = rules.apply_turn(ConsensusState(), "generator", drafts("generator", DRAFT, finish=finish), 1)
        assert (DRAFT, "generator", finish == "truncated") == (after.draft, after.draft_by, after.is_draft_cut)

    def test_a_whole_text_makes_up_for_a_cut_draft(self) -> None:
        """A correction takes the place of half an answer, and the mark goes with it; ACCEPT leaves both."""
        half = rules.apply_turn(ConsensusState(), "generator", drafts("generator", DRAFT, finish="truncated"), 1)
        whole = rules.apply_turn(half, "refiner", corrects("refiner", NEW), 1)
        assert rules.apply_turn(half, "refiner", accepts("refiner"), 1).is_draft_cut
        assert (NEW, False) == (whole.draft, whole.is_draft_cut)

    @pytest.mark.parametrize("reply", [lost("generator"), drafts("generator", "")], ids=["lost", "nothing in it"])
    def test_a_generator_without_an_answer_hands_over(self, reply: Answered | Failed) -> None:
        """There is no draft yet, and the next speaker's answer to the bare question becomes it."""
        before = rules.apply_turn(ConsensusState(), "generator", reply, 1)
        after = rules.apply_turn(before, "refiner", drafts("refiner", DRAFT), 1)
        assert (None, None) == (before.draft, before.draft_by)
        assert (DRAFT, "refiner") == (after.draft, after.draft_by)

    def test_a_generator_that_accepts_passes_on_the_validators_draft(self) -> None:
        """In round 2 and later the generator's ACCEPT leaves the draft of the validator."""
        before = rules.apply_turn(course(), "validator", corrects("validator", NEW), 1)
        after = rules.apply_turn(before, "generator", accepts("generator"), 2)
        assert (NEW, "validator") == (after.draft, after.draft_by)

    def test_a_turn_is_no_opinion(self) -> None:
        """A turn closes no round: ACCEPT in a turn is no vote."""
        assert course() == rules.apply_turn(course(), "refiner", accepts("refiner"), 1)


class TestLosses:
    """Lost calls, of which seed 004 says nothing: the draft stays, and two losses in a row make a zombie."""

    @pytest.mark.parametrize(
        ("calls", "failures", "is_zombie"),
        [
            ("", 0, False),
            ("A", 0, False),
            ("L", 1, False),
            ("LA", 0, False),
            ("LL", 2, True),
            ("LAL", 1, False),
            ("LALL", 2, True),
            ("LLL", 3, True),
        ],
    )
    def test_losses_in_a_row(self, calls: str, failures: int, is_zombie: bool) -> None:
        """An answer between two losses makes up for the first of them; two in a row are made up for by nothing."""
        now = course()
        for call in calls:
            now = rules.apply_reply(
                now, "refiner", lost("refiner") if call == "L" else accepts("refiner"), "refiner", 1
            )
        assert SpeakerState(failures=failures, is_zombie=is_zombie) == now.speakers["refiner"]
        assert calls.count("L") == len(now.failed)

    def test_turns_and_checks_count_alike(self) -> None:
        """A check lost after a turn that was answered, and the next turn lost, are two in a row."""
        now = rules.apply_turn(course(), "validator", corrects("validator", NEW), 1)
        now = rules.apply_reply(now, "validator", lost("validator"), "consensus_check", 1)
        now = rules.apply_turn(now, "validator", lost("validator"), 2)
        assert [("consensus_check", 1), ("validator", 2)] == [(call.stage, call.round) for call in now.failed]
        assert ("generator", "refiner") == now.active

    def test_one_speakers_losses_are_not_anothers(self) -> None:
        """Refiner and validator lost once each are both still asked."""
        now = rules.apply_turn(course(), "refiner", lost("refiner"), 1)
        now = rules.apply_turn(now, "validator", lost("validator"), 1)
        assert ("generator", "refiner", "validator") == now.active

    def test_a_lost_turn_has_no_state_in_its_round(self) -> None:
        """One that lost its turn is not asked in that round's check, and is asked again in the next."""
        now = rules.apply_turn(course(), "refiner", lost("refiner"), 2)
        assert ("generator", "validator") == rules.voters(now, 2)
        assert ("generator", "refiner", "validator") == rules.voters(now, 3)

    def test_a_lost_check_costs_no_state_in_the_next_round(self) -> None:
        """A check that was lost is a loss of its own round alone."""
        now = rules.apply_reply(course(), "refiner", lost("refiner"), "consensus_check", 1)
        assert ("generator", "refiner", "validator") == rules.voters(now, 2)

    def test_a_zombie_has_no_state(self) -> None:
        """One that is asked no more is not among those that vote."""
        assert ("generator", "refiner") == rules.voters(course(speakers=zombies("validator")), 5)


class TestOpinions:
    """Binary decision: YES, it can be improved, or NO, which is ACCEPT; and nothing when nothing was obtained."""

    @pytest.mark.parametrize(
        ("reply", "opinion"),
        [
            (accepts("refiner"), "NO"),
            (corrects("refiner", NEW), "YES"),
            (objects("refiner"), "YES"),
            (accepts("refiner", finish="truncated"), "YES"),
            (lost("refiner"), None),
            (None, None),
        ],
        ids=["accept", "correction", "objection", "cut accept", "lost", "not asked"],
    )
    def test_the_opinion_in_a_check(self, reply: Answered | Failed | None, opinion: Opinion | None) -> None:
        """NO is ACCEPT and nothing else."""
        assert opinion == rules.opinion(reply)

    @pytest.mark.parametrize(
        ("given", "is_so"),
        [
            (("NO", "NO", "NO"), True),
            (("NO", "NO"), True),
            (("NO", "NO", "YES"), False),
            (("NO", "NO", None), False),
            (("NO", "YES"), False),
            (("NO", None), False),
            (("NO",), False),
            ((None, None, None), False),
            ((), False),
        ],
    )
    def test_consensus_is_all_of_at_least_two(self, given: tuple[Opinion | None, ...], is_so: bool) -> None:
        """No partial consensus: all accept, and one alone agrees with no one."""
        assert is_so == rules.is_consensus(opinions(*given))

    @pytest.mark.parametrize(
        ("given", "is_so"),
        [
            (("NO", "NO", "YES"), True),
            (("NO", "NO", None), True),
            (("NO", "YES", "YES"), False),
            (("NO", None, None), False),
            (("NO", "NO"), True),
            (("NO", "YES"), False),
            ((), False),
        ],
    )
    def test_a_majority_is_more_than_half(self, given: tuple[Opinion | None, ...], is_so: bool) -> None:
        """Half is not enough, and an opinion that is open counts among those that had a vote."""
        assert is_so == rules.is_majority(opinions(*given))

    @given(st.dictionaries(st.sampled_from(["generator", "refiner", "validator"]), given_opinions))
    def test_a_consensus_is_a_majority(self, said: dict[Speaker, Opinion | None]) -> None:
        """Where all accept, most do."""
        assert rules.is_majority(said) or not rules.is_consensus(said)


class TestTheRoundThatIsOver:
    """What a check leaves behind."""

    def test_a_round_in_short(self) -> None:
        """Its number, the opinions, who wrote the draft and whether it is a new one."""
        one = checked(course(), "YES", "YES", "NO").rounds[0]
        assert (1, opinions("YES", "YES", "NO"), 1) == (one.round, one.opinions, one.accepts)
        assert ("generator", True) == (one.draft_by, one.draft_changed)

    def test_rounds_are_counted_through(self) -> None:
        """Rounds are in their order, and what they are about is kept in short only."""
        now = held(3, "NO", "NO", "NO")
        assert [1, 2, 3] == [one.round for one in now.rounds]
        assert not any(f"Draft {n}." in now.model_dump_json() for n in (1, 2))

    @pytest.mark.parametrize(
        ("later", "same_for", "changed"),
        [
            (DRAFT, 2, False),
            (f"\n {DRAFT.replace(' ', '  ')}\t\n", 2, False),
            (DRAFT.upper(), 1, True),
            (DRAFT.replace(" ", ""), 1, True),
        ],
        ids=["the same", "other white space", "other letters", "no white space"],
    )
    def test_differences_of_white_space_are_none(self, later: str, same_for: int, changed: bool) -> None:
        """A draft that differs in the length of its white space alone is the same draft."""
        now = checked(checked(course(), "YES"), "YES", draft=later)
        assert (same_for, changed) == (now.same_for, now.rounds[-1].draft_changed)

    def test_a_changed_draft_begins_the_count_anew(self) -> None:
        """Course still is counted from the last change, also when an older draft comes back."""
        now, counts = course(), []
        for draft in ("A", "A", "A", "B", "A", "A"):
            now = checked(now, "YES", draft=draft)
            counts.append(now.same_for)
        assert [1, 2, 3, 1, 1, 2] == counts

    def test_only_the_last_checks_corrections_are_kept(self) -> None:
        """What was offered in an earlier check is gone with the next."""
        once = rules.apply_check(course(), 1, replies("YES"), ["Say more.", "Say less."])
        again = rules.apply_check(once, 2, replies("YES"), ["Say it."])
        assert (("Say more.", "Say less."), ("Say it.",)) == (once.corrections, again.corrections)

    def test_a_standing_survives_the_wire(self) -> None:
        """What is handed from run to run comes back as it was."""
        now = rules.apply_turn(held(2, "YES", None, "NO"), "refiner", lost("refiner"), 3)
        assert now == ConsensusState.model_validate_json(now.model_dump_json())


class TestDecisionLogic:
    """Decision Logic: any correction continues, all ACCEPT is consensus; and the other ends, each an option."""

    def test_all_accept(self) -> None:
        """Consensus in one round (seed 004, "Production Success Metrics")."""
        assert "consensus" == decided(held(1, "NO", "NO", "NO"))

    @pytest.mark.parametrize("given", [("YES", "YES", "NO"), ("NO", "NO", "YES"), ("NO", "NO", None)])
    def test_any_correction_goes_on(self, given: tuple[Opinion | None, ...]) -> None:
        """One that does not accept, or was not obtained, is enough for another round."""
        assert decided(held(1, *given)) is None

    def test_the_example_of_two_rounds(self) -> None:
        """YES, YES, NO continues; NO, NO, NO is done (seed 004, "Expected Behavior")."""
        first = checked(course(), "YES", "YES", "NO")
        assert (None, "consensus") == (decided(first), decided(checked(first, "NO", "NO", "NO")))

    def test_what_remains_must_agree_and_be_two(self) -> None:
        """With a zombie the two that are left are enough; with two zombies no one is left to agree with."""
        two = held(2, "NO", "NO").model_copy(update={"speakers": zombies("validator")})
        one = held(2, "NO").model_copy(update={"speakers": zombies("refiner", "validator")})
        assert ("consensus", "quorum_lost") == (decided(two), decided(one))

    @pytest.mark.parametrize(("rounds", "reason"), [(49, None), (50, "round_limit")])
    def test_maximum_fifty_rounds(self, rounds: int, reason: str | None) -> None:
        """Safety Limits: after 50 rounds it has ended, and not one round sooner."""
        assert reason == decided(held(rounds, "NO", "NO", "YES"))

    @pytest.mark.parametrize(("rounds", "reason"), [(2, None), (3, "round_limit"), (4, "round_limit")])
    def test_the_limit_of_the_moment_counts(self, rounds: int, reason: str | None) -> None:
        """The limit may have been raised since the run began: the one given counts, not the input's."""
        assert reason == decided(held(rounds, "YES"), 3, max_rounds=1)

    @pytest.mark.parametrize(("rounds", "reason"), [(1, None), (2, "majority"), (3, "majority")])
    def test_a_majority_counts_from_its_round_on(self, rounds: int, reason: str | None) -> None:
        """With ``majority_after`` 2 most are enough after two rounds and not after one."""
        assert reason == decided(held(rounds, "NO", "NO", "YES"), majority_after=2)

    def test_half_is_no_majority_however_late(self) -> None:
        """One of two that are left is not more than half."""
        assert decided(held(9, "NO", "YES"), majority_after=2) is None

    @pytest.mark.parametrize(("rounds", "reason"), [(2, None), (3, "deadlock"), (4, "deadlock")])
    def test_a_draft_that_stands_still_is_a_deadlock(self, rounds: int, reason: str | None) -> None:
        """With ``deadlock_after`` 3 three checks of the same draft end it, and two do not."""
        assert reason == decided(held(rounds, "YES", changing=False), deadlock_after=3)

    def test_a_draft_that_changes_is_no_deadlock(self) -> None:
        """Rounds that better the draft continue."""
        assert decided(held(9, "YES"), deadlock_after=2) is None

    @pytest.mark.parametrize("now", [held(49, "NO", "NO", "YES"), held(49, "YES", changing=False)])
    def test_majority_and_deadlock_are_off_where_they_are_switched_off(self, now: ConsensusState) -> None:
        """Then only consensus and the limit end it (seed 004, "What We Removed")."""
        assert decided(now, deadlock_after=None) is None

    @pytest.mark.parametrize(("rounds", "reason"), [(4, None), (5, "deadlock")])
    def test_a_draft_that_stands_still_for_five_rounds_ends_it_by_default(
        self, rounds: int, reason: str | None
    ) -> None:
        """Nothing has to be asked for: the fifth check of the same draft is the last."""
        assert reason == decided(held(rounds, "YES", changing=False))

    def test_the_order_of_the_reasons(self) -> None:
        """Where several are true the first is reported: consensus, quorum, majority, deadlock, the limit."""
        options = {"majority_after": 1, "deadlock_after": 2}
        alone, still = zombies("refiner", "validator"), held(3, "NO", "NO", "YES", changing=False)
        agreed = held(3, "NO", "NO", "NO", changing=False)
        assert [
            decided(agreed.model_copy(update={"speakers": alone}), 3, **options),
            decided(still.model_copy(update={"speakers": alone}), 3, **options),
            decided(still, 3, **options),
            decided(still, 3, deadlock_after=2),
            decided(still, 3),
        ] == ["consensus", "quorum_lost", "majority", "deadlock", "round_limit"]


class TestProgressBars:
    """Stage Execution: a bar runs from 0 to 90, and only completion makes it 100."""

    @pytest.mark.parametrize(
        ("tokens", "expected", "progress"),
        [(0, 600, 0), (300, 600, 45), (599, 600, 90), (600, 600, 90), (60_000, 600, 90), (-1, 600, 0), (5, 0, 90)],
    )
    def test_a_running_bar(self, tokens: int, expected: int, progress: int) -> None:
        """Half of what is expected is 45, all of it 90, and no longer answer is more."""
        assert progress == rules.bar(tokens, expected)

    @given(st.integers(-5, 10**7), st.integers(0, 10**7), st.integers(-5, 10**6))
    def test_a_bar_never_runs_back_nor_past_ninety(self, tokens: int, more: int, expected: int) -> None:
        """More tokens never make it shorter, and it stays between 0 and 90."""
        before, after = rules.bar(tokens, expected), rules.bar(tokens + more, expected)
        assert 0 <= before <= after <= 90

    @pytest.mark.parametrize(("draft", "tokens"), [(None, 600), ("", 40), ("x" * 160, 40), ("x" * 400, 100)])
    def test_a_correction_is_about_as_long_as_the_draft(self, draft: str | None, tokens: int) -> None:
        """Four characters are a token; a first answer has nothing to be measured by, and none is shorter than 40."""
        assert tokens == rules.expected_tokens(draft)


class TestUnclear:
    """What a reply that is neither ACCEPT nor a text is answered, and how it is counted when it stays so."""

    @pytest.mark.parametrize(
        ("reply", "turn", "check"),
        [
            (accepts("refiner"), False, False),
            (corrects("refiner", NEW), False, False),
            (objects("refiner"), True, False),
            (puzzles("refiner"), True, True),
        ],
        ids=["accept", "correction", "objection", "doubtful"],
    )
    def test_what_is_asked_once_more(self, reply: Answered, turn: bool, check: bool) -> None:
        """A turn needs the word or a text; in a check an objection is an opinion already."""
        assert (turn, check) == (rules.unclear_turn(reply) is not None, rules.unclear_check(reply) is not None)

    def test_the_sentence_names_both_forms(self) -> None:
        """The instruction lists the allowed replies, and nothing else."""
        sentence = "Reply with exactly ACCEPT, or with the complete corrected text and nothing else."
        assert sentence == rules.unclear_turn(puzzles("refiner"))

    @pytest.mark.parametrize(("text", "is_asked"), [(NEW, False), (None, False)])
    def test_a_curator_with_a_text_or_a_verdict_is_clear(self, text: str | None, is_asked: bool) -> None:
        """A polished text counts, and a verdict leaves the draft."""
        assert is_asked is (rules.unclear_curation(polishes(text)) is not None)

    def test_a_reply_that_stays_doubtful_is_a_flaw(self) -> None:
        """It counts as not read, with stage, round and participant; what was read is no flaw."""
        flaw = rules.unread(puzzles("refiner"), "consensus_check", 3)
        assert flaw is not None
        assert ("unread", "consensus_check", 3, "refiner") == (flaw.kind, flaw.stage, flaw.round, flaw.participant)
        curated = rules.unread(puzzles("curator"), "curator", 3)
        assert curated is not None
        assert ("neither ACCEPT nor a corrected text", "no polished text: the verdict is the accepted draft") == (
            flaw.note,
            curated.note,
        )
        assert [None] * 3 == [rules.unread(one, "refiner", 1) for one in (accepts("a"), objects("b"), lost("c"))]

    def test_stances_and_what_stood_against_the_draft_are_kept(self) -> None:
        """A round shows an objection from a correction, and a reply that was not read from both."""
        given: dict[Speaker, Answered | Failed | None] = {
            "generator": objects("generator"),
            "refiner": corrects("refiner", NEW),
            "validator": puzzles("validator"),
        }
        now = rules.apply_check(course(), 1, given)
        assert {"generator": "objection", "refiner": "correction", "validator": "unread"} == now.rounds[0].stances
        assert {
            "generator": "objection: I cannot ACCEPT.",
            "refiner": "offers a correction",
            "validator": "unread: Correct.",
        } == now.objections
