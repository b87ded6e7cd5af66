"""The models that the specifications name, by protocol, as the panel ``seed`` has them."""

from activities.panels import shipped_panels

SEED = shipped_panels().panel("seed")

SEED_COUNCIL = SEED.models
SEED_CHAIR = SEED.chairing
SEED_SPEAKERS = SEED.speakers or ()
SEED_CURATOR = SEED.chairing
SEED_CIRCLE = tuple(SEED.seats("fire-circle")["models"])
SEED_CLASSIFIER = str(SEED.seats("fire-circle")["classifier"])
SEED_DEBATERS = tuple(SEED.seats("debate")["agents"])
