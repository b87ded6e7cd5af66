"""The same council on Parley and on its peers, measured beside each other in one run."""
