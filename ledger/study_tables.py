"""The ledger's tables of the studies: studies, study_arms, study_rows, instances, scores and what is beside them.

``studies`` holds a study as it was entered, ``study_arms`` the ways in which it holds deliberations, ``study_rows`` the
lines of its dataset, ``rejected_rows`` those that could not be used. ``instances`` has a line for every deliberation
to run: its identity and how its input differs from its arm's, so that a large study stays small.
``missing_instances`` are those that ended without a line of their own in ``deliberations``.
``scores`` has the scores of finished deliberations, ``gradings`` the studies in which models graded them. Neither
is part of a study's identity.

The outcome of an instance is in ``deliberations``, under the same id.
"""

from sqlalchemy import JSON, Boolean, Column, Float, Integer, LargeBinary, String, Table, func

from ledger.tables import METADATA, CleanText, Count, Moment, keys, number, texts

STUDIES = Table(
    "studies",
    METADATA,
    *keys("name"),
    Column("fingerprint", String(64), nullable=False),  # SHA-256 of the content, in hex digits
    Column("content", JSON, nullable=False),  # the study file, normalised; of the dataset its hash alone
    Column("about", JSON(none_as_null=True)),  # title and name of the dataset, which are no part of the content
    Column("terms", JSON(none_as_null=True)),  # window, budget and priority, as a user last set them
    Column("rehearsal", Boolean, nullable=False),
    Column("created_at", Moment, nullable=False, server_default=func.now()),
)

STUDY_ARMS = Table(
    "study_arms",
    METADATA,
    *keys("study", "arm"),
    Column("protocol", CleanText, nullable=False),
    Column("workflow", CleanText, nullable=False),  # its name on the wire
    Column("models", JSON, nullable=False),
    Column("template", LargeBinary, nullable=False),  # compressed JSON of the arm's first input, whole
)

STUDY_ROWS = Table(
    "study_rows",
    METADATA,
    *keys("study", "row_id"),
    Column("number", Integer, nullable=False),  # from 0, in the order of the dataset
    Column("line", Integer, nullable=False),  # of the file
    Column("question", CleanText, nullable=False),
    Column("expected", CleanText),  # null: the dataset does not say
    Column("extra", JSON(none_as_null=True)),  # the other columns that were asked for
)

INSTANCES = Table(
    "instances",
    METADATA,
    *keys("study"),
    number(),  # from 0, in the order in which they begin
    Column("deliberation_id", CleanText, nullable=False, unique=True),
    *texts("row_id", "arm"),
    Column("repeat", Integer, nullable=False),  # from 1
    Column("title", CleanText, nullable=False),
    Column("changes", LargeBinary, nullable=False),  # compressed JSON: what of the input differs from the template
    Column("estimate_usd", Float(53), nullable=False),
    Column("estimate_tokens", Count, nullable=False),
    Column("shown_options", JSON(none_as_null=True)),  # label as shown to label of the dataset; null: not shuffled
)

REJECTED_ROWS = Table("rejected_rows", METADATA, *keys("study"), number("line"), *texts("reason"))

MISSING_INSTANCES = Table(
    "missing_instances",
    METADATA,
    *keys("study"),
    number(),
    *texts("deliberation_id", "error_type", "message"),
    Column("recorded_at", Moment, nullable=False, server_default=func.now()),
)

SCORES = Table(
    "scores",
    METADATA,
    *keys("study", "scorer", "deliberation_id"),
    Column("other_id", CleanText, primary_key=True),  # the deliberation it was compared with; blank without one
    Column("outcome", CleanText, nullable=False),  # scored, or why there is no value
    Column("value", Float(53)),
    Column("label", CleanText),  # the answer or the class that was read
    Column("correct", Boolean),  # null: the scorer does not say right or wrong
    Column("reason", CleanText, nullable=False),
    Column("details", JSON(none_as_null=True)),
    Column("kind", CleanText, nullable=False),
    Column("fingerprint", String(64), nullable=False),  # SHA-256 of the scorer, in hex digits
    Column("version", CleanText, nullable=False),  # of Parley
    Column("prompts", CleanText, nullable=False),  # version@fingerprint of the grader's prompt pack; blank without one
    Column("cost_usd", Float(53)),  # the known part; null when nothing is known
    Column("tokens", Count, nullable=False),
    Column("calls", Count, nullable=False),
    Column("rehearsal", Boolean, nullable=False),
    Column("recorded_at", Moment, nullable=False, server_default=func.now()),
)

GRADINGS = Table(
    "gradings",
    METADATA,
    Column("grading", CleanText, primary_key=True),  # the study in which models grade
    Column("study", CleanText, nullable=False),
    Column("scorer", CleanText, nullable=False),
    Column("fingerprint", String(64), nullable=False),  # of what is asked of the graders, in hex digits
    Column("recorded_at", Moment, nullable=False, server_default=func.now()),
)
