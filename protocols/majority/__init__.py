"""Majority vote: every member of a panel answers alone, once, and the most frequent answer is taken.

One stage: ``answer`` asks all participants at once. What is compared is the answer read from each reply; ties go to the
earlier seat and are recorded, and so is a reply without a readable answer. More than half is not asked for: the count
is a plurality, and ``agreement`` says how large it is.

Source: the majority baseline of Du, Li, Torralba, Tenenbaum, Mordatch (2023), "Improving Factuality and Reasoning in
Language Models through Multiagent Debate", arXiv:2305.14325: what a panel knows without a word to each other, against
which a deliberation of the same panel is judged.

Read in this order: ``model`` (the values), ``prompts`` (what is asked), ``replies`` (how text is read), ``rules`` (how
it ends), ``outcome`` (the result). The form of an answer is in ``protocols.answers``, the count in ``protocols.votes``.
"""
