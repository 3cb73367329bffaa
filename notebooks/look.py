"""Where the data lies, and how the pictures look: shared by the notebooks."""

import os
from pathlib import Path

import matplotlib.pyplot as plt

DATA = Path(os.environ.get("TABULA_DATA", Path(__file__).parent.parent / "target/notebooks/data"))
if not DATA.is_dir():
    raise SystemExit(f"no data in {DATA}: run scripts/notebooks, which makes some, or set TABULA_DATA")

BLUE, ORANGE, GREY = "#2b6cb0", "#d9822b", "#8a94a0"

plt.rcParams.update(
    {
        "figure.dpi": 80,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#eeeeee",
        "font.size": 9,
        "legend.frameon": False,
    }
)
