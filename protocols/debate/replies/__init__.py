"""The readers of a debate's replies: ``turn``, ``safety_verdict``, and ``closing`` for the closing texts.

A turn has one of three formats (``reply_formats``); ``field_names`` and ``field_values`` read it, ``claims`` and
``references`` its lists.
"""
