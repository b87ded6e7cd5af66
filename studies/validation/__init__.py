"""The shipped study of a fire circle beside its baselines (seed 000, section 9.3).

``study.toml`` is an ordinary study over ``cases.jsonl``. ``opening`` loads it and adds labelled prompts of other files
to its dataset; ``cases`` has its prompts and their results; ``figures`` compares the modes; ``seed_checks`` has the
three checks of the seed, and ``report`` all figures shown at the end.
"""
