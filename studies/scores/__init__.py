"""Scores of finished deliberations: scorers, the runs in which models grade, and the figures of preferences.

``scorer_file`` has the file ``scorers.toml``, ``answer_scorers`` what is computed from an answer and its label,
``python_scorer`` a function of the user's, ``imported_scores`` those of people and other programs, ``grading`` the
studies in which models grade, ``strengths`` the results of pairs, ``scorer_agreement`` the agreement of scorers.
``computed`` scores a study without a model, ``grades`` has the gradings of a study and their answers, ``summary`` the
figures.

No score is part of a study's identity: a scorer changes and no deliberation is paid again.
"""
