"""How results look: the HTML page, and figures for print.

It reads records and calls `aucbench.stats`; it computes no statistic itself. What it exports, and
from where, stands in `__init__.pyi`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
