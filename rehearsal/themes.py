"""What can be said on a topic: a handful of themes with words of their own, and one that fits any topic.

A theme is told by the words of the topic. The last one speaks of the topic's own words, so nobody is ever at a loss.
Every statement is short enough to be a claim. The figures in them are rolled and prove nothing, and whoever says one
cites a work that calls itself a placeholder.
"""

import re
from dataclasses import dataclass

from rehearsal.opinions import topics

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Theme:
    """One stock of arguments; ``{n}`` of ``{m}`` in a fact are figures to be filled in."""

    name: str
    words: str
    """Words of a topic by which the theme is told, as an expression; the one for any topic has none."""
    it: str
    """The proposal, as a thing that can be done."""
    facts: tuple[str, ...]
    inferences: tuple[str, ...]
    assumptions: tuple[str, ...]
    open: tuple[str, ...]
    concerns: tuple[str, ...]
    risks: Pairs
    """What can go wrong, and what lessens it."""
    alternatives: Pairs
    """What else could be done, and why it is not."""

    def on(self, topic: str) -> "Theme":
        """The theme in the words of ``topic``."""
        a, b, c = topics(topic)

        def said(text: str) -> str:
            return text.replace("{a}", a).replace("{b}", b).replace("{c}", c)

        def pairs(both: Pairs) -> Pairs:
            return tuple((said(one), said(other)) for one, other in both)

        return Theme(
            self.name,
            self.words,
            said(self.it),
            tuple(map(said, self.facts)),
            tuple(map(said, self.inferences)),
            tuple(map(said, self.assumptions)),
            tuple(map(said, self.open)),
            tuple(map(said, self.concerns)),
            pairs(self.risks),
            pairs(self.alternatives),
        )


def theme_of(topic: str) -> Theme:
    """The first theme that the topic speaks of, in the topic's words."""
    return next(theme for theme in THEMES if re.search(theme.words, topic, re.IGNORECASE)).on(topic)


