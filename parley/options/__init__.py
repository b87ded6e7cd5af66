"""Options of a deliberation: the fields that commands, study files and Python calls share."""
