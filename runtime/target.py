"""The address of Temporal, from the SDK's environment variables and profile file.

``TEMPORAL_ADDRESS``, ``TEMPORAL_NAMESPACE``, ``TEMPORAL_API_KEY``, ``TEMPORAL_TLS…``, ``TEMPORAL_PROFILE`` and
``TEMPORAL_CONFIG_FILE`` mean here what they mean to the ``temporal`` program and to every other SDK. Parley adds one
rule: nothing goes in plain text to another machine unless ``PARLEY_ALLOW_PLAINTEXT`` says so.
"""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from temporalio.envconfig import ClientConfig
from temporalio.service import GrpcCompression, TLSConfig

from runtime.errors import PlaintextRefusedError, SettingsError
from runtime.settings import Settings


@dataclass(frozen=True)
class Target:
    """A Temporal server, its namespace, and its TLS settings."""

    address: str
    namespace: str
    configured: bool
    """Whether the address was configured; if not, it is this machine's ``server_port``."""
    tls: bool | TLSConfig = field(default=False, repr=False)
    api_key: str | None = field(default=None, repr=False)
    rpc_metadata: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def compression(self) -> GrpcCompression:
        """The compression of requests: within one machine it costs both processes time and saves nothing."""
        return GrpcCompression.NONE if is_loopback(self.address) else GrpcCompression.GZIP

    def at(self, address: str) -> "Target":
        """Return the same namespace at an address on this machine, without TLS."""
        return self if address == self.address else replace(self, address=address, tls=False, api_key=None)


def temporal_target(settings: Settings) -> Target:
    """Return the address of Temporal for this process.

    Raises:
        SettingsError: the SDK's profile or configuration file is missing or unreadable.
        PlaintextRefusedError: the address is another machine's and TLS is off.
    """
    named = os.environ.get("TEMPORAL_CONFIG_FILE")
    if named and not Path(named).is_file():
        raise SettingsError(f"TEMPORAL_CONFIG_FILE names {named!r}, and there is no such file. Correct or unset it.")
    try:
        config = ClientConfig.load_client_connect_config()
    except (RuntimeError, OSError) as error:  # the SDK's ConfigError has no public name
        raise SettingsError(
            f"Temporal's own configuration cannot be read: {error}. "
            "Check TEMPORAL_PROFILE and the files that TEMPORAL_CONFIG_FILE and TEMPORAL_TLS_… name."
        ) from None
    tls = config.get("tls", False)
    if isinstance(tls, TLSConfig) and bool(tls.client_cert) != bool(tls.client_private_key):
        raise SettingsError(
            "of a client's certificate and its key only one is set; set both TEMPORAL_TLS_CLIENT_CERT_PATH and "
            "TEMPORAL_TLS_CLIENT_KEY_PATH, or neither"
        )
    named = config.get("target_host")
    if named is None:  # a key or certificate without an address is meant for some other server
        address = f"127.0.0.1:{settings.server_port}"
        return Target(address=address, namespace=config.get("namespace") or settings.namespace, configured=False)
    target = Target(
        address=named,
        namespace=config.get("namespace") or settings.namespace,
        configured=True,
        tls=tls,
        api_key=config.get("api_key"),
        rpc_metadata=config.get("rpc_metadata", {}),
    )
    return refuse_plaintext(target, allowed=settings.allow_plaintext)


def refuse_plaintext(target: Target, *, allowed: bool) -> Target:
    """Return ``target`` if what is sent there goes by TLS, stays on this machine, or is ``allowed`` in plain text.

    Raises:
        PlaintextRefusedError: it is another machine and TLS is off.
    """
    if target.tls or allowed or is_loopback(target.address):
        return target
    raise PlaintextRefusedError(
        f"the address {target.address!r} of Temporal is another machine, and TLS is off. Set TEMPORAL_ADDRESS with "
        "TEMPORAL_TLS=true or TEMPORAL_API_KEY, or, on a private network that you trust, PARLEY_ALLOW_PLAINTEXT=true."
    )


def is_loopback(address: str) -> bool:
    """Return whether ``host:port`` (or ``[host]:port``, or a bare host) names this machine."""
    host = address.rpartition(":")[0] or address
    host = host.strip("[]").lower()
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
