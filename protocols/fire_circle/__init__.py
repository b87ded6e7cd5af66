"""Fire circle: models judge a prompt independently, then in a dialogue in which one speaks for absent parties.

1. round 1   every model assesses alone, with a plain prompt: the baseline
2. round 2   every model sees all assessments and looks for patterns; the **empty chair** speaks for absent parties
3. round 3   every model refines its assessment; another model has the chair
4. round 4   only in large circles that still disagree: one more refinement

The verdict is the highest falsehood that a model which is still active reported in any round, because a circle detects
and does not vote: a later change of mind does not remove it. The result also has the patterns that enough models named,
the influence of the chair, and the disagreement.

Every prompt contains the judged layer, its context and the turn. An unread reply never counts as a falsehood of 0. A
model lost in round 1 is excluded; a model lost later is a zombie: its words stay and its votes no longer count.

The two baselines, one model alone and several in parallel without a dialogue, use the same values.

Read in this order: ``model`` (the values), ``prompts`` (the calls), ``replies`` (the readers of T/I/F and patterns),
``rules`` (chair, consensus, convergence, patterns, influence), ``results`` (the record and the result built from it).
"""
