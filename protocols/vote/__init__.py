"""Vote: models x samples answer one question independently, and the most frequent answer wins.

One stage: ``answer`` asks every model of the panel ``samples`` times at once. The votes are the answers read from the
replies, never their reasoning. A tie goes to the earliest vote and is recorded, and so is a reply without a readable
answer. The count is a plurality; ``agreement`` is the winner's share.

==============================  ==================  ======================================================
command and study arm           models x samples    source
==============================  ==================  ======================================================
``single``                      1 x 1               one model that answers once: the baseline of a study
``self-consistency``            1 x n               Wang, Wei, Schuurmans, Le, Chi, Narang, Chowdhery, Zhou (2022),
                                                    "Self-Consistency Improves Chain of Thought Reasoning in Language
                                                    Models", arXiv:2203.11171
``majority``                    m x 1               the majority baseline of Du, Li, Torralba, Tenenbaum, Mordatch
                                                    (2023), "Improving Factuality and Reasoning in Language Models
                                                    through Multiagent Debate", arXiv:2305.14325
``vote``                        m x n               all of them
==============================  ==================  ======================================================

Read in this order: ``model`` (the values), ``prompts`` (the calls), ``readers`` (the replies), ``results`` (the end and
the result). ``protocols.answers`` has the forms of an answer, ``protocols.votes`` the count.
"""
