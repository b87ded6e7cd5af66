"""The HTTP API of the rehearsal server."""
