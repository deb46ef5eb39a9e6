"""Rows in both layouts, for what gives the same numbers in each."""

import numpy as np
import pytest
from scipy.sparse import csr_array

LAYOUTS = pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "csr"])
