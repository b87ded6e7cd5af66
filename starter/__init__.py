"""The command line, what Temporal's samples call the starter.

* ``cli``        the program ``parley``; ``commands``: one file per subcommand
* ``views``      what is shown in the terminal; ``terminal``: text that is safe to print, JSON
* ``checkup``    the checks of ``parley doctor``; ``running_checks``: those of deliberations that run
"""
