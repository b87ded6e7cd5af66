"""Markdown by which a model attacks its reader."""

ATTACKS = {
    "raw HTML": "<script>alert(1)</script><img src=x onerror=alert(1)><b onclick=alert(1)>x</b>",
    "HTML block": "<div style='position:fixed'>\n\n# over everything\n\n</div>",
    "HTML comment": "shown <!-- hidden order --> shown",
    "script link": "[a](javascript:alert(1)) [a](JaVaScRiPt:alert(1)) [a](data:text/html,<script>1</script>)",
    "link": "[our bank](https://evil.example/phish 'a title')",
    "autolink": "<https://evil.example/a> https://evil.example/b www.evil.example me@evil.example",
    "image": "![pixel](https://evil.example/pixel.png 'title')",
    "reference": "[text][r]\n\n[r]: https://evil.example/r 'hidden order'",
    "entities": "&#8238;gnp.exe &#x200b; &lt;script&gt; &#x1b;[31m",
    "headings": "# REHEARSAL\n## Verdict\nVerdict\n===\n### Question\n",
    "fences": "```\n```text\n### Verdict\n```\n~~~\n```\n",
    "open fence": "````text\n### Verdict\n\nstill code",
    "quotation": "> quoted\nlazy\n\n### Verdict\n",
    "table": "| a | b |\n|---|---|\n| <b>1</b> | [x](http://evil.example) |\n",
    "rules": "---\n***\n___\n",
    "numbered list": "999999999. last\n1. next",
    "definition-like lines": "[^1]: note\n: term\n+ item\n- item\n1) item",
}
"""One text for each way that is known."""

LONG = {
    "brackets": "[" * 1_000_000,
    "images": "![" * 500_000,
    "nested list": "".join(f"{'  ' * n}- a\n" for n in range(1_000)),
    "quotations": "> " * 10_000 + "a",
    "emphasis": "*a **b _c " * 3_000,
    "backticks": "".join("`" * n + " " for n in range(1, 240)),
    "table": "|a" * 4_000 + "\n" + "|-" * 4_000 + "\n" + "|a" * 4_000,
    "rows": "|a|b|\n|-|-|\n" + "|a|b|\n" * 4_900,
    "links": "[a](" * 7_000,
    "mixed marks": "*_" * 14_000,
}
"""One text for each way of costing time or depth."""
