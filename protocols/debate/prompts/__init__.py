"""The prompts of a debate.

``system_prompt`` is the system message, ``context_window`` the part of the debate that fits a budget, ``calls`` the
calls themselves, and ``call_context`` their position in the debate.
"""
