"""A local model API for rehearsals: three providers' dialects, scripted models and faults on demand.

It stands in for the providers where no key, no money and no network is wanted, and it breaks in every way they are
known to break. It is a real HTTP server: what a client survives here, it survives on the wire.

Reading order: ``server`` (the house opens and closes), ``stage_door`` (one call comes in), ``cues`` (what is being
asked), ``casting`` (who plays: a name may carry a behaviour or a fault), ``behaviours`` (what is said: in a council by
``opinions`` and ``judgements``, in a consensus by ``verdicts``, in a fire circle by ``evaluators`` with ``signs`` and
``shapes``, in a debate by ``debaters`` with ``themes``, ``speeches`` and ``tempers``, and by those ``beside`` them, in
a mixture by ``mixtures``; where a final answer is asked for it comes from ``finals`` with ``problems`` and ``sums``),
``dialects`` (how a provider writes it down), ``faults`` (how it goes wrong), ``ledger`` (what was counted and billed).

House rules: everything said follows from the seed, the model's name and the question, never from a nonce, a label or
a clock; at a temperature a final answer follows from the draw as well (the request's seed, else the logical call);
every behaviour and every fault is one row of a table; a key is never kept, only a short digest of it; every response
carries ``X-Parley-Rehearsal: 1``. It knows no other floor and no other floor knows it.
"""
