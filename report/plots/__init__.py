"""Plots in SVG, independent of any protocol: the input is numbers, names, units and counts.

``frame`` (scales, axes, labels that do not overlap), ``bars`` (also over whole numbers, one strip per arm), ``scatter``
(a point with its interval per arm, or confidence and truth), ``curves`` (lines over rounds, in panels), ``heatmap`` (a
matrix with its numbers), ``intervals`` (a value with its interval per arm), ``timeline`` (ends over time, stacked) and
``network`` (claims and their supporters).

Colour never carries information alone: every mark has its name beside it, and kinds differ in shape or dash too.
"""
