"""Models as files: saved without pickle, read anywhere, explained, and used on new tables."""

from aucbench.modelfile.incoming import Scored, scored
from aucbench.modelfile.model import Model
from aucbench.modelfile.operating import Operating

__all__ = ["Model", "Operating", "Scored", "scored"]
