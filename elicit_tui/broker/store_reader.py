"""Reads what changes in the store, as it changes, and says to it that this process lives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from elicit_tui.errors import StoreError
from elicit_tui.store.store import Store, Waiting

BEAT_SECONDS: Final = 5.0
"""How often a process that looks says that it lives, and ends what dead ones left."""
RETRY_SECONDS: Final = 0.5


class StoreReader:
    """Reads every change in the store between `start` and `stop`, which may come again."""

    def __init__(
        self,
        store: Store,
        *,
        beat: Callable[[], Awaitable[None]],
        changed: Callable[[tuple[Waiting, ...]], None],
        unreadable: Callable[[StoreError], None],
        patience: float = 0.0,
    ) -> None:
        """`beat`: says to the store that this process lives; awaited every BEAT_SECONDS.

        `changed`: told what changed since it was told last; at the first look all that is there,
        also when that is nothing.
        `unreadable`: told why the store cannot be read, at each try, once that has lasted for
        `patience` seconds; and of a fault of ours, after which nobody looks until the next `start`.
        """
        self._store = store
        self._beat = beat
        self._changed = changed
        self._unreadable = unreadable
        self._patience = patience
        self._number: int | None = None
        """The last change that was seen; a question that comes later has a higher one."""
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look, unless it does."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._look())
            self._task.add_done_callback(self._failed)

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def close(self) -> None:
        """Look no more; returns once the last look is over."""
        looking = self._task
        self.stop()
        if looking is not None:
            await asyncio.gather(looking, return_exceptions=True)

    def _failed(self, task: asyncio.Task[None]) -> None:
        """A fault of ours shall not look like a store in which nothing changes."""
        if not task.cancelled() and (error := task.exception()) is not None:
            sentence = f"The store cannot be watched: {type(error).__name__}."
            self._unreadable(StoreError(sentence))

    async def _look(self) -> None:
        good, beaten = time.monotonic(), 0.0
        while True:
            try:
                if time.monotonic() - beaten >= BEAT_SECONDS:
                    await self._beat()
                    beaten = time.monotonic()
                # The first look has to come back at once, also when nothing waits.
                wait = 0 if self._number is None else BEAT_SECONDS
                changes = await self._store.changes(self._number or 0, wait)
            except StoreError as error:
                # A store that is away for a moment, as when Redis changes hands, is no trouble yet.
                if time.monotonic() - good >= self._patience:
                    self._unreadable(error)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            self._number, good = changes.number, time.monotonic()
            self._changed(changes.waiting)
