"""The same spec gives the same bytes: whoever builds it, wherever, and however the spec's lines end."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from labspec.emit import Edition, plan, render
from labspec.pipeline import load

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "specs" / "loop-exit-ledger.yaml"
LF = SPEC.read_bytes().replace(b"\r\n", b"\n")
CRLF = LF.replace(b"\n", b"\r\n")
BOM = b"\xef\xbb\xbf"

HOSTILE_RC = """\
default_context: {lab: "{{ cookiecutter.__class__ }}", _extensions: [no.such.extension]}
cookiecutters_dir: /nowhere
replay_dir: /nowhere
abbreviations: {gh: "file:///nowhere/{0}"}
"""


@dataclass(frozen=True)
class Surroundings:
    """What is different about a build. `umask` is the one that the child starts with."""

    spec: bytes = LF
    variables: dict[str, str] = field(default_factory=dict)
    umask: int = 0o022
    folder: str = "."


BUILDS = {
    "another hash seed, locale, zone and umask": Surroundings(
        variables={"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "Pacific/Kiritimati"}, umask=0o077
    ),
    "a spec from Windows, another folder, no umask": Surroundings(
        spec=BOM + CRLF,
        variables={"PYTHONHASHSEED": "1", "TZ": "America/St_Johns", "LANG": "tr_TR.UTF-8"},
        umask=0,
        folder="a b/é",
    ),
    "ASCII mode, an old clock, a wide terminal": Surroundings(
        spec=CRLF,
        variables={
            "PYTHONHASHSEED": "2", "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
            "SOURCE_DATE_EPOCH": "1", "COLUMNS": "999", "USER": "someone", "LOGNAME": "someone", "FORCE_COLOR": "1",
            "PYTHONOPTIMIZE": "2",
        },
        umask=0o027,
    ),
}  # fmt: skip


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The modes of everything below `folder`, and the contents of the files."""
    return {
        path.relative_to(folder).as_posix(): (
            stat.S_IMODE(path.lstat().st_mode),
            path.read_bytes() if path.is_file() else b"",
        )
        for path in (folder, *folder.rglob("*"))
    }


def expected(*, solution: bool) -> dict[str, tuple[int, bytes]]:
    """What `render` says in this process, with the modes that the files are to have."""
    lab = load(SPEC).lab
    assert lab is not None
    files = render(plan(lab, Edition(solution=solution)))
    folders = {folder.as_posix() for path in files for folder in Path(path).parents}
    return dict.fromkeys(folders, (0o755, b"")) | {path: (file.mode, file.data) for path, file in files.items()}


def hostile_home(place: Path) -> dict[str, str]:
    """A home folder whose settings would change what cookiecutter and others do."""
    place.mkdir()
    (place / ".cookiecutterrc").write_text(HOSTILE_RC, encoding="utf-8")
    (place / ".config").mkdir()
    (place / "pydistutils.cfg").write_text("[install]\nprefix=/nowhere\n", encoding="utf-8")
    names = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "COOKIECUTTER_CONFIG")
    return dict(zip(names, map(str, (place, place, place / ".config", place / ".cookiecutterrc")), strict=True))


@pytest.mark.parametrize("name", BUILDS)
@pytest.mark.parametrize("solution", [False, True], ids=["starter", "solution"])
def test_the_same_spec_gives_the_same_bytes_and_modes(name: str, solution: bool, tmp_path: Path) -> None:
    surroundings = BUILDS[name]
    home = hostile_home(tmp_path / "home")
    before = tree(tmp_path / "home")
    folder = tmp_path / surroundings.folder
    folder.mkdir(parents=True, exist_ok=True)
    spec = tmp_path / "lab.yaml"
    spec.write_bytes(surroundings.spec)
    edition = ["--solution"] if solution else []
    done = subprocess.run(
        [sys.executable, "-m", "labspec", "build", os.path.relpath(spec, folder), *edition, "-o", "out"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **home, **surroundings.variables},
        umask=surroundings.umask,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert tree(folder / "out" / "loop-exit-ledger") == expected(solution=solution)
    assert tree(tmp_path / "home") == before
