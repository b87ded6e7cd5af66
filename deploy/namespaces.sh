#!/bin/sh
# Make the namespaces named as arguments, which keep closed deliberations for ten years. Those that are there stay as they are.
# A server that was asked for a namespace before it was there goes on denying it for some seconds; workers come after that.
set -eu

patiently() {
    attempts=30
    until "$@" > /dev/null; do
        attempts=$((attempts - 1))
        [ "$attempts" -gt 0 ] || exit 1
        sleep 2
    done
}

patiently temporal operator cluster health
for namespace in "$@"; do
    temporal operator namespace describe --namespace "$namespace" > /dev/null 2>&1 ||
        temporal operator namespace create --namespace "$namespace" --retention 3650d
    patiently temporal workflow list --namespace "$namespace" --limit 1
done
