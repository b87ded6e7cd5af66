"""One file per subcommand of ``parley``; each is loaded only when it is called, by the table in ``starter.cli``."""
