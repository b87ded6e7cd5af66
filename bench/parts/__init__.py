"""The price of each part of Parley: a worker without it beside one with it."""
