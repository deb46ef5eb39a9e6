"""Inference on measured values: arrays in, frozen records out; knows nothing of the harness.

The stub has the public names, which are imported on first use: all other rooms read the arrays and
labels of this one.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
