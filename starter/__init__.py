"""The command line; Temporal's samples call it the starter.

* ``cli``        the program ``parley``; ``commands``: one file per subcommand, its arguments and options
* ``handlers``   the functions behind commands; ``program``: errors and exit codes
* ``views``      terminal output; ``terminal``: printable text, JSON
* ``doctor``     the checks of ``parley doctor``: of the installation, and of running deliberations
"""
