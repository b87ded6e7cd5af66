"""Every workflow that a worker serves and a replay knows."""

from workflows.baseline import EvaluateWorkflow
from workflows.batch import BatchWorkflow
from workflows.consensus import ConsensusWorkflow
from workflows.council import CouncilWorkflow
from workflows.debate import DebateWorkflow
from workflows.fire_circle import FireCircleWorkflow
from workflows.majority import MajorityWorkflow
from workflows.mixture import MixtureWorkflow
from workflows.purse import PurseWorkflow
from workflows.scheduled import ScheduledStudyWorkflow
from workflows.self_consistency import SelfConsistencyWorkflow
from workflows.shard import ShardWorkflow

WORKFLOWS = (
    *(CouncilWorkflow, ConsensusWorkflow, FireCircleWorkflow, EvaluateWorkflow, DebateWorkflow),
    *(SelfConsistencyWorkflow, MajorityWorkflow, MixtureWorkflow),
    *(BatchWorkflow, ShardWorkflow, PurseWorkflow, ScheduledStudyWorkflow),
)
