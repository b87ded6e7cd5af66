"""Iterative consensus: three models take turns improving one draft until all of them accept it.

A round asks three models, one after the other, each with the question and the latest draft only:

1. ``generator``        round 1: the bare question; later: evaluate the draft
2. ``refiner``          evaluate the draft
3. ``validator``        evaluate the draft
4. ``consensus_check``  all three evaluate the validator's draft at once

All use the same evaluation prompt after the first answer. ``ACCEPT`` keeps the draft and never becomes the draft; a
reply that is not clearly ``ACCEPT`` is a correction. No call contains earlier replies. The curator is asked only when
all accept. At most 50 rounds.

The seed has two wordings: the prompt's ``ACCEPT``, and the older question "can it be improved?", whose answer NO means
the same. So ACCEPT ⇔ NO ⇔ ``flag = 1``.

Read in this order: ``model`` (the values), ``prompts`` (the calls), ``replies`` (the readers that distinguish consent
from a correction), ``rules`` (the state after each reply), ``results`` (the record and the result built from it).
"""
