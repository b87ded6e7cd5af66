"""How the properties of datasets are tried: no clock decides whether one is read."""

from hypothesis import settings

settings.register_profile("datasets", deadline=None)
settings.load_profile("datasets")
