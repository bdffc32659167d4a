"""Ties a process to its parent: however the parent dies, this process dies too.

Run as a program (``parent_death.py PARENT_PID SIGNAL COMMAND …``) it asks the kernel for the signal and becomes the
command. Without ``prctl`` (macOS) a parent that ends in order still stops its children, a killed one does not.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to send this process a signal when its parent dies; does nothing where it cannot.

    A process whose parent died before that ends at once.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def command(parent: int, number: signal.Signals) -> tuple[str, ...]:
    """Return what a command line begins with whose process a parent's death is to end."""
    return (sys.executable, "-E", "-s", __file__, str(parent), str(int(number)))


def main(argv: list[str]) -> None:
    """Become the command, tied to the life of the given parent."""
    parent, number, command = int(argv[0]), signal.Signals(int(argv[1])), argv[2:]
    die_with_parent(parent, number)
    os.execvp(command[0], command)  # noqa: S606 (the supervisor's own command line)


if __name__ == "__main__":
    main(sys.argv[1:])
