"""Where Temporal is, and what is refused on the way there."""

from pathlib import Path

import pytest
from temporalio.service import GrpcCompression

from runtime.errors import PlaintextRefusedError, SettingsError
from runtime.settings import Settings
from runtime.target import is_loopback, temporal_target


def test_nothing_configured_means_this_machine(settings: Settings) -> None:
    """Without an address the target is this machine's server port, and is marked as not configured."""
    target = temporal_target(settings)

    assert (f"127.0.0.1:{settings.server_port}", False) == (target.address, target.configured)


def test_sdk_variables_are_read(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Address, namespace and API key come from the SDK's own variables; a key switches TLS on."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "cloud.example:7233")
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "ours")
    monkeypatch.setenv("TEMPORAL_API_KEY", "canary-key")
    target = temporal_target(settings)

    assert (
        target.address,
        target.namespace,
        target.configured,
        target.tls,
    ) == ("cloud.example:7233", "ours", True, True)
    assert "canary" not in repr(target)


def test_profile_file_is_read(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A profile in the SDK's file is used by its name."""
    (tmp_path / "temporal.toml").write_text('[profile.lab]\naddress = "127.0.0.1:9999"\nnamespace = "lab"\n')
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(tmp_path / "temporal.toml"))
    monkeypatch.setenv("TEMPORAL_PROFILE", "lab")
    target = temporal_target(settings)

    assert (target.address, target.namespace) == ("127.0.0.1:9999", "lab")


@pytest.mark.parametrize("variable", ["TEMPORAL_CONFIG_FILE", "TEMPORAL_PROFILE"])
def test_missing_profile_or_file_is_an_error(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """A file or profile that is named and absent is an error that names the variable."""
    monkeypatch.setenv(variable, "nowhere")

    with pytest.raises(SettingsError, match=variable):
        temporal_target(settings)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("TEMPORAL_TLS_SERVER_CA_CERT_PATH", "gone.pem"),
        ("TEMPORAL_TLS_CLIENT_CERT_DATA", "TEMPORAL_TLS_CLIENT_KEY_PATH"),
    ],
)
def test_unusable_certificate_is_an_error_of_the_settings(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    """A file of a certificate that is not there, and a certificate without its key, are named with the remedy."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "localhost:7233")
    monkeypatch.setenv(name, "/nowhere/gone.pem")
    with pytest.raises(SettingsError, match=said):
        temporal_target(settings)


def test_plain_text_to_another_machine_is_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without TLS nothing is sent to another machine."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "temporal:7233")

    with pytest.raises(PlaintextRefusedError, match="PARLEY_ALLOW_PLAINTEXT"):
        temporal_target(settings)


def test_plain_text_on_a_trusted_network_can_be_allowed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user may say that the network is private."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "temporal:7233")
    target = temporal_target(settings.model_copy(update={"allow_plaintext": True}))

    assert not target.tls


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("localhost:7233", True),
        ("127.0.0.5:7233", True),
        ("[::1]:7233", True),
        ("0.0.0.0:7233", False),
        ("2130706433:7233", False),
        ("localhost.example:7233", False),
        ("10.0.0.1:7233", False),
    ],
)
def test_only_loopback_is_this_machine(address: str, here: bool) -> None:
    """A host is this machine when it is localhost or a loopback address in its plain spelling."""
    assert here == is_loopback(address)


def test_requests_are_compressed_for_another_machine_only(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes over a network is compressed as the SDK does it; what stays on this machine is not."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "cloud.example:7233")
    monkeypatch.setenv("TEMPORAL_API_KEY", "canary-key")
    target = temporal_target(settings)

    assert target.compression is GrpcCompression.GZIP
    assert target.at("127.0.0.1:1").compression is GrpcCompression.NONE


def test_credentials_do_not_follow_to_another_address(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An API key is sent to the address it was configured with and to no other."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "cloud.example:7233")
    monkeypatch.setenv("TEMPORAL_API_KEY", "canary-key")
    target = temporal_target(settings)

    assert target.at("127.0.0.1:1").api_key is None
    assert target.at("cloud.example:7233").api_key == "canary-key"


def test_key_without_address_is_not_sent_to_this_machine(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An API key that is alone belongs to some other server; the local one is spoken to without it."""
    monkeypatch.setenv("TEMPORAL_API_KEY", "canary-key")
    target = temporal_target(settings)

    assert (target.api_key, target.tls) == (None, False)
