"""What things look like on a terminal: values in, something that ``rich`` can print out.

Everything that people or models wrote passes through ``starter.terminal.printable`` and is never read as markup.
"""
