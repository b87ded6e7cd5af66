"""Words and phrases by which the readers tell consent, remarks, announcements and lists of changes: tables, no rules.

Every word is in lower case. A language is a line or two of a table; what is missing in a table costs one more call,
never a wrong reading.
"""
