"""Run the notebooks' kernels in the surroundings that wrote the outputs."""

import os

from execute import KERNEL_ENVIRONMENT

os.environ.update(KERNEL_ENVIRONMENT)
