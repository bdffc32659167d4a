"""Children are started again when they die, and none outlives its supervisor, whatever ends that one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import psutil
import pytest

from workers.processes.supervise import Program, StartError, Supervisor, wait_until

SLEEPER = (sys.executable, "-c", "import time; time.sleep(300)")


def _tree(tmp_path: Path) -> Supervisor:
    supervisor = Supervisor(tmp_path)
    supervisor.start(Program(name="sleeper", command=SLEEPER))
    return supervisor


def test_a_killed_child_is_started_again(tmp_path: Path) -> None:
    supervisor = _tree(tmp_path)
    try:
        first = supervisor.pids()["sleeper"]
        os.kill(first, signal.SIGKILL)
        assert wait_until(
            lambda: supervisor.is_alive("sleeper") and supervisor.pids()["sleeper"] != first,
            within_s=10,
            meanwhile=supervisor.restart_dead,
        )
    finally:
        supervisor.stop()


def test_a_restarted_child_outlives_the_thread_that_watched_over_it_and_stops_in_order(tmp_path: Path) -> None:
    tidy = (
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(print('put away', flush=True)))\n"
        "print('up', os.getpid(), flush=True)\n"
        "time.sleep(300)"
    )
    supervisor = Supervisor(tmp_path)
    supervisor.start(Program(name="tidy", command=(sys.executable, "-c", tidy)))
    first = supervisor.pids()["tidy"]
    os.kill(first, signal.SIGKILL)

    def watch_over() -> None:
        wait_until(
            lambda: (pid := supervisor.pids()["tidy"]) != first and f"up {pid}" in supervisor.log_tail("tidy"),
            within_s=20,
            meanwhile=supervisor.restart_dead,
        )

    watching = threading.Thread(target=watch_over)
    watching.start()
    watching.join()
    assert not wait_until(lambda: not supervisor.is_alive("tidy"), within_s=0.5)
    supervisor.stop()
    assert "put away" in supervisor.log_tail("tidy")


def test_a_child_that_keeps_dying_is_started_less_and_less_often(tmp_path: Path) -> None:
    deaths: list[tuple[str, int]] = []
    supervisor = Supervisor(tmp_path, on_restart=lambda name, code: deaths.append((name, code)))
    supervisor.start(Program(name="broken", command=(sys.executable, "-c", "raise SystemExit(3)")))
    try:
        wait_until(lambda: len(deaths) >= 3, within_s=10, meanwhile=supervisor.restart_dead)
        assert deaths[:3] == [("broken", 3)] * 3
    finally:
        supervisor.stop()


def test_what_is_run_to_its_end_is_run_again_where_it_was_killed(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    killed_once = (
        "import os, pathlib, sys\n"
        "runs = pathlib.Path(sys.argv[1])\n"
        "with runs.open('a') as file: file.write('x')\n"
        "len(runs.read_text()) > 1 or os.kill(os.getpid(), 9)"
    )
    supervisor = Supervisor(tmp_path)
    supervisor.run(Program(name="once", command=(sys.executable, "-c", killed_once, str(runs))))
    assert runs.read_text() == "xx"

    always = "import os; os.kill(os.getpid(), 9)"
    with pytest.raises(StartError, match="-9"):
        supervisor.run(Program(name="always", command=(sys.executable, "-c", always)))
    supervisor.stop()


def test_stopping_ends_every_child_even_a_deaf_one(tmp_path: Path) -> None:
    supervisor = _tree(tmp_path)
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(300)"
    )
    supervisor.start(Program(name="deaf", command=(sys.executable, "-c", deaf), stop_s=0.3))
    assert wait_until(lambda: "up" in supervisor.log_tail("deaf"), within_s=10)
    pids = list(supervisor.pids().values())
    supervisor.stop()
    assert not any(psutil.pid_exists(pid) for pid in pids)


def test_what_a_child_said_last_is_kept(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path)
    supervisor.start(Program(name="talker", command=(sys.executable, "-c", "print('the port is taken')")))
    assert wait_until(lambda: "the port is taken" in supervisor.log_tail("talker"), within_s=10)
    supervisor.stop()


def test_kill_9_of_the_supervisor_leaves_no_child(tmp_path: Path) -> None:
    script = textwrap.dedent(
        f"""
        import time
        from pathlib import Path
        from workers.processes.supervise import Program, Supervisor
        supervisor = Supervisor(Path({str(tmp_path)!r}))
        for name in ("one", "two"):
            supervisor.start(Program(name=name, command={SLEEPER!r}))
        print(*supervisor.pids().values(), flush=True)
        time.sleep(300)
        """
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    children = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(children) == 2
    assert wait_until(lambda: all("sleep" in " ".join(psutil.Process(pid).cmdline()) for pid in children), within_s=10)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert wait_until(lambda: not any(_runs(pid) for pid in children), within_s=10)


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_large_log_is_cut_and_its_child_writes_on(tmp_path: Path) -> None:
    talks = "import os, time\nfor at in range(10**9): os.write(1, b'%d %s\\n' % (at, b'x' * 100)); time.sleep(0.001)"
    supervisor = Supervisor(tmp_path)
    supervisor.start(Program(name="talker", command=(sys.executable, "-c", talks)))
    log, former = tmp_path / "talker.log", tmp_path / "talker.log.1"
    try:
        for _ in range(2):
            assert wait_until(lambda: log.stat().st_size > 20_000, within_s=30)
            supervisor.rotate_logs(10_000)
            assert log.stat().st_size < 10_000
            assert former.stat().st_size > 20_000
        assert wait_until(lambda: log.read_bytes()[:1].isdigit(), within_s=30)  # no hole where the cut text was
    finally:
        supervisor.stop()
