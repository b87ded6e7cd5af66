"""Process setup: settings, logs, the connection to Temporal, payloads and shutdown.

A line here knows no protocol: workflow classes, search attributes and module names come in as arguments or plain words.

* ``settings``        ``PARLEY_`` variables and ``.env``, read once; ``target``: where Temporal is
* ``logs``            one pipeline for every log line; ``redaction``: what never stands in one
* ``connect``         a client; ``plugin``: what client, worker and replayer share; ``telemetry``: metrics and spans
* ``payloads``        how values travel; ``blobs``: large texts; ``encryption``: keys; ``sandbox``: the list
* ``addressing``      which server is used; ``embedded``: our own, kept alive; ``bootstrap``: what a new one is told
* ``server_process``  what is kept alive; ``server_flags``: how it is started; ``server_lock``: who may stop it
* ``installation``    which installation a Temporal namespace serves; ``installation_schedule`` its other mark
* ``home``            the directory that an installation keeps, closed to other users
* ``codec_endpoint``  what lets the Web UI read stored texts; ``readable``: payloads outside a client
* ``task_queues``     limits that the server keeps; ``shutdown``: how a process ends; ``errors``: what can go wrong
"""
