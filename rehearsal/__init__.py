"""A local model API for rehearsals: three providers' dialects, scripted models and faults on demand.

It replaces the providers where no key, no money and no network is wanted, and reproduces every known failure of theirs.
It is a real HTTP server, so a client is tested on the wire.

* ``api``       the HTTP server: chat endpoint, rate limits, bills, control endpoints
* ``models``    scripted models: recognition of prompts, and replies by protocol
* ``dialects``  the replies in the format of each provider
* ``faults``    errors, broken bodies, broken streams and broken connections

A reply depends only on the seed, the model's name and the question, never on a nonce, a label or a clock; at a
temperature a final answer depends also on the request's seed, otherwise on the logical call. Every behaviour and every
fault is one row of a table. Only a short digest of a key is kept. Every response has the header
``X-Parley-Rehearsal: 1``. No other package imports this one, and it imports none.
"""
