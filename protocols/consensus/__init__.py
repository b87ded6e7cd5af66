"""Iterative consensus: three models take turns improving one draft until all of them accept it.

A round asks, one after the other and each with nothing but the question and the draft as it stands:

1. ``generator``        round 1: the bare question; later: evaluate the draft
2. ``refiner``          evaluate the draft
3. ``validator``        evaluate the draft
4. ``consensus_check``  all three at once evaluate the draft as the validator left it

Rules of the house: one evaluation prompt for everybody after the first answer; ``ACCEPT`` leaves the draft as it was
and never becomes the draft; whatever is not plainly ``ACCEPT`` is a correction; only the latest draft travels, never
what was said before; nobody curates before all accept. At most 50 rounds.

The seed speaks two languages: the prompt's ``ACCEPT``, and the older question "can it be improved?", whose answer NO
means the same. So ACCEPT ⇔ NO ⇔ ``flag = 1``.

Read in this order: ``model`` (the values), ``prompts`` (what is asked), ``replies`` (how a verdict is told from a
correction), ``rules`` (what a round comes to), ``outcome`` (the minutes and the result made from them).
"""
