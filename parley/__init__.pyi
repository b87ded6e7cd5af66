# The public names of Parley: what `from parley import …` offers, from any layer.

from parley.client import Parley as Parley
from parley.deliberations import Deliberation as Deliberation
from parley.errors import ColumnsUnknownError as ColumnsUnknownError
from parley.errors import DeliberationFailedError as DeliberationFailedError
from parley.errors import IdUsedError as IdUsedError
from parley.errors import MissingKeyError as MissingKeyError
from parley.errors import NoSuchQueryError as NoSuchQueryError
from parley.errors import ParleyError as ParleyError
from parley.errors import ProcessFailedError as ProcessFailedError
from parley.errors import ReplayBrokenError as ReplayBrokenError
from parley.errors import RequestError as RequestError
from parley.errors import StuckError as StuckError
from parley.errors import TemporalAwayError as TemporalAwayError
from parley.errors import UnknownDeliberationError as UnknownDeliberationError
from parley.errors import UpdateRefusedError as UpdateRefusedError
from parley.options.consensus import ConsensusOptions as ConsensusOptions
from parley.options.council import CouncilOptions as CouncilOptions
from parley.options.debate import DebateOptions as DebateOptions
from parley.options.equal_cost import MixtureOptions as MixtureOptions
from parley.options.equal_cost import VoteOptions as VoteOptions
from parley.options.fire_circle import FireCircleBaselineOptions as FireCircleBaselineOptions
from parley.options.fire_circle import FireCircleOptions as FireCircleOptions
from protocols.consensus.model import ConsensusResult as ConsensusResult
from protocols.council.model import CouncilResult as CouncilResult
from protocols.debate.model.io import DebateResult as DebateResult
from protocols.deliberation import DeliberationResult as DeliberationResult
from protocols.fire_circle.io import FireCircleBaselineResult as FireCircleBaselineResult
from protocols.fire_circle.io import FireCircleResult as FireCircleResult
from protocols.mixture.model import MixtureResult as MixtureResult
from protocols.vote.model import VoteResult as VoteResult
from runtime.errors import SetupError as SetupError
from runtime.settings import Settings as Settings
from studies.exports.study_tables import StudyTables as StudyTables
from studies.screening.files import read_prompts as read_prompts
from studies.screening.promptguard import PromptGuard as PromptGuard
from studies.screening.promptguard import evaluate_prompts as evaluate_prompts
from studies.study import Study as Study

__version__: str
