#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may include whom. CMake's link lists do not stop a stray #include, so every one is read against this table."""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
# folder -> folders of ours whose headers it may see (longest matching prefix of a path decides where a file lives)
allowed = {
    "core/wire": set(),
    "core": {"core/wire"},
    "remote/agent": {"core/wire"},
    "remote": {"core", "core/wire"},
    "trainer": {"core/wire"},
    "ui": {"core", "core/wire"},
    "app": {"ui", "remote", "core", "core/wire"},
}
# folder -> third-party headers it must not see
forbidden = {
    "core/wire": r"^(Q[A-Z]|Qt|libssh|torch|ATen|c10)",
    "core": r"^(QtGui|QtWidgets|QtNetwork|QWidget|QPainter|QImage|QColor|QIcon|QPixmap|QFont|libssh|torch|ATen|c10|qcustomplot)",
    "remote/agent": r"^(Q[A-Z]|Qt|libssh|torch|ATen|c10)",
    "remote": r"^(QtGui|QtWidgets|QWidget|QPainter|QImage|QColor|QIcon|QPixmap|QFont|torch|ATen|c10|qcustomplot)",
    "trainer": r"^(Q[A-Z]|Qt|libssh)",
    "ui": r"^(libssh|torch|ATen|c10|QTcpSocket|QNetwork|QtNetwork)",
    "app": r"^(libssh|torch|ATen|c10)",
}
include = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def home(path: str) -> str | None:
    return max((f for f in allowed if path.startswith(f + "/")), key=len, default=None)


def check(path: str, text: str) -> list[str]:
    where = home(path)
    found = []
    for kind, name in include.findall(text):
        target = home(name) if kind == '"' else None
        if kind == '"' and target is None and (root / Path(path).parent / name).exists():
            target = home(str(Path(path).parent / name))
        if target and target != where and target not in allowed[where]:
            found.append(f"{path}: includes {name}; {where} may see only {sorted(allowed[where]) or 'itself'}")
        if re.match(forbidden[where], name):
            found.append(f"{path}: includes {name}, which {where} must not know")
    return found


def selftest() -> None:
    assert check("ui/page.cpp", '#include "remote/transport.h"\n')
    assert check("core/plan.cpp", "#include <QWidget>\n")
    assert check("core/wire/record.cpp", "#include <QString>\n")
    assert check("remote/agent/spool.cpp", '#include "core/error.h"\n')
    assert not check("ui/page.cpp", '#include "core/error.h"\n#include <QWidget>\n')


selftest()
problems, files = [], 0
for folder in ("core", "remote", "trainer", "ui", "app"):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix in (".cpp", ".h", ".cu") and path.is_file():
            files += 1
            problems += check(str(path.relative_to(root)), path.read_text())
print("\n".join(problems) or f"{files} files, every include as design says")
sys.exit(bool(problems) or files == 0)
