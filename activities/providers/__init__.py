"""One request to a provider's API: body, stream, usage and errors.

Nothing here retries, knows Temporal, or reads the process's environment. A request is made once; it ends in a ``Heard``
or in one of the errors of ``errors``, and no error carries a key, a header, an address or a prompt.

Read in this order:

* ``catalogue``     the providers and where they stand; ``addresses`` says which base URLs are accepted
* ``credentials``   keys: read, held, and kept out of every text
* ``request``       body and headers in each provider's dialect
* ``pool``          connections; ``conversation`` holds one exchange under its deadlines
* ``bytestream``    bytes to checked text; ``wire_json`` text to values; ``assembly`` chunks to one answer
* ``thinking``      thinking that a model writes in front of its answer
* ``accounts``      usage and cost as the provider counts them; ``prices`` when it does not
* ``places``        how many requests are made at once, shared between the providers
* ``errors``        what can go wrong; ``complaints`` reads it from a status and a body, ``waiting`` for how long,
                    ``gateways`` recognises what answers in a provider's place
* ``model_lists``   a provider's own list of its models
* ``pulse``         how far a call has come, for its heartbeats
"""
