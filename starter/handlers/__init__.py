"""The functions behind commands, with their errors and exit codes."""
