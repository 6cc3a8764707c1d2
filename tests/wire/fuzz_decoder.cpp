// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever the bytes: pieces decode as the whole does, offsets are right, and a record written again decodes to itself.
#include "core/wire/decoder.h"
#include "core/wire/encoder.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace lockstep::wire;

namespace {

void require(bool condition)
{
    if (!condition)
        std::abort();
}

void checkWrittenAgain(const RecordView& record)
{
    std::string line;
    Encoder encoder(line);
    encoder.begin(record.kind, record.rank, record.timeUs);
    for (const Field& field : *record.fields)
        encoder.field(field.key, field.text());
    encoder.end();
    require(line.size() <= kMaxRecordBytes && line.back() == '\n');
    RecordView again;
    std::vector<Field> fields;
    require(decodeLine({line.data(), line.size() - 1}, again, fields));
    require(again.kind == record.kind && again.rank == record.rank && again.timeUs == record.timeUs);
    if (again.find("cut") != nullptr)
        return;
    require(fields.size() == record.fields->size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        require(fields[i].key == (*record.fields)[i].key && fields[i].text() == (*record.fields)[i].text());
        require(fields[i].integer() == (*record.fields)[i].integer());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::vector<std::uint64_t> starts;
    Decoder whole;
    whole.feed(bytes, [&](const RecordView& record) {
        starts.push_back(record.offset);
        require(bytes.substr(record.offset, record.line.size()) == record.line);
        checkWrittenAgain(record);
    });
    require(whole.counts().bytes == size);

    std::size_t next = 0;
    Decoder inPieces;
    for (std::size_t at = 0, step = size > 0 ? data[0] % 61 + 1 : 1; at < size; at += step)
        inPieces.feed(bytes.substr(at, step), [&](const RecordView& record) {
            require(next < starts.size() && starts[next++] == record.offset);
        });
    require(next == starts.size());
    require(inPieces.counts().malformed == whole.counts().malformed &&
            inPieces.counts().oversize == whole.counts().oversize);
    require(inPieces.pending() == whole.pending());
    return 0;
}
