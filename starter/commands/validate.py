"""``parley validate fire-circle``: what a fire circle is worth beside its baselines (seed 000, section 9.3)."""

import os
import secrets
from contextlib import suppress
from typing import Any, Literal

import click
from temporalio.service import RPCError

from protocols.exchange import Frozen
from protocols.fire_circle.model import DEFAULT_CIRCLE, Mode
from protocols.panel import FailureMode
from runtime.settings import Settings
from starter.cases import TEN_CASES, Case
from starter.catalogue import Providers
from starter.circle_options import EvaluateOptions, FireCircleOptions
from starter.client import Parley
from starter.commands.asking import split
from starter.deliberations import Deliberation
from starter.errors import FAILED, VERDICT, ParleyError, RequestError
from starter.exits import run, say
from starter.labelled import Columns, Labelled, read_labelled
from starter.scores import THRESHOLD
from starter.session import open_session
from starter.terminal import as_json, console
from starter.trials import Judge, Outcome, hold
from starter.validation import Report, report
from starter.views.progress import REHEARSAL
from starter.views.validation import progress_line, validation
