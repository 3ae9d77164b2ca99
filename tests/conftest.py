"""Run the notebooks' kernels in the surroundings that wrote the outputs."""

import os

import pytest
from execute import KERNEL_ENVIRONMENT
from hypothesis import settings

# The same examples on each run: what fails here fails everywhere.
settings.register_profile("steady", derandomize=True)
settings.load_profile("steady")
os.environ.update(KERNEL_ENVIRONMENT)


@pytest.fixture(scope="session")
def installed():
    """The installed model of chapter 16; CI must have it."""
    from rope_edu import pretrained

    try:
        return pretrained.load()
    except FileNotFoundError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have the model: {error}")
        pytest.skip(str(error))
