"""Structured debate: models argue in rounds, in one of seven modes, with labelled claims that keep their ids.

1. round         all debaters take a turn: all at once, one after the other, or one team after the other (by mode)
2. safety        fixed rules check every turn; an evaluator judges the rounds that triggered one of them
3. stop rules    groupthink first, then consensus, plateau, round limit
4. objection     a suspicion of groupthink adds one round of counterarguments; if it fails, the debate waits for a user
5. approval      a debate with declared high stakes waits for a user's approval
6. synthesis     executive summary, key evidence, final positions, dissent

A turn has a position, reasoning, confidence, vote, and claims labelled FACT, INFER, ASSUME or OPEN with numeric
citations. Claims and evidence get ids that never change (C1 …, E1 …), so later turns can refer to C3 without quoting
it, and prose can be shortened. The context of a debater has a budget: the registries always, the previous round in
full, the two before it shortened.

A violation is recorded and never rewritten. A turn that must not be shown is withheld from peers and stays in the
record. A lost debater keeps its turns, and no other role, team or label changes. Every wait for a user has a limit.

Read in this order: ``model`` (the values), ``modes`` (the seven modes), ``prompts`` (system message, context and
calls), ``replies`` (turns and citations), ``rules`` (registries, groupthink, safety, stop rules), ``results``.
"""
