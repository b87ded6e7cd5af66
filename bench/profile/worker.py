"""A worker that samples itself: ``python -m bench.profile.worker FILE``.

From SIGUSR1 on, a thread looks at the stacks of all others and counts the processor time that each used since the last
look to the layer of its present stack. On SIGUSR2 the seconds by layer are written to ``FILE`` as JSON.
"""

import json
import signal
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

from bench.profile.layers import SAMPLER, SDK_CORE, files_of, is_waiting, layer_of
from worker import main

_EVERY = 0.001
_SWITCH = 0.0002
"""Seconds after which Python lets the sampling thread run; with the usual 5 ms it would see system calls mostly."""


class Sampler(threading.Thread):
    """The thread that looks at the others."""

    def __init__(self, file: Path) -> None:
        super().__init__(daemon=True, name="sampler")
        self._file, self._seconds = file, defaultdict[str, float](float)
        self._last: dict[int, float] = {}
        self._ended = threading.Event()
        self._began = 0.0

    def run(self) -> None:
        """Sample until ``write`` is called."""
        sys.setswitchinterval(_SWITCH)
        self._began = time.process_time()
        while not self._ended.wait(_EVERY):
            self._sample()
        total = time.process_time() - self._began
        sampling = time.thread_time()
        self._seconds[SDK_CORE] = total - sum(self._seconds.values()) - sampling
        self._seconds[SAMPLER] = sampling
        self._file.write_text(json.dumps(self._seconds), "utf-8")

    def write(self) -> None:
        """End, and write what was found."""
        self._ended.set()

    def _sample(self) -> None:
        for thread, frame in sys._current_frames().items():  # noqa: SLF001 - the documented way to other threads' stacks
            if thread == self.ident or (thread in self._last and is_waiting(frame)):
                continue  # what a thread computed before it waits is counted to its next stack at work
            used = time.clock_gettime(time.pthread_getcpuclockid(thread))
            self._seconds[layer_of(files_of(frame))] += used - self._last.get(thread, used)
            self._last[thread] = used


if __name__ == "__main__":
    sampler = Sampler(Path(sys.argv[1]))
    signal.signal(signal.SIGUSR1, lambda *_: sampler.start())
    signal.signal(signal.SIGUSR2, lambda *_: sampler.write())
    main()
