"""The comparison of a study's arms: quality, cost, and tests of the differences.

``rows`` has the rule for labels, ``scoring`` reads answers and compares them with labels, ``metrics`` has the figures
as ratios of two sums over rows, ``resampling`` their intervals and tests, ``agreement`` the agreement of answers and
scores, ``baseline_pairs`` the pairs, ``trends`` the change over firings, ``model`` the result, and ``compare`` computes
it. ``joined`` makes arms of several studies, firings or panels, and ``study`` reads them from the ledger.

Intervals draw rows of the dataset and tests swap them, not deliberations: repeats of a row are not independent.
"""
