"""A study: many deliberations within a window and a budget, however long it takes.

An *arm* is one way to hold a deliberation: a protocol, a panel, its options. Every row of a dataset is put to every
arm, once or several times; each of these is an *instance* and becomes one deliberation. What is asked stands in the
ledger: what travels between the schedules are numbers of instances and tallies.

``model`` has the values that the schedules of a study exchange, ``rules`` what follows from them: how many may start,
what is reserved, why nothing starts any more, and how tallies add up.
"""
