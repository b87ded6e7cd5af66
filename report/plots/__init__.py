"""Drawings in SVG that know no protocol: they are given numbers and names, and say units and how many.

``frame`` (scales, axes, the figure around a drawing, labels that keep apart), ``scatter`` (a point with its interval
per arm), ``histogram`` (whole numbers, one strip per arm), ``curves`` (lines over rounds, in panels), ``heatmap`` (a
matrix with its numbers), ``timeline`` (what ended when, stacked) and ``network`` (claims and who stands by them).

Colour never says something alone: every mark has its name beside it, and kinds differ in shape or dash too.
"""
