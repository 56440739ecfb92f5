"""Commands over everything above.

Start-up is most of a short command's time. Collecting garbage while modules load finds none, and validation
plugins of other packages have no business in a deal file; both are put off before anything else is imported.
"""

import gc
import os

gc.set_threshold(50_000, 20, 20)
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
