"""Fields whose bitwise information is known from xbitinfo (golden/xbitinfo.json)."""

import numpy as np

SEED = 20260922


def analysed_fields() -> dict[str, np.ndarray]:
    """Clean continuous fields: smooth in all directions, or along one of them only."""
    chance = np.random.default_rng(SEED)
    smooth = sum(np.sin(axis / 9.0) for axis in np.indices((12, 60, 120), dtype="f8"))
    walks = chance.normal(0, 1, (90, 200)).cumsum(axis=1)
    return {
        "temperature": (285 + 8 * smooth + chance.normal(0, 0.01, smooth.shape)).astype("f4"),
        "walk": (walks + 0.001 * chance.normal(0, 1, walks.shape)).astype("f4"),
        "walk_down": walks.T + 40.0,
        "precipitation": np.exp(smooth + chance.normal(0, 0.02, smooth.shape)).astype("f4"),
    }
