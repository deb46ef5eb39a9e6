"""Find plugins, and build solvers, objectives and other things by name.

What it exports, and from where, stands in `__init__.pyi`: to name a solver takes no plugin.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
