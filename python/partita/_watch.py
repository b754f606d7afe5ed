"""What a run says on its way: sentences to logging, progress to tqdm where there is one."""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

log = logging.getLogger("partita")
log.addHandler(logging.NullHandler())


def _wanted(progress: Any) -> bool:
    """Whether a bar is shown: in terminals and notebooks, unless somebody said otherwise."""
    if progress != "auto":
        return bool(progress)
    notebook = "ipykernel" in sys.modules
    return notebook or bool(getattr(sys.stderr, "isatty", lambda: False)())


class Watch:
    """Listens to a run."""

    def __init__(self, progress: Any = "auto") -> None:
        self.bar = None
        self.shown = 0.0
        self.wanted = _wanted(progress)

    def _bar(self) -> Any:
        if self.bar is None and self.wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self.wanted = False
                return None
            self.bar = tqdm(unit="pair", leave=False, desc="partita", mininterval=0.3)
        return self.bar

    def say(self, sentence: str) -> None:
        log.info(sentence)

    def stage(self, what: str) -> None:
        log.debug(what)
        bar = self._bar()
        if bar is not None:
            bar.set_description_str(what, refresh=False)
            self._refresh(bar)

    def progress(self, done, of, met, censored, widest, left) -> None:
        log.debug("%d of %s replicates, %d met, %d censored", done, of or "?", met, censored)
        bar = self._bar()
        if bar is not None:
            bar.set_description_str("replicates", refresh=False)
            bar.total = of
            if widest is not None:
                bar.set_postfix_str(f"widest interval {widest:.3g}", refresh=False)
            bar.update(done - bar.n)

    def _refresh(self, bar: Any) -> None:
        """Draws the bar, a few times a second at most."""
        now = time.monotonic()
        if now - self.shown > 0.3:
            self.shown = now
            bar.refresh()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
