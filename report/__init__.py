"""The report: one HTML file with the results of a study or a deliberation, readable in any browser.

It needs no network and no library: tables, plots in SVG and one short script that sorts, filters and opens transcripts.
Text of models and datasets is escaped; a content security policy in the file allows only its own script and style.

* ``build``      the entry point, and ``build_study`` for a study
* ``collect``    rows of the ledger as they are read, reduced to what the page needs
* ``study``, ``deliberation_page``: the two kinds of page; ``page``: the file, with ``page.css`` and ``page.js``
* ``study_facts``  what a study is: facts, arms, methods; ``scores_section``: its scores; ``table``: its deliberations
* ``transcripts``, ``tables``: parts of a page
* ``plots``      plots independent of any protocol; ``figures``: numbers as text
* ``markup``     escaped elements, and text of models; ``read_results``: results from untrusted JSON
"""
