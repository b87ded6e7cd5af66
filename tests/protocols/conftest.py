"""How the properties of this package are tried: no clock decides whether a rule holds."""

from hypothesis import settings

settings.register_profile("protocols", deadline=None)
settings.load_profile("protocols")
