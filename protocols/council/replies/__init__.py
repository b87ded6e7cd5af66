"""How a council's replies are read: a reading never raises, and takes time in proportion to the text.

``opinion`` hides names. ``ballot`` reads a review: ``own_text`` takes out what it quotes, ``headers`` finds where its
ranking begins, and every form of a ranking is read there: ``numbered``, ``tables``, ``chains``, ``json_rankings``.
``labels`` knows how labels and numbers are written.
"""
