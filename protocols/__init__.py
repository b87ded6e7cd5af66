"""The rules of deliberation: values in, values out.

Nothing here waits, reads a clock or a die, touches a disk or a network, logs, or knows Temporal. What is random comes
in as an argument (an order, a nonce); what a model said comes in as text.

Read in this order:

* ``exchange``    what is asked of a model and what came back (the corridor's values)
* ``panel``       who takes part, and how a model is named
* ``anonymity``   order to labels, labels to authors; names hidden from peers
* ``prompting``   the prompt pack a run keeps, filling a template, fencing what peers wrote
* ``answers``     the final answer in a reply, and its form (``numerals``: numbers; ``endings``: how it is asked for)
* ``votes``       counting equal answers
* ``transcript``  the ordered turns
* ``progress``    what a person sees while it runs
* ``council/``    a room: one protocol (``model``, ``prompts``, ``replies``, ``rules``)
"""
