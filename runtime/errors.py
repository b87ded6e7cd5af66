"""Errors of process setup and of reading stored payloads.

Every message names the value, unless it is secret, and what a user can do about it::

    SetupError
    ├── SettingsError              a setting is unknown, unreadable or does not fit another
    │   └── PlaintextRefusedError  a remote Temporal connection would not use TLS
    ├── CannotReachTemporalError   no server answers at the address, or one that is not Temporal
    ├── ForeignInstallationError   the server serves another installation, or none of ours
    ├── SearchAttributeClashError  the server has a list column with another type
    ├── PortInUseError             another process listens on a port of ours
    ├── ServerError                the embedded server …
    │   ├── ServerProgramMissingError   … is not installed here
    │   ├── ServerLockedError           … already runs on this file
    │   └── ServerFailedError           … did not come up
    └── PayloadError               a stored value cannot be read
        ├── BlobMissingError       its text is not in the blob directory
        ├── BlobDamagedError       its text is not what was stored
        └── UnknownKeyError        it was encrypted under a key that is not here

A ``PayloadError`` inside a worker fails the workflow task, which Temporal repeats: the deliberation continues
as soon as the blob or the key is back.
"""

import re


class SetupError(Exception):
    """A process cannot be set up as it was asked for."""


class SettingsError(SetupError):
    """A setting is unknown, unreadable or does not fit another."""


class PlaintextRefusedError(SettingsError):
    """The connection to a Temporal server on another machine would not use TLS."""


class CannotReachTemporalError(SetupError):
    """The absence of a Temporal server at the address."""


class ForeignInstallationError(SetupError):
    """The Temporal namespace serves another installation, or belongs to none and was not configured."""


class SearchAttributeClashError(SetupError):
    """The server already has a search attribute of another type."""


class PortInUseError(SetupError):
    """A required port is in use by another program."""


class ServerError(SetupError):
    """The embedded server cannot be had."""


class ServerProgramMissingError(ServerError):
    """The absence of the ``temporal`` program on this machine."""


class ServerLockedError(ServerError):
    """A server already runs on this file."""


class ServerFailedError(ServerError):
    """The server was started and did not come up."""


class PayloadError(SetupError):
    """A stored value cannot be read."""


class BlobMissingError(PayloadError):
    """The text that a reference names is not in the blob directory."""


class BlobDamagedError(PayloadError):
    """A blob whose content does not match its digest."""


class UnknownKeyError(PayloadError):
    """The value was encrypted under a key that this process does not have."""


def missing_namespace(error: Exception) -> CannotReachTemporalError | None:
    """Return the error of a missing namespace, with the remedy; ``None`` for others."""
    if missing := re.match(r"Namespace (\S+) is not found", str(error)):
        made = f"temporal operator namespace create --namespace {missing[1]}"
        said = f"the server has no namespace {missing[1]}. Name another with TEMPORAL_NAMESPACE, or make it: {made}"
        return CannotReachTemporalError(said)
    return None


def refusal(error: Exception) -> str:
    """Return why a server or the set-up refused, with the remedy where the namespace is missing."""
    return str(missing_namespace(error) or error)