THEMES = (
    Theme(
        "streets", r"\b(?:cars?|traffic|parking|streets?|cycling|city cent(?:re|er))\b",
        "closing the streets to cars",
        ("{n} of {m} towns kept their closed streets after a year",
         "{n} of {m} shops counted more people on foot",
         "Bus trips took {n} minutes where they took {m} before",
         "{n} of {m} counted cars moved to side roads"),
        ("Trade follows people on foot, so a slow start costs shops less",
         "Side roads fill first, so they need care before the centre",
         "Better buses must come before fewer lanes",
         "Habits change when the new way is there every day"),
        ("Most drivers can come another way", "Shop owners want trade more than parking",
         "A town can pay for buses that run late", "People judge the streets after a year"),
        ("How deliveries reach small shops by noon", "Whether rents rise once cars are gone"),
        ("Those who cannot walk far are hardly heard", "Night workers have no bus home",
         "Villages around the town carry the detours", "Counting stops as soon as the numbers please"),
        (("Detours through side roads", "calm those roads first"),
         ("Shops lose trade in the works", "build in short sections"),
         ("Ambulances come late", "keep one lane that opens for them"),
         ("Blame falls on one mayor", "bind the trial to counts made public")),
        (("A toll at the edge", "it sorts people by income"), ("One day without cars", "it changes no habit"),
         ("Cheaper parking outside", "it fills the roads that lead there"),
         ("Wider pavements alone", "they move no bus any faster")),
    ),
    Theme(
        "machines", r"\b(?:AI|language models?|machine learning|chatbots?|LLMs?|agents?|algorithms?)\b",
        "giving the work to the model",
        ("{n} of {m} audits found errors that nobody had reported",
         "{n} of {m} teams read every answer in the first month",
         "Reviews took {n} minutes where they took {m} before",
         "{n} of {m} wrong answers sounded sure of themselves"),
        ("Errors that sound sure need a reader who doubts", "Reviews that save time tend to be skipped next",
         "Whoever signs must be able to stop the system", "What is learned once spreads to all who use it"),
        ("Users can tell help from advice", "A person has time to look", "Costs go on falling",
         "Tests resemble what users ask"),
        ("Who answers for harm that no one saw", "How often a reader agrees without reading"),
        ("Skills fade where nobody practises them", "Those who are judged cannot ask why",
         "Test data grows old in silence", "One supplier can change it overnight"),
        (("Silent errors pile up", "sample answers each week"), ("Readers trust too soon", "plant known errors"),
         ("A supplier changes the model", "pin versions and test again"),
         ("Data leaks into prompts", "filter before anything leaves")),
        (("Rules instead of a model", "they break on the first odd case"),
         ("More people", "nobody trained is to be had"), ("A smaller model in house", "its errors are harder to see"),
         ("Waiting for a year", "others will set the habits")),
    ),
    Theme(
        "work", r"\b(?:remote|home office|office|four[- ]day|working week|employees|staff|overtime)\b",
        "changing how the week is worked",
        ("{n} of {m} teams kept their output after a year", "{n} of {m} new people found no mentor",
         "Meetings took {n} hours where they took {m} before", "{n} of {m} who left named the commute"),
        ("Output holds where goals are written down", "New people pay for what old hands gain",
         "Fewer meetings help only where notes replace them", "Pay follows presence unless someone watches it"),
        ("People know best when they work well", "Customers accept slower replies on one day",
         "Managers can judge what they do not see", "Homes have room to work in"),
        ("Whether ideas come as often from afar", "How shifts can share the same freedom"),
        ("Those who serve counters gain nothing", "Friendships that carry a team thin out",
         "Long days hide behind short weeks", "Promotion goes to whoever is seen"),
        (("New people drift", "pair each with a mentor"), ("Days grow longer", "count hours and act on them"),
         ("Two classes of staff form", "give counters a choice as well"),
         ("Customers wait", "keep a desk open every day")),
        (("Fixed office days", "they fit nobody's work"), ("More pay instead", "it buys no time"),
         ("A choice for each team", "teams that share customers collide"),
         ("Shorter days", "the commute stays as it is")),
    ),
    Theme(
        "schools", r"\b(?:schools?|pupils?|homework|classrooms?|teachers?|exams?|grades?)\b",
        "changing the rule in schools",
        ("{n} of {m} classes were quieter after a term", "{n} of {m} teachers enforced the rule each day",
         "Marks rose by {n} points in {m} weeks", "{n} of {m} parents could not help at home"),
        ("A rule helps those most who struggle most", "Enforcement costs lessons unless it is simple",
         "What leaves the classroom returns at home", "Marks tell little about the first term"),
        ("Teachers want the rule", "Pupils follow what all must follow", "Parents back the school in public",
         "Gains last longer than the trial"),
        ("Whether gains outlive the trial", "What pupils do instead at home"),
        ("Pupils who need aids lose them", "Teachers become wardens", "Poor homes carry more of it",
         "Nobody asks the pupils"),
        (("Aids are taken away", "write exceptions first"), ("Teachers spend lessons on it", "one place for all"),
         ("Homes differ", "offer rooms after school"), ("The rule is dropped by spring", "review it by a date")),
        (("A rule per class", "it shifts the quarrel to teachers"), ("Lessons on good use", "they need years"),
         ("Leaving it to parents", "classes need one rule"), ("Rewards", "they pay for what was free")),
    ),
    Theme(
        "code", r"\b(?:rewrite|monolith|microservices?|codebase|programming language|database|migrat\w+|software)\b",
        "moving the system over",
        ("{n} of {m} moves took twice the time planned", "{n} of {m} faults came from the seams",
         "Builds took {n} minutes where they took {m} before", "{n} of {m} old tests ran unchanged"),
        ("Seams break first, so they need tests first", "A move without an end date never ends",
         "Faster builds pay back before new features do", "Old tests are worth more than old code"),
        ("The team stays through the move", "Users notice speed more than style",
         "The old system can be kept alive meanwhile", "Documents say what the code does"),
        ("Who knows the oldest part", "How long both systems run side by side"),
        ("Two systems need two watches at night", "Knowledge leaves with those who wrote it",
         "Users carry the faults of the seams", "Costs of the old one go on unseen"),
        (("The move stalls half way", "cut it into parts that stand alone"),
         ("Data diverges", "write to both and compare"), ("Key people leave", "pair on the oldest part"),
         ("Nights grow long", "move one service at a time")),
        (("Mending the old system", "its seams cannot be tested"), ("Buying one", "it fits no rule of the house"),
         ("Starting afresh", "the old rules are written nowhere"), ("Doing nothing", "support ends soon")),
    ),
    Theme(
        "any", r"",
        "going ahead with {a}",
        ("{n} of {m} trials of {a} were kept after a year", "{n} of {m} people asked put {b} first",
         "Work on {a} took {n} days where {m} were planned", "{n} of {m} reports on {b} named a cost"),
        ("Trials that last show what plans cannot", "Where {b} comes first, {a} must wait its turn",
         "Plans that slip by days will slip by months", "Costs named early are paid once"),
        ("What held for {b} will hold for {a}", "Those who decide also carry the cost",
         "There is time to try it in steps", "People say what they mean about {c}"),
        ("Whether {a} still matters in five years", "Who pays once {c} changes"),
        ("Those who are hurt by {a} are not asked", "Nobody owns {b} once the trial ends",
         "Counts of {c} are older than they look", "A way back is planned and never practised"),
        (("It fails in silence", "name a sign that stops it"), ("Costs grow unseen", "publish them each month"),
         ("One group carries it all", "share it by rule"), ("It cannot be undone", "practise the way back first")),
        (("Waiting a year", "the costs of waiting are certain"), ("A small trial alone", "it shows no side effects"),
         ("Leaving it to each place", "the differences would grow"), ("A rule for all at once", "no way back is left")),
    ),
)  # fmt: skip
"""In this order; the last one fits every topic."""
