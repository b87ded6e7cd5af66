"""Telemetry of a process: metrics for Prometheus and spans for OpenTelemetry, both optional.

Core, the SDK's Rust part, would print its warnings on standard output, which belongs to what a user asked for; they
are handed to the standard library's logging and leave with the other lines. Libraries that only spans need are imported
when spans are wanted.
"""

import logging
from functools import cache

from temporalio.client import Plugin
from temporalio.runtime import (
    LogForwardingConfig,
    LoggingConfig,
    PrometheusConfig,
    Runtime,
    TelemetryConfig,
    TelemetryFilter,
)

from runtime.errors import SettingsError
from runtime.settings import Settings
from runtime.shutdown import before_leaving

_CORE = "temporal.core"


def silence_task_failures() -> None:
    """Leave out the lines of core and the SDK about failing workflow tasks, those of a replay too."""
    logging.getLogger(_CORE).filters[:] = [lambda record: not record.name.endswith("::worker::workflow")]
    for name in ("temporalio.worker._workflow", "temporalio.worker._workflow_instance"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def temporal_runtime(settings: Settings) -> Runtime:
    """Return the SDK runtime of this process, always the same one, because each has its own threads.

    Worker N of one command listens N - 1 ports above the metrics address.
    """
    host, _, port = (settings.metrics_address or "").partition(":")
    return _runtime(f"{host}:{int(port) + settings.worker_number - 1}" if host else None)


def unmeasured_runtime() -> Runtime:
    """Return an SDK runtime that measures nothing: for commands, and for work beside a worker, such as a replay."""
    return _runtime(None)


def span_plugin(settings: Settings) -> Plugin | None:
    """Return the plugin that records a span for each workflow, activity and call, if an endpoint is set."""
    return None if settings.otlp_endpoint is None else _spans(settings.otlp_endpoint)


@cache
def _runtime(metrics_address: str | None) -> Runtime:
    log_config = LoggingConfig(
        filter=TelemetryFilter(core_level="WARN", other_level="ERROR"),
        forwarding=LogForwardingConfig(logger=logging.getLogger(_CORE)),
    )
    metrics = PrometheusConfig(bind_address=metrics_address) if metrics_address else None
    try:
        return Runtime(telemetry=TelemetryConfig(logging=log_config, metrics=metrics))
    except (RuntimeError, ValueError) as error:
        raise SettingsError(
            f"the metrics of this worker (PARLEY_METRICS_ADDRESS) cannot be served at {metrics_address!r}: {error}"
        ) from None


@cache
def _spans(endpoint: str) -> Plugin:
    from opentelemetry import trace  # noqa: PLC0415 - half a second that only those pay who want spans
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - the same
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - the same
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - the same
    from temporalio.contrib.opentelemetry import (  # noqa: PLC0415 - the same
        OpenTelemetryPlugin,
        create_tracer_provider,
    )

    provider = create_tracer_provider(resource=Resource.create({"service.name": "parley"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    trace.set_tracer_provider(provider)
    before_leaving(provider.shutdown)
    return OpenTelemetryPlugin(add_temporal_spans=True)
