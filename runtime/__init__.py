"""Process setup: settings, logs, the connection to Temporal, payloads and shutdown.

No module here imports a protocol: workflow classes, search attributes and module names are arguments.

* ``settings``        ``PARLEY_`` variables and ``.env``, read once; ``target``: the Temporal server
* ``logs``            one pipeline for every log line; ``redaction``: secrets removed from it
* ``connect``         a client; ``plugin``: the setup that client, worker and replayer share; ``telemetry``: metrics
* ``payloads``        the data converter; ``compression`` and ``encryption``
* ``server_address``  the server in use, with its search attributes; ``local_server``: our own
* ``server_process``  the process of our own server, with ``server_flags`` and ``server_lock``
* ``file_locks``      locks on files, also on those with a process id
* ``installation``    the installation that a Temporal namespace serves
* ``home``            the directory of an installation, closed to other users; ``capacity``: calls that fit
* ``codec_endpoint``  stored texts for the Web UI
* ``rate_limits``     limits of task queues; ``shutdown``: signals; ``liveness``: health reports; ``errors``
"""
