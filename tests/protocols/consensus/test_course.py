"""What holds in every consensus, whatever is answered, lost or cut off in it."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from protocols.consensus import rules
from protocols.consensus.model import MOST_ROUNDS, SPEAKERS, ConsensusState, Speaker, StopReason
from protocols.model_call import Answered, Failed
from tests.fakes.consensuses import consensus_input
from tests.protocols.consensus.talk import drafts, evaluates, lost, understood

LOST, CUT = "lost", "cut"
WORDS = ["ACCEPT", "**ACCEPT**", "Verdict: accept.", "ACCEPT\n\nNo errors."]
TEXTS = ["It is red.", "It is  red.", "It is blue.", "I cannot ACCEPT.", "ACCEPTABLE, but it is blue."]
INPUT = consensus_input(majority_after=3, deadlock_after=3)

said = st.sampled_from([*WORDS, *TEXTS, CUT])
said_in_a_check = st.fixed_dictionaries({speaker: st.sampled_from([*WORDS, *TEXTS[:1], LOST]) for speaker in SPEAKERS})


class Deliberation(RuleBasedStateMachine):
    """A consensus of which any call may give anything, held as the schedule holds it."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()

    def begin(self) -> None:
        """Where every consensus begins."""
        self.course = ConsensusState()
        self.expected_draft: str | None = None
        self.is_half = False
        self.dead: set[Speaker] = set()
        self.losses = 0
        self.end: StopReason | None = None
        self.waiting: list[Speaker] = list(SPEAKERS)

    @property
    def number(self) -> int:
        """The present round."""
        return len(self.course.rounds) + 1

    @precondition(lambda self: self.end is None and self.waiting)
    @rule(text=said | st.just(LOST))
    def take_a_turn(self, text: str) -> None:
        """One that is next answers, accepts, corrects, objects, is cut off or is lost."""
        speaker = self.waiting.pop(0)
        reply = self._reply(speaker, text, is_first=self.course.draft is None)
        if isinstance(reply, Answered):
            offered = reply.reading if isinstance(reply.reading, dict) else {}
            new = str(offered.get("text") or offered.get("draft") or "")
            if new and (reply.finish == "complete" or self.expected_draft is None):
                self.expected_draft, self.is_half = new, text == CUT
        self.course = rules.apply_turn(self.course, speaker, reply, self.number)
        self._keep_the_dead()
        if len(self.course.active) < rules.FEWEST:
            self.end = "quorum_lost"
        elif not self.waiting and self.course.draft is None:
            self.end = "no_draft"

    @precondition(lambda self: self.end is None and not self.waiting)
    @rule(texts=said_in_a_check)
    def hold_the_check(self, texts: dict[Speaker, str]) -> None:
        """All that have a say are asked at once."""
        number, active, voters = self.number, self.course.active, rules.voters(self.course, self.number)
        assert not set(voters) & self.dead
        replies: dict[Speaker, Answered | Failed | None] = dict.fromkeys(active)
        for speaker in voters:
            reply = self._reply(speaker, texts[speaker])
            replies[speaker] = reply
            self.course = rules.apply_reply(self.course, speaker, reply, "consensus_check", number)
        self.course = rules.apply_check(self.course, number, replies)
        self.end = rules.decide(INPUT, self.course, MOST_ROUNDS)
        self._keep_the_dead()
        self._hold_the_decision_against_the_opinions(active, voters, texts)
        self.waiting = list(self.course.active)

    @precondition(lambda self: self.end is not None)
    @rule()
    def begin_again(self) -> None:
        """Another consensus."""
        self.begin()

    @invariant()
    def the_dead_stay_dead(self) -> None:
        """A zombie never comes back by itself, and is never among the active."""
        assert self.dead == {name for name, state in self.course.speakers.items() if state.is_zombie}
        assert set(SPEAKERS) - self.dead == set(self.course.active)

    @invariant()
    def the_draft_is_the_latest_whole_text(self) -> None:
        """The draft is what was last written for it, and never a mere verdict."""
        assert (self.expected_draft, self.is_half) == (self.course.draft, self.course.is_draft_cut)
        assert self.course.draft is None or not understood(self.course.draft, "").accepted

    @invariant()
    def rounds_and_losses_are_counted_through(self) -> None:
        """Rounds are numbered 1 to n, every loss is reported once, a checked draft was unchanged for a round."""
        assert list(range(1, self.number)) == [one.round for one in self.course.rounds]
        assert self.losses == len(self.course.failed)
        assert (1 if self.course.rounds else 0) <= self.course.same_for <= len(self.course.rounds)

    @invariant()
    def a_standing_survives_the_wire(self) -> None:
        """At any time it can be handed to another run."""
        assert self.course == ConsensusState.model_validate_json(self.course.model_dump_json())

    def _reply(self, speaker: Speaker, text: str, *, is_first: bool = False) -> Answered | Failed:
        if text == LOST:
            self.losses += 1
            return lost(speaker)
        if is_first:
            return drafts(
                speaker, "" if text == WORDS[0] else f"First: {text}", finish="truncated" if text == CUT else "complete"
            )
        if text == CUT:
            return evaluates(speaker, "Half a text", finish="truncated")
        return evaluates(speaker, text)

    def _keep_the_dead(self) -> None:
        self.dead |= set(SPEAKERS) - set(self.course.active)

    def _hold_the_decision_against_the_opinions(
        self, active: tuple[Speaker, ...], voters: tuple[Speaker, ...], texts: dict[Speaker, str]
    ) -> None:
        """Consensus is all of the active, two at least, who were asked and said the word and nothing else."""
        last = self.course.rounds[-1]
        accepting = [name for name in voters if texts[name] in WORDS]
        assert set(active) == set(last.opinions)
        assert len(accepting) == last.accepts
        assert (self.end == "consensus") == (len(accepting) == len(active) >= rules.FEWEST)
        if self.end == "majority":
            assert 2 * len(accepting) > len(active)


TestDeliberation = Deliberation.TestCase
TestDeliberation.settings = settings(max_examples=100, stateful_step_count=40)
