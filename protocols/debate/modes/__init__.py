"""The seven modes as rows of one table: ``mode`` is the type of a row, ``table`` has all of them.

``collaborative_modes`` has collaborative, expert panel and delphi, ``questioning_modes`` socratic and devil's advocate,
``adversarial_modes`` adversarial and red team / blue team.
"""
