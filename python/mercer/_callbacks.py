"""Progress: lines of `verbose`, and the callbacks of scikit-learn 1.9."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """Leave a method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "Progress", "with_callbacks"]


class Progress:
    """Tells about one fit: to the terminal if `verbose`, and to the callbacks that are set.

    Calling it with an event of the engine returns True where a callback asks to stop.
    """

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self.estimator = estimator
        self.verbose = bool(getattr(estimator, "verbose", False))
        self.told = 0.0
        self.root = None
        if getattr(estimator, "_skl_callbacks", None):
            self.root = estimator._init_callback_context(max_subtasks=None)
            self.data = {"X": X, "y": y}
            self.root.call_on_fit_task_begin(estimator=estimator, **self.data)

    @property
    def wanted(self) -> Callable[[dict[str, Any]], bool] | None:
        """The function to be called, or None where nobody listens."""
        return self if self.verbose or self.root is not None else None

    def __call__(self, event: dict[str, Any]) -> bool:
        """Tell one event."""
        if self.verbose and event["seconds"] - self.told >= 0.2:
            self.told = event["seconds"]
            sys.stdout.write(f"[{type(self.estimator).__name__}] {_line(event)}\n")
            sys.stdout.flush()
        if self.root is None:
            return False
        context = self.root.subcontext(task_name="iteration")
        context.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return bool(context.call_on_fit_task_end(estimator=self.estimator, **self.data))

    def close(self, summary: str) -> None:
        """Say how it ended."""
        if self.verbose:
            sys.stdout.write(f"[{type(self.estimator).__name__}] {summary}\n")
            sys.stdout.flush()
        if self.root is not None:
            self.root.call_on_fit_task_end(estimator=self.estimator, **self.data)


def _line(event: dict[str, Any]) -> str:
    parts = [f"{event['iteration']} iterations"]
    if event["violation"] is not None:
        parts.append(f"violation {event['violation']:.1e}")
    if event["primal"] is not None and event["dual"] is not None:
        parts.append(f"gap {event['primal'] - event['dual']:.1e}")
    parts.append(f"{event['support']} support vectors")
    parts.append(f"{event['seconds']:.1f} s")
    return ", ".join(parts)
