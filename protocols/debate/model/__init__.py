"""The values of a debate: ``turns`` what one debater says, ``state`` the registries, ``course`` all that was held.

``asked`` has what a debate is asked to do, what a person may ask of it while it runs, and what comes out.
"""
