"""The prompts of a debate.

``templates`` is the pack, ``four_layers`` the system message, ``window`` what is shown of the debate and within which
budget, ``calls`` the calls themselves; ``occasion`` says who is asked when.
"""
