"""The comparison of a study's arms: quality, cost, and tests of the differences.

``scoring`` reads answers by the rule for labels and compares them, ``metrics`` has the figures as ratios of two sums
over rows, ``resampling`` their intervals and tests, ``agreement`` the agreement of answers and scores, ``differences``
the pairs of arms and the changes over firings, ``model`` the result, and ``compare`` computes it. ``joined`` makes arms
of several studies, firings or panels, and ``study`` reads them from the ledger.

Intervals draw rows of the dataset and tests swap them, not deliberations: repeats of a row are not independent.
"""
