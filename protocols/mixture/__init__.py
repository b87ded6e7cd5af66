"""Mixture of agents: layers of proposers, each of which sees all answers of the layer before; an aggregator concludes.

1. ``layer-1``      every proposer answers the question alone
2. ``layer-2`` …    every proposer answers again and sees all answers of the layer before, without names
3. ``aggregation``  the aggregator sees the last layer's answers and writes the verdict

A proposer lost in two layers in a row gets no further calls. A layer without a single answer ends the proposals: the
aggregator concludes from the layer before. Without an aggregator, the last answer of one proposer is the verdict and is
marked as a fallback.

Source: Wang, Wang, Athiwaratkun, Zhang, Zou (2024), "Mixture-of-Agents Enhances Large Language Model Capabilities",
arXiv:2406.04692. It is a baseline of equal cost: models see each other's answers without reviews, rankings or
objections.

Read in this order: ``model`` (the values), ``prompts`` (the calls), ``readers`` (the replies), ``rules`` (lost
proposers and the verdict), ``results`` (the result built from the record).
"""
