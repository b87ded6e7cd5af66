#!/bin/sh
# Make the namespaces named as arguments, which keep closed deliberations for ten years. Those that are there stay as they are.
set -eu

attempts=30
until temporal operator cluster health; do
    attempts=$((attempts - 1))
    [ "$attempts" -gt 0 ] || exit 1
    sleep 2
done

for namespace in "$@"; do
    temporal operator namespace describe --namespace "$namespace" > /dev/null 2>&1 ||
        temporal operator namespace create --namespace "$namespace" --retention 87600h
done
