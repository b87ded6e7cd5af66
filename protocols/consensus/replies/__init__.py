"""Readers of replies to the evaluation prompt: ACCEPT, a corrected text, an objection, or none of them clearly.

Seed 004 asks for ONLY the word ACCEPT, or for a corrected version, and models say more. Nothing but a corrected text
replaces a draft, and nothing but the word accepts it. The reader knows the draft: it is found between the marks of the
prompt, in what the model was shown. What each module knows:

``acceptance``   the word, in every dress
``passages``     a corrected text, without what is said about it
``sentences``    remarks about a draft, told from sentences of one
``reading``      the three readers made from them

A reading never raises, and takes time in proportion to the text.
"""
