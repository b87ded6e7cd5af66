"""The seven modes as rows of one table: ``row`` says what a row holds, ``table`` puts them together.

The wording is by temper: ``cooperative`` (collaborative, expert panel, delphi), ``inquiring`` (socratic, devil's
advocate) and ``contentious`` (adversarial, red team / blue team).
"""
