"""The models that the specifications name, by protocol, as the panel ``seed`` has them."""

from parley.panel_files import shipped_panels

SEED = shipped_panels().panel("seed")

SEED_COUNCIL = tuple(map(str, SEED.models))
SEED_CHAIR = str(SEED.concluding)
SEED_SPEAKERS = tuple(map(str, SEED.speakers or ()))
SEED_CURATOR = SEED_CHAIR
SEED_CIRCLE = tuple(map(str, SEED.protocols["fire-circle"]["models"]))
SEED_CLASSIFIER = str(SEED.protocols["fire-circle"]["classifier"])
SEED_DEBATERS = tuple(map(str, SEED.protocols["debate"]["agents"]))
