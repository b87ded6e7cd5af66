"""One request to a provider's API: body, stream, usage and errors.

Nothing here retries, knows Temporal, or reads the environment of the process. A request is sent once; it ends in a
reply or in one of the errors of ``errors``, and no error contains a key, a header, an address or a prompt.

Read in this order:

* ``catalogue``        the providers and their addresses; ``addresses``: the accepted base URLs
* ``credentials``      keys, which no text ever contains
* ``request``          body and headers in each provider's dialect; ``structured_output``: JSON schemas
* ``pool``             connections; ``call_slots``: their number, shared between the providers; ``read_pace``: how often
                       each of many streams is read
* ``http_exchange``    one exchange within its deadlines; ``progress``: its progress for heartbeats
* ``bytestream``       bytes to checked text; ``wire_json``: text to values; ``stream_assembly``: chunks to one reply,
                       by ``chunk_pattern`` where they repeat their form
* ``usage``            tokens and cost as reported by a provider; ``prices``: estimates where it reports none
* ``errors``           all errors; ``error_responses`` builds them from status and body, ``gateway_errors`` recognises
                       gateways in front of a provider, ``retry_after`` reads the requested wait
* ``model_lists``      a provider's own list of its models; ``source_lists``: the sources of a searching model
"""
