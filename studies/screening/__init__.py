"""Screening: many prompts judged one by one, each with its metrics or with why it has none.

Read in this order: ``shapes`` (where the prompt stands in a row that another tool wrote), ``files`` (prompts from a
file), ``judging`` (holding them, so many at once, none paid twice), ``counts`` (what came out of all of them).
"""
