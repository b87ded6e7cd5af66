"""Readers of a council's replies; none raises, and each takes linear time.

``opinion`` hides names. ``ballot`` reads a review: ``own_text`` takes out what it quotes, ``headers`` finds where its
ranking begins, and every form of a ranking is read there: ``numbered``, ``tables``, ``chains``, ``json_rankings``.
``labels`` knows how labels and numbers are written.
"""
