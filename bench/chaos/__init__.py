"""A chaos run: deliberations of all protocols while processes, the disk and the providers fail, counted at the end.

``python -m bench.chaos --minutes 10`` starts ``parley up`` and a rehearsal server in a directory of their own, keeps a
study and single deliberations running, plays one fault of the processes and one of the providers at a time, and prints
the numbers of deliberations and calls, and the effect of each kind of fault.

Reading order: ``processes``, ``faults``, ``workload``, ``accounts``, ``__main__``.
"""
