#!/bin/sh
# Bring Temporal's two databases to the shape that this version of the server reads. Saying it again changes nothing.
set -eu

upgrade() {
    tool="temporal-sql-tool --plugin postgres12 --ep postgresql -p 5432 -u history --db $1"
    $tool setup-schema -v 0.0
    $tool update-schema -d "/etc/temporal/schema/postgresql/v12/$2/versioned"
}

upgrade temporal temporal
upgrade temporal_visibility visibility
