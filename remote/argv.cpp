// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/argv.h"

namespace lockstep {

namespace {

// No byte in here may be a single quote, a backslash, `!` or a newline (fish reads \\ and \' inside single quotes, tcsh
// reads ! and newlines there). $(...) drops newlines at the end, hence the x. $1 is the marker; sh names itself $0.
constexpr char kDecode[] = "echo $1; echo $1 >&2; shift; n=$#; while [ $n -gt 0 ]; do w=$(printf %bx \"$1\"); shift; "
                           "set -- \"$@\" \"${w%x}\"; n=$((n-1)); done; exec \"$@\"";
constexpr char kPlain[] = "echo $1; echo $1 >&2; shift; exec \"$@\"";

bool isSafe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '/' || c == ':' || c == '=' || c == '@' || c == ',' || c == '+' || c == '-';
}

QByteArray encoded(const QByteArray& word)
{
    QByteArray text;
    text.reserve(word.size() + 2);
    text += '\'';
    for (const char c : word) {
        if (isSafe(c)) {
            text += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        text += "\\0";
        text += static_cast<char>('0' + (byte >> 6));
        text += static_cast<char>('0' + ((byte >> 3) & 7));
        text += static_cast<char>('0' + (byte & 7));
    }
    text += '\'';
    return text;
}

} // namespace

Result<void> checkArgv(const QList<QByteArray>& argv, const QString& node)
{
    if (argv.isEmpty() || argv.first().isEmpty())
        return failure(ErrorCode::BadInput, QStringLiteral("There is no program to start on %1.").arg(node), node);
    if (argv.first().startsWith('-'))
        return failure(ErrorCode::BadInput,
                       QStringLiteral("%1 is not a program that can be started on %2: its name starts with a dash.")
                           .arg(QString::fromUtf8(argv.first()), node),
                       node);
    for (qsizetype i = 0; i < argv.size(); ++i) {
        const QString name = i == 0 ? QStringLiteral("the program's name") : QStringLiteral("argument %1").arg(i);
        if (argv[i].contains('\0'))
            return failure(ErrorCode::BadInput,
                           QStringLiteral("%1 for %2 holds a NUL byte (after \"%3\"); no program can be given one.")
                               .arg(name, node, QString::fromUtf8(argv[i].left(argv[i].indexOf('\0')).left(40))),
                           node);
        if (argv[i].size() > kArgumentBytes)
            return failure(
                ErrorCode::BadInput,
                QStringLiteral("%1 for %2 has %3 bytes (it starts \"%4\"); a program can be given at most %5 in one "
                               "argument. Put it into a file.")
                    .arg(name, node)
                    .arg(argv[i].size())
                    .arg(QString::fromUtf8(argv[i].left(40)))
                    .arg(kArgumentBytes),
                node);
    }
    return {};
}

QByteArray loginShellCommand(const QList<QByteArray>& argv, const QByteArray& marker)
{
    QByteArray words;
    for (const QByteArray& word : argv)
        words += ' ' + encoded(word);
    return QByteArray("exec /bin/sh -c '") + (words.contains('\\') ? kDecode : kPlain) + "' sh " + marker + words;
}

} // namespace lockstep
