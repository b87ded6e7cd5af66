"""The prompt pack of a debate: the templates in ``protocols/debate/templates.toml`` and the modes.

The modes are wording too: they are in the pack, each as JSON under ``mode_`` and its name. So a run keeps the parts
that it started with, and the fingerprint covers them.
"""

from protocols import debate
from protocols.debate.modes.table import MODES
from protocols.prompt_pack import load_pack

PACK = load_pack(debate.__name__, **{f"mode_{name}": mode.model_dump_json() for name, mode in MODES.items()})
"""The templates that a new run starts with."""
