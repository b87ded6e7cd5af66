"""Screening: many prompts judged one by one, each with its metrics or the reason for their absence.

Read in this order: ``shapes`` (formats of other tools), ``files`` (prompts from a file), ``judging`` (one fire circle
for each prompt, several at once, none paid twice), ``counts`` (outcomes over all of them).
"""
