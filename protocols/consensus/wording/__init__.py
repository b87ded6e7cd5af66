"""Words and phrases that mark consent, remarks, announcements and lists of changes: tables without rules.

Every word is in lower case. A language is a line or two of a table; a missing word costs one more call and never
causes a wrong reading.
"""
