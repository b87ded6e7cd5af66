"""The names of the workflow types that a worker runs, as clients write them."""

DELIBERATIONS = ("Council", "Consensus", "FireCircle", "FireCircleBaseline", "Debate", "Vote", "Mixture")
"""One for each protocol."""

STUDIES = ("Batch", "ScheduledStudy")
"""What holds a study."""

PARTS = ("Shard", "Budget")
"""What a batch starts for itself."""
