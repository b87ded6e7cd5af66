"""The comparison of a study's arms: what each is worth, what it costs, and whether the difference is more than chance.

``rows`` says what is read of a deliberation and how a study's labels are meant, ``marking`` reads its answer and marks
it, ``metrics`` has the figures as ratios of two sums over rows, ``resampling`` their intervals and tests, ``agreement``
how far answers and scores agree, ``model`` what comes out, and ``comparing`` puts it together.

Rows of the dataset, not deliberations, are what is drawn again in every interval and swapped in every test: the repeats
of a row are no independent observations.
"""
