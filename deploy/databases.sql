-- Run once, when the database cluster is new: two users, each owning what is its own and nothing else.
-- `history` keeps Temporal's two databases, `parley` the ledger and the call journal. Neither may create databases or users.
\getenv history_password HISTORY_DB_PASSWORD
\getenv ledger_password LEDGER_DB_PASSWORD

CREATE ROLE history LOGIN PASSWORD :'history_password';
CREATE ROLE parley LOGIN PASSWORD :'ledger_password';

CREATE DATABASE temporal OWNER history;
CREATE DATABASE temporal_visibility OWNER history;
CREATE DATABASE parley OWNER parley;

REVOKE CONNECT, TEMPORARY ON DATABASE temporal, temporal_visibility, parley FROM PUBLIC;
