"""Structured debate: models argue in rounds, in one of seven modes, with labelled claims that keep their identity.

1. round         all debaters take a turn: all at once, one after the other, or one team after the other (by mode)
2. safety        cheap rules look at every turn; an evaluator judges the round where something called for it
3. exits         groupthink first, then consensus, plateau, round cap
4. objection     when groupthink is suspected, one round of counterarguments; if it fails, a person is waited for
5. approval      where high stakes were declared, a person opens the gate
6. synthesis     executive summary, key evidence, final positions, dissent

A turn is structured: position, reasoning, confidence, vote, claims labelled FACT, INFER, ASSUME or OPEN with numeric
citations. Claims and evidence go into registries under ids that never change (C1 …, E1 …), so that all can speak
of C3 without quoting it, and prose may be shortened without losing the argument. What a debater is shown has a budget:
the registries always, the round before in full, the two before that in short.

Rules: a violation is recorded, never rewritten; a turn that may not be shown is withheld from peers and
stays in the record; a lost debater keeps its turns, and no other role, team or label shifts; every wait for a
person has an end.

Read in this order: ``model`` (the values), ``modes`` (the seven modes), ``prompts`` (four layers, the window, the
calls), ``replies`` (how turns are read and citations checked), ``rules`` (registries, groupthink, safety, exits),
``outcome`` (the result).
"""
