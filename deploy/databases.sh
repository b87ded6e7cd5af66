#!/bin/sh
# Run once, by PostgreSQL's image, when the data directory is new: one role and its databases for the Temporal server,
# one role and one database for the workers. Neither is an administrator, and neither can open the other's databases.
set -eu
psql --set=ON_ERROR_STOP=1 --quiet --username="${POSTGRES_USER:-postgres}" --dbname=postgres \
  --set=temporal="$POSTGRES_TEMPORAL_PASSWORD" --set=ledger="$POSTGRES_LEDGER_PASSWORD" <<'SQL'
CREATE ROLE temporal LOGIN PASSWORD :'temporal';
CREATE ROLE parley_worker LOGIN PASSWORD :'ledger';
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
CREATE DATABASE parley OWNER parley_worker;
REVOKE CONNECT ON DATABASE postgres, temporal, temporal_visibility, parley FROM PUBLIC;
SQL
