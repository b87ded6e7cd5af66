"""The report: one HTML file that shows how a study or a deliberation came out, and needs nothing but a browser.

No network, no library: tables, drawings in SVG and one short script that sorts, filters and opens transcripts. Whatever
models or datasets wrote stands in it as text; a policy in the file itself allows its own script and style and nothing
else.

What is in here: ``markup`` (elements that cannot be written unescaped), ``leaves`` (JSON that is read without trust),
``figures`` (words for numbers), ``gathering`` (rows as they stream by, kept
small), ``arms`` (the comparison's figures), ``plots`` (drawings that know no protocol), ``rooms`` (a result's own
drawings, by protocol), ``transcripts`` (who said what, shortened and packed), ``table`` (the deliberations), ``study``
and ``single`` (the two kinds of page), ``branches`` (a rewound deliberation beside the one it comes from), ``page``
(the file, with ``page.css`` and ``page.js``).
"""
