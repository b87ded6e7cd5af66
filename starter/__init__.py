"""The command line, what Temporal's samples call the starter.

* ``cli``        the program ``parley``; ``commands``: one file per subcommand, its arguments and options
* ``handlers``   what the commands do, and how one is run and ends with its exit code
* ``views``      what is shown in the terminal; ``terminal``: text that is safe to print, JSON
* ``doctor``     the checks of ``parley doctor``: of the installation, and of deliberations that run
"""
