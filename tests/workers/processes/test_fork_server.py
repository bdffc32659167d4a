"""Programs are forked from one process that has loaded what they share; each is otherwise as if it had been started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from workers.processes import fork_server, supervise
from workers.processes.supervise import Program, StartError, Supervisor, wait_until

#: a module of the standard library that is on no program's way
SHARED = "wave"


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules can be run as programs."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    supervisor = Supervisor(tmp_path / "logs")
    yield supervisor
    supervisor.stop()


def _program(modules: Path, name: str, code: str, *arguments: str, **more: object) -> Program:
    (modules / f"{name}_program.py").write_text(code)
    return Program(name=name, command=(f"{name}_program", *arguments), shares=(SHARED,), **more)  # type: ignore[arg-type]


def _server(supervisor: Supervisor) -> psutil.Process:
    (pid, *_) = supervisor.pids().values()
    server = psutil.Process(pid).parent()
    assert server is not None
    return server


def test_a_program_has_its_own_arguments_environment_session_and_log(modules: Path, supervisor: Supervisor) -> None:
    code = (
        "import os, sys, time\n"
        f"print(sys.argv[1:], os.environ['OWN'], {SHARED!r} in sys.modules, os.getsid(0) == os.getpid(), __name__)\n"
        "sys.stdin.read()\n"
        "time.sleep(300)"
    )
    supervisor.start(_program(modules, "tells", code, "one", "two", env={"OWN": "its own"}))
    assert wait_until(lambda: "__main__" in supervisor.log_tail("tells"), within_s=20)
    assert supervisor.log_tail("tells") == "['one', 'two'] its own True True __main__"
    assert " ".join(psutil.Process(supervisor.pids()["tells"]).cmdline()).strip() == "wellread one two"
    assert os.environ.get("OWN") is None


def test_a_program_gets_what_it_shares_although_others_were_forked_before(
    modules: Path, supervisor: Supervisor
) -> None:
    supervisor.start(_program(modules, "first", "import time; time.sleep(300)"))
    later = "import sys, time; print('sndhdr' in sys.modules, flush=True); time.sleep(300)"
    (modules / "later_program.py").write_text(later)
    (modules / "sndhdr.py").write_text("")
    supervisor.start(Program(name="later", command=("later_program",), shares=(SHARED, "sndhdr", "no.such.module")))
    assert wait_until(lambda: supervisor.log_tail("later") == "True", within_s=20)
    assert len({psutil.Process(pid).ppid() for pid in supervisor.pids().values()}) == 1


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("import atexit; atexit.register(print, 'put away')", 0, "put away"),
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('the port is taken')", 1, "the port is taken"),
        ("raise ValueError('broken')", 1, "ValueError: broken"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, ""),
    ],
)
def test_how_a_program_ends_is_told(modules: Path, tmp_path: Path, code: str, status: int, said: str) -> None:
    deaths: list[int] = []
    supervisor = Supervisor(tmp_path / "logs", on_restart=lambda _, code: deaths.append(code))
    supervisor.start(_program(modules, "ends", code))
    try:
        assert wait_until(lambda: bool(deaths), within_s=20, meanwhile=supervisor.restart_dead)
        assert deaths[0] == status
        assert supervisor.log_tail("ends").endswith(said)
    finally:
        supervisor.stop()


def test_a_program_is_run_to_its_end_and_its_words_are_the_errors(modules: Path, supervisor: Supervisor) -> None:
    supervisor.run(_program(modules, "well", "print('done')"))
    with pytest.raises(StartError, match=r"^it is lost: look for it$"):
        supervisor.run(_program(modules, "lost", "import sys; sys.exit('it is lost: look for it')"))


def test_a_killed_program_is_forked_again_from_the_same_server(modules: Path, supervisor: Supervisor) -> None:
    supervisor.start(_program(modules, "sleeper", "import time; time.sleep(300)"))
    first, server = supervisor.pids()["sleeper"], _server(supervisor).pid
    os.kill(first, signal.SIGKILL)
    assert wait_until(
        lambda: supervisor.is_alive("sleeper") and supervisor.pids()["sleeper"] != first,
        within_s=10,
        meanwhile=supervisor.restart_dead,
    )
    assert _server(supervisor).pid == server


@pytest.mark.skipif(sys.platform != "linux", reason="children die with a killed parent where the kernel sees to it")
def test_kill_9_of_the_server_ends_its_programs_and_they_come_back(modules: Path, supervisor: Supervisor) -> None:
    for name in ("one", "two"):
        supervisor.start(_program(modules, name, "import time; time.sleep(300)"))
    before, server = supervisor.pids(), _server(supervisor)
    server.kill()
    assert wait_until(lambda: not any(map(_runs, before.values())), within_s=10)
    assert wait_until(
        lambda: all(supervisor.is_alive(name) and supervisor.pids()[name] != before[name] for name in before),
        within_s=20,
        meanwhile=supervisor.restart_dead,
    )
    assert _server(supervisor).pid != server.pid


@pytest.mark.skipif(sys.platform != "linux", reason="children die with a killed parent where the kernel sees to it")
def test_a_program_that_ends_in_order_with_the_server_is_gone_before_it_comes_back(
    modules: Path, supervisor: Supervisor
) -> None:
    tidy = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (time.sleep(1), sys.exit(print('put away', flush=True))))\n"
        "print('up', flush=True)\n"
        "time.sleep(300)"
    )
    supervisor.start(_program(modules, "tidy", tidy, death_signal=signal.SIGTERM))
    assert wait_until(lambda: supervisor.log_tail("tidy") == "up", within_s=20)
    _server(supervisor).kill()
    again = "up\nput away\nup"
    assert wait_until(lambda: supervisor.log_tail("tidy") == again, within_s=40, meanwhile=supervisor.restart_dead)


def test_where_the_kernel_does_not_end_them_programs_are_ended_after_their_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fork_server, "_KERNEL_TELLS", False)
    left = subprocess.Popen((sys.executable, "-c", "import time; time.sleep(300)"), start_new_session=True)
    forked = fork_server.Forked(signal.SIGKILL)
    forked.has_started(left.pid)
    try:
        forked.has_lost_server()
        assert left.wait(10) == forked.code == -signal.SIGKILL
    finally:
        left.kill()


def test_a_program_may_say_why_it_ends_by_whatever_it_exits_with(modules: Path, supervisor: Supervisor) -> None:
    with pytest.raises(StartError, match=r"^no such folder$"):
        supervisor.run(_program(modules, "fails", "import sys; sys.exit(ValueError('no such folder'))"))
    with pytest.raises(StartError):
        supervisor.run(_program(modules, "silent", "import sys; sys.exit('')"))


def test_stopping_leaves_no_server(modules: Path, tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path / "logs")
    tidy = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(print('put away', flush=True)))\n"
        "print('up', flush=True)\n"
        "time.sleep(300)"
    )
    supervisor.start(_program(modules, "tidy", tidy))
    assert wait_until(lambda: "up" in supervisor.log_tail("tidy"), within_s=20)
    server = _server(supervisor)
    supervisor.stop()
    assert "put away" in supervisor.log_tail("tidy")
    assert not _runs(server.pid)


def test_a_signal_to_the_whole_group_lets_programs_end_in_order(modules: Path, supervisor: Supervisor) -> None:
    tidy = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.5), sys.exit(print('put away', flush=True))))\n"
        "print('up', flush=True)\n"
        "time.sleep(300)"
    )
    supervisor.start(_program(modules, "tidy", tidy))
    assert wait_until(lambda: "up" in supervisor.log_tail("tidy"), within_s=20)
    server = _server(supervisor)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        server.send_signal(number)
    os.kill(supervisor.pids()["tidy"], signal.SIGTERM)
    assert wait_until(lambda: "put away" in supervisor.log_tail("tidy"), within_s=60)
    assert wait_until(lambda: not supervisor.is_alive("tidy"), within_s=60)
    assert server.is_running()


def test_what_a_shared_module_prints_is_no_notice(modules: Path, supervisor: Supervisor) -> None:
    (modules / "chatty.py").write_text("print('hello', {'pid': 1})")
    (modules / "said_program.py").write_text("print('mine')")
    supervisor.run(Program(name="said", command=("said_program",), shares=("chatty",)))
    assert supervisor.log_tail("said") == "mine"


def test_a_program_that_cannot_be_forked_is_tried_again_and_the_others_live_on(
    modules: Path, supervisor: Supervisor
) -> None:
    supervisor.start(_program(modules, "lives", "import time; time.sleep(300)"))
    before = supervisor.pids()["lives"]
    (modules / "refuses.py").write_text(
        "import os\n"
        "forks = os.fork\n"
        "def refuse():\n"
        "    os.fork = forks\n"
        "    raise OSError(11, 'no more processes')\n"
        "os.fork = refuse\n"
    )
    (modules / "later_program.py").write_text("import time; print('up', flush=True); time.sleep(300)")
    supervisor.start(Program(name="later", command=("later_program",), shares=("refuses",)))
    assert wait_until(lambda: supervisor.log_tail("later") == "up", within_s=20, meanwhile=supervisor.restart_dead)
    assert supervisor.pids()["lives"] == before


def test_where_loading_ends_the_server_programs_run_without_it(modules: Path, supervisor: Supervisor) -> None:
    (modules / "breaks.py").write_text("import os; os._exit(9)")
    (modules / "later_program.py").write_text("import time; print('up', flush=True); time.sleep(300)")
    supervisor.start(Program(name="later", command=("later_program",), shares=("breaks",)))
    assert wait_until(lambda: supervisor.log_tail("later") == "up", within_s=20, meanwhile=supervisor.restart_dead)


def test_a_server_that_stands_still_does_not_hold_up_the_end(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervise, "KILLED_S", 0.5)
    monkeypatch.setattr(fork_server, "END_S", 0.5)
    supervisor = Supervisor(tmp_path / "logs")
    supervisor.start(_program(modules, "one", "import time; time.sleep(300)", stop_s=0.5))
    pid, server = supervisor.pids()["one"], _server(supervisor)
    server.suspend()
    supervisor.start(_program(modules, "two", "import time; time.sleep(300)", stop_s=0.5))
    supervisor.stop()
    assert not _runs(server.pid)
    assert wait_until(lambda: not _runs(pid), within_s=10)


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
