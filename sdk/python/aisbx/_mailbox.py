# SPDX-License-Identifier: Apache-2.0
"""Where the thread that reads puts what came for a call, and how a thread or a coroutine waits for it.

This is the only place that knows two ways of waiting; everything above is written once.
"""
from __future__ import annotations

import asyncio
import collections
import inspect
import threading
import time
from typing import Any, Callable, Deque, Generic, List, Optional, Set, TypeVar

from .errors import Timeout

T = TypeVar("T")


class Mailbox(Generic[T]):
    """Items in the order in which they came. The last one, given to `close`, stays for everybody who asks.

    What nobody takes is not kept without end: `hold` is called with True when there is more than MOST of it, and with False when half of
    that is taken.
    """

    def __init__(self, most: int = 1 << 26, size: Callable[[T], int] = lambda item: 1, hold: Callable[[bool], None] = lambda wait: None) -> None:
        self._lock = threading.Lock()
        self._items: Deque[T] = collections.deque()
        self._last: Optional[T] = None
        self._wakers: List[Callable[[], None]] = []
        self._weight = 0
        self._most = most
        self._size = size
        self._hold = hold
        self._holding = False

    def put(self, item: T) -> None:
        with self._lock:
            self._items.append(item)
            self._weight += self._size(item)
            full = self._weight > self._most and not self._holding
            self._holding |= full
            wakers, self._wakers = self._wakers, []
        for wake in wakers:
            wake()
        if full:
            self._hold(True)

    def close(self, item: T) -> None:
        with self._lock:
            self._last = item
            wakers, self._wakers = self._wakers, []
        for wake in wakers:
            wake()

    @property
    def closed(self) -> bool:
        return self._last is not None

    def poll(self) -> Optional[T]:
        with self._lock:
            if not self._items:
                return self._last
            item = self._items.popleft()
            self._weight -= self._size(item)
            room = self._holding and self._weight <= self._most // 2
            self._holding &= not room
        if room:
            self._hold(False)
        return item

    def call_when_ready(self, wake: Callable[[], None]) -> None:
        with self._lock:
            if not self._items and self._last is None:
                self._wakers.append(wake)
                return
        wake()


def _too_long(seconds: Optional[float]) -> Timeout:
    return Timeout(f"nothing came for {seconds} s")


def take(box: Mailbox[T], timeout: Optional[float] = None) -> T:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        item = box.poll()
        if item is not None:
            return item
        ready = threading.Event()
        box.call_when_ready(ready.set)
        if not ready.wait(None if end is None else max(0.0, end - time.monotonic())):
            raise _too_long(timeout)


async def take_async(box: Mailbox[T], timeout: Optional[float] = None) -> T:
    loop = asyncio.get_running_loop()
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        item = box.poll()
        if item is not None:
            return item
        ready: "asyncio.Future[None]" = loop.create_future()
        box.call_when_ready(_waker(loop, ready))
        try:
            await asyncio.wait_for(ready, None if end is None else max(0.0, end - time.monotonic()))
        except asyncio.TimeoutError:
            raise _too_long(timeout) from None


def _waker(loop: asyncio.AbstractEventLoop, ready: "asyncio.Future[None]") -> Callable[[], None]:
    def settle() -> None:
        if not ready.done():
            ready.set_result(None)

    def wake() -> None:
        try:
            loop.call_soon_threadsafe(settle)
        except RuntimeError:  # the loop is closed: nobody waits any more
            pass

    return wake


def tell(handler: Callable[[Any], Any], value: Any) -> None:
    handler(value)


async def tell_async(handler: Callable[[Any], Any], value: Any) -> None:
    """A handler may be a coroutine function."""
    made = handler(value)
    if inspect.isawaitable(made):
        await made


def spawn(work: Callable[[], Any]) -> None:
    """Goes on beside the caller."""
    threading.Thread(target=work, name="aisbx-watch", daemon=True).start()


_spawned: Set["asyncio.Task[Any]"] = set()  # a task that nobody refers to may be collected


async def spawn_async(work: Callable[[], Any]) -> None:
    task = asyncio.ensure_future(work())
    _spawned.add(task)
    task.add_done_callback(_spawned.discard)


pause = time.sleep
pause_async = asyncio.sleep


def do(work: Callable[[], T]) -> T:
    return work()


async def do_async(work: Callable[[], T]) -> T:
    """What may block for a moment."""
    return await asyncio.get_running_loop().run_in_executor(None, work)
