"""Council: the panel answers, reviews the answers anonymously, and a chair concludes.

Three stages, each of which calls all its models at once:

1. ``opinion``    every participant answers the question
2. ``review``     every participant that answered ranks all answers, labelled and in an order of its own
3. ``synthesis``  the chair sees answers with names, reviews, rankings and the tally, and writes the verdict

No label or position reveals an author. Text that a peer wrote cannot vote. A lost model is recorded with its reason,
and an error message never becomes an answer.

Read in this order: ``model`` (the values), ``prompts`` (the calls), ``replies`` (the readers), ``rules`` (the tally),
``results`` (the result built from the record).
"""
