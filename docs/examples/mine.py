"""Functions for scorers of a study: kind = "python", file = "mine.py", and function = the name of one of them."""

from typing import Any


def words(row: dict[str, Any], result: dict[str, Any]) -> float | None:
    """Return how many words the verdict has for each word of the question."""
    verdict = result["verdict"]
    return None if verdict is None else len(verdict.split()) / len(row["question"].split())


def right_in_mathematics(row: dict[str, Any], result: dict[str, Any]) -> bool | None:
    """Return whether the answer is right; nothing of the other subjects, a column in extra of the study file."""
    if row["extra"]["subject"] != "mathematics":
        return None
    return result["votes"].get("answer") in row["accepted"]
