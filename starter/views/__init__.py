"""Views on a terminal: values in, renderables of ``rich`` out.

Everything that people or models wrote passes through ``starter.terminal.printable`` and is never read as markup.
"""
