"""Self-consistency: one model is asked several times over, and the most frequent answer is taken.

One stage: ``sample`` asks the question ``n`` times at once, each time afresh. What is compared is the answer read from
each sample, never its reasoning; ties go to the earliest sample and are recorded, and so is a sample without a readable
answer. With one sample this is one model that answers alone: the baseline SINGLE of a question.

Source: Wang, Wei, Schuurmans, Le, Chi, Narang, Chowdhery, Zhou (2022), "Self-Consistency Improves Chain of Thought
Reasoning in Language Models", arXiv:2203.11171. A baseline of equal cost: as many calls as the deliberation it is
compared with, and nobody hears of anybody.

Read in this order: ``model`` (the values), ``prompts`` (what is asked), ``replies`` (how text is read), ``rules`` (how
it ends), ``outcome`` (the result). The form of an answer is in ``protocols.answers``, the count in ``protocols.votes``.
"""
