"""The comparison of a study's arms: quality, cost, and tests of the differences.

``rows`` has the rule for labels, ``scoring`` reads answers and compares them with labels, ``metrics`` has the figures
as ratios of two sums over rows, ``resampling`` their intervals and tests, ``agreement`` the agreement of answers and
scores, ``baseline_pairs`` the pairs, ``model`` the result, and ``compare`` computes it.

Intervals draw rows of the dataset and tests swap them, not deliberations: repeats of a row are not independent.
"""
