#!/bin/sh
# Run at every start, after the Temporal server: the namespace exists and keeps closed deliberations for ten years.
# The list columns are registered by the workers themselves.
set -eu
if ! temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 3650d
fi
# A server that was asked before the namespace was there goes on saying so for some seconds; workers come after that.
for _ in $(seq 30); do
  if said=$(temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention 3650d 2>&1); then
    echo "$said"
    exit 0
  fi
  sleep 1
done
echo "$said" >&2
exit 1
