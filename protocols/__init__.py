"""The rules of deliberation: values in, values out.

Nothing here waits, reads a clock or a die, touches a disk or a network, logs, or knows Temporal. What is random comes
in as an argument (an order, a nonce); what a model said comes in as text.

Read in this order:

* ``exchange``    what is asked of a model and what came back (the corridor's values)
* ``panel``       who takes part, and how a model is named
* ``anonymity``   order to labels, labels to authors; names hidden from peers
* ``prompting``   the prompt pack a run keeps, filling a template, fencing what peers wrote
* ``answers``     the final answer in a reply, and its form (``numerals``: numbers; ``endings``: how it is asked for)
* ``seeds``       the seed of each request, derived from one
* ``votes``       counting equal answers
* ``objects``     JSON in what a model says; ``spoken``: what it says when it has thought; ``tokens``: how long it is
* ``transcript``  the ordered turns
* ``progress``    what a person sees while it runs
* ``requests``    what a person may ask of one that runs; ``rewinding``: going on from an earlier round
* ``council/``    a room: one protocol (``model``, ``prompts``, ``replies``, ``rules``); so are ``consensus/``,
  ``fire_circle/``, ``debate/``, ``vote/`` and ``mixture/``
* ``study/``      many deliberations that are held once each: who may begin, what is counted, what its schedules say
"""
