"""Start Chromium without network: a script of its own, run in the new process before it becomes the browser.

Arguments: the pipe with commands, that for answers, "offline" or "online", whom root becomes, the command. It imports
nothing of the project. No browser runs as root: there it would have no sandbox.
"""

import ctypes
import os
import resource
import sys

MAX_FILE = 50_000_000  #: bytes of each file the browser writes; a page's own storage is in memory
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000


def main() -> None:
    """Leave the network, put the pipes where the browser expects them, and become the browser."""
    commands, answers, mode, nobody, *command = sys.argv[1:]
    if mode == "offline":
        resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE, MAX_FILE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        leave_network()
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(int(nobody))
        os.setuid(int(nobody))
    os.dup2(int(commands), 3)
    os.dup2(int(answers), 4)
    os.execv(command[0], command)  # noqa: S606 (a program and its arguments, no shell)


def leave_network() -> bool:
    """Move into an empty network namespace, without even a loopback; return whether the kernel allowed it."""
    user, group = os.getuid(), os.getgid()
    try:
        if ctypes.CDLL(None, use_errno=True).unshare(_NEW_NET | (_NEW_USER if user else 0)):
            return False
        if user:  # keep the user: the browser's own sandbox would not start without
            for name, line in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 (nothing more is imported here)
                    file.write(line)
    except (OSError, AttributeError):
        return False
    return True


if __name__ == "__main__":
    main()
