"""The PostgreSQL server of the tests is found, or its absence is told: never skipped."""

import shutil
from pathlib import Path

import pytest

import postgres


@pytest.fixture
def bare_machine(monkeypatch):
    """A machine without PostgreSQL of its own."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(Path, "glob", lambda *_: iter(()))


def test_a_package_brings_the_programs_where_the_machine_has_none(bare_machine, monkeypatch, tmp_path):
    monkeypatch.setattr(postgres, "server_user", dict)
    programs = postgres.find_programs(tmp_path)
    assert postgres.PACKAGE in programs.parts
    assert (programs / "initdb").is_file()


def test_programs_that_do_not_run_where_they_are_are_copied(bare_machine, monkeypatch, tmp_path):
    runs = postgres._runs
    monkeypatch.setattr(postgres, "server_user", dict)
    monkeypatch.setattr(postgres, "_runs", lambda programs: programs.is_relative_to(tmp_path) and runs(programs))
    assert postgres.find_programs(tmp_path).is_relative_to(tmp_path)


def test_without_any_program_the_message_says_what_to_install(bare_machine, monkeypatch, tmp_path):
    monkeypatch.setattr(postgres, "PACKAGE", "no_such_package")
    with pytest.raises(RuntimeError, match=r"needs? a PostgreSQL server and found none.*Install Debian's postgresql"):
        postgres.find_programs(tmp_path)


def test_one_server_runs_however_often_it_is_asked_for(postgres_server):
    with postgres.running_postgres() as inner:
        assert inner is postgres_server
    assert inner.new_database() != inner.new_database()
