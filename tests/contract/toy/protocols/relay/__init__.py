"""A relay: each model is shown the answer of the one before it; the last answer is the verdict."""
