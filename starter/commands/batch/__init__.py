"""``parley batch``: studies of many deliberations. ``group`` has the commands, a module each beside it.

``running`` has ``run`` and ``init``, ``looking`` has ``status`` and ``list``, ``steering`` what changes a study while
it runs, ``again`` has ``retry`` and ``extend``.
"""
