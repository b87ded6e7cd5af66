"""Council: the panel answers, reviews the answers anonymously, and a chair concludes.

Three stages, each asking all its models at once:

1. ``opinion``    every participant answers the question
2. ``review``     every participant that answered ranks all answers, shown under dealt labels in an order of its own
3. ``synthesis``  the chair sees answers with names, reviews, rankings and the tally, and writes the verdict

Rules of the house: a label or a position tells nobody who wrote an answer; what a peer wrote cannot vote; a lost model
is recorded with its reason, and an error text never becomes an answer.

Read in this order: ``model`` (the values), ``prompts`` (what is asked), ``replies`` (how text is read), ``rules`` (the
tally), ``outcome`` (the minutes and the result made from them).
"""
