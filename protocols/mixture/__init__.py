"""Mixture of agents: layers of proposers, each of which sees all answers of the layer before; an aggregator concludes.

1. ``layer-1``      every proposer answers the question alone
2. ``layer-2`` …    every proposer answers again, with all answers of the layer before in front of it, without names
3. ``aggregation``  the aggregator sees the last layer's answers and writes the verdict

A proposer that is lost in two layers in a row is asked no more. A layer that nobody answers ends the proposing: the
aggregator concludes from the layer before. Where no aggregator concludes, a proposer's own last answer stands and is
marked as that.

Source: Wang, Wang, Athiwaratkun, Zhang, Zou (2024), "Mixture-of-Agents Enhances Large Language Model Capabilities",
arXiv:2406.04692. It is a baseline of equal cost: models see each other's answers, but nobody reviews, ranks or objects.

Read in this order: ``model`` (the values), ``prompts`` (what is asked), ``replies`` (how text is read), ``rules`` (who
is asked and who concludes), ``outcome`` (the result).
"""
