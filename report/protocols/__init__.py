"""A result's own drawings and its transcript, by protocol: what each room's JSON says, read without trust.

``council``, ``consensus``, ``circle`` (fire circles and their baselines), ``debate`` and ``votes`` (those that count
answers). ``catalogue`` knows which is whose, and what all have.
"""
