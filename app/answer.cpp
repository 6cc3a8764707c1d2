// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/answer.h"

#include "app/jsonvalues.h"

#include <QJsonDocument>

#include <cstdio>

namespace lockstep {
namespace {

void write(std::FILE* file, const QByteArray& bytes)
{
    std::fwrite(bytes.constData(), 1, static_cast<size_t>(bytes.size()), file);
    std::fflush(file);
}

} // namespace

void print(const QString& text)
{
    write(stdout, text.toUtf8());
}

void printJson(const QJsonValue& value)
{
    const QJsonDocument document = value.isArray() ? QJsonDocument(value.toArray()) : QJsonDocument(value.toObject());
    write(stdout, document.toJson(QJsonDocument::Compact) + '\n');
}

void note(const QString& text)
{
    write(stderr, text.toUtf8() + '\n');
}

int leave(const Error& error, Output output)
{
    switch (output) {
    case Output::Json:
        printJson(toJson(error));
        break;
    case Output::Text:
        note(QStringLiteral("lockstep: ") + error.text);
        break;
    }
    const bool input = error.code == ErrorCode::BadInput || error.code == ErrorCode::NotFound;
    return input ? kExitBadInput : kExitFailed;
}

} // namespace lockstep
