"""Parts of the readers of an evaluation: ACCEPT, a corrected text, an objection, or none of them clearly.

Seed 004 asks for ONLY the word ACCEPT or a corrected version, and models write more. Only a corrected text replaces a
draft, and only the word accepts it. The reader knows the draft, which is between the marks in the prompt.

``acceptance``   the word, in all its forms; ``dress``: the Markdown around it
``passages``     a corrected text, without remarks about it; ``fragments``: parts of a draft
``sentences``    sentences, and whether they are remarks about a draft or part of it

No reader raises, and each takes time in proportion to the text.
"""
