"""Every workflow that a worker serves and a replay needs."""

from parley.specs import PROTOCOLS
from workflows.batch import BatchWorkflow
from workflows.budget import BudgetWorkflow
from workflows.by_protocol import class_of
from workflows.scheduled_study import ScheduledStudyWorkflow
from workflows.shard import ShardWorkflow

WORKFLOWS = (*map(class_of, PROTOCOLS), *(BatchWorkflow, ShardWorkflow, BudgetWorkflow, ScheduledStudyWorkflow))
