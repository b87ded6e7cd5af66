"""The rules of deliberation as pure functions over immutable values.

A module here does no input or output, reads no clock, draws no random number, writes no log and imports no Temporal.
Random values (an order, a nonce) and the texts of models are arguments.

* ``model_call``      the values of one call to a model and its reply; ``panel``: participants and names of models
* ``deliberation``    the base classes of all inputs and results; ``branch``: rounds shared with another deliberation
* ``anonymity``       labels in place of models' names
* ``prompt_pack``     the templates of a run; ``final_answer_prompt``: the line that asks for a final answer
* ``answers``         forms of a final answer, and its reading; ``choice_answers``, ``number_answers`` and others help
* ``votes``           counts of equal answers
* ``json_in_text``    JSON inside a reply; ``thinking``: reasoning in front of it; ``tokens``: its length
* ``transcript``      turns in order; ``sources``: cited pages; ``flaws``: what makes a result degraded
* ``progress``        the progress of a running deliberation; ``update_requests``: changes to it
* ``council``, ``consensus``, ``fire_circle``, ``debate``, ``vote``, ``mixture``: one package for each protocol, with
  ``model``, ``prompts``, ``replies`` or ``readers``, ``rules`` and ``results``
* ``study``           budgets, counts and pauses of many deliberations
"""
