"""Every workflow that a worker serves and a replay needs."""

from parley.specs import PROTOCOLS
from workflows.batch import BatchWorkflow
from workflows.budget import BudgetWorkflow
from workflows.scheduled_study import ScheduledStudyWorkflow
from workflows.shard import ShardWorkflow

WORKFLOWS = (
    *(spec.workflow for spec in PROTOCOLS.values()),
    *(BatchWorkflow, ShardWorkflow, BudgetWorkflow, ScheduledStudyWorkflow),
)
