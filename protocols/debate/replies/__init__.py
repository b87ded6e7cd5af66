"""The readers of a debate's replies: ``turn``, ``safety_verdict``, and ``closing`` for the closing texts.

A turn has one of three formats (``reply_formats``); ``labelled_lines``, ``field_names`` and ``field_values`` read it,
``claims`` and ``references`` read its lists, and ``citations`` checks them.
"""
