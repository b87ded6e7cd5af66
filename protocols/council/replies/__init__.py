"""Readers of a council's replies; none raises, and each takes linear time.

``ballot`` reads a review: ``headers`` removes quotations and finds the start of the ranking, and ``numbered``,
``tables``, ``chains`` and ``json_rankings`` each read one form of a ranking. ``labels`` reads labels and numbers.
``scores`` reads the scores beside it, ``chair`` the fields of a synthesis.
"""
