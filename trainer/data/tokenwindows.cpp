// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/tokenwindows.h"

#include "trainer/failure.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace lockstep::trainer {

namespace {

static_assert(std::endian::native == std::endian::little, "token files are little-endian");

constexpr std::int64_t kByteVocabulary = 256;
constexpr std::int64_t kTestShare = 10; // one token of so many in a single file
constexpr std::int64_t kHighestToken = 0xffffffff;
constexpr std::streamsize kScannedAtOnce = 1 << 20;
constexpr std::uintmax_t kMostScanned = std::uintmax_t{1} << 30; // 0.3 s where the file is in memory

template <typename Token>
Token tokenAt(const MappedFile& file, std::int64_t position)
{
    Token token; // a file of another program's: nothing says where it lies
    std::memcpy(&token, file.bytes().data() + static_cast<std::size_t>(position) * sizeof(Token), sizeof(Token));
    return token;
}

std::int64_t tokensOf(const MappedFile& file, TokenBytes size)
{
    const auto bytes = static_cast<std::size_t>(size);
    if (file.bytes().size() % bytes != 0)
        refuseFile(file.path(), "its " + std::to_string(file.bytes().size()) + " bytes are no multiple of " +
                                    std::to_string(bytes) + ", a token's (--token-type)");
    return static_cast<std::int64_t>(file.bytes().size() / bytes);
}

[[noreturn]] void refuseToken(const std::string& path, std::int64_t position, std::int64_t token,
                              std::int64_t vocabulary)
{
    throw Failure(ExitCode::Data, path + ": token " + std::to_string(position) + " is " + std::to_string(token) +
                                      ", outside a vocabulary of " + std::to_string(vocabulary) +
                                      " (--vocabulary, --token-type)");
}

// Through a buffer and not the mapping: that would count as memory of this process. `most`: the highest that may be.
template <typename Token>
std::int64_t highestIn(const MappedFile& file, std::int64_t most)
{
    std::ifstream bytes(file.path(), std::ios::binary);
    std::vector<Token> block(kScannedAtOnce / sizeof(Token));
    std::int64_t highest = 0;
    for (std::int64_t first = 0; bytes;) {
        bytes.read(reinterpret_cast<char*>(block.data()), kScannedAtOnce);
        const auto end =
            block.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(bytes.gcount()) / sizeof(Token));
        Token ofBlock = 0;
        for (auto token = block.begin(); token != end; ++token)
            ofBlock = std::max(ofBlock, *token);
        if (ofBlock > most) {
            const auto wrong = std::ranges::find_if(block.begin(), end, [most](Token token) { return token > most; });
            refuseToken(file.path(), first + (wrong - block.begin()), *wrong, most + 1);
        }
        highest = std::max<std::int64_t>(highest, ofBlock);
        first += end - block.begin();
    }
    return highest;
}

std::int64_t highestIn(const MappedFile& file, TokenBytes size, std::int64_t most)
{
    switch (size) {
    case TokenBytes::One:
        return highestIn<std::uint8_t>(file, most);
    case TokenBytes::Two:
        return highestIn<std::uint16_t>(file, most);
    case TokenBytes::Four:
        return highestIn<std::uint32_t>(file, most);
    }
    return 0;
}

// Looks for an id outside of it before anything is trained, days later it would be a loss; in a file that is too large
// for that it is found when it is read.
std::int64_t vocabularyOf(const Options& options, TokenBytes size, const std::vector<TokenWindows::Part>& parts)
{
    std::int64_t vocabulary = options.vocabulary;
    if (vocabulary == 0 && options.data == DataKind::Text)
        vocabulary = kByteVocabulary;
    const bool mayBeOutside = vocabulary < std::int64_t{1} << 8 * static_cast<int>(size);
    std::int64_t highest = 0;
    const MappedFile* before = nullptr;
    for (const TokenWindows::Part& part : parts) {
        const bool large = part.file->bytes().size() > kMostScanned;
        if (large && vocabulary == 0)
            throw Failure(ExitCode::Data, part.file->path() + " is too large to look for its highest token: say "
                                                              "--vocabulary");
        if (mayBeOutside && !large && part.file.get() != before)
            highest = std::max(highest, highestIn(*part.file, size, vocabulary > 0 ? vocabulary - 1 : kHighestToken));
        before = part.file.get();
    }
    return vocabulary > 0 ? vocabulary : highest + 1;
}

// Training, then testing where there is something to test.
std::vector<TokenWindows::Part> partsOf(const Options& options, TokenBytes size)
{
    const std::filesystem::path path = options.dataPath;
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        const std::string suffix = options.data == DataKind::Text ? ".txt" : ".bin";
        std::vector<TokenWindows::Part> parts;
        for (const char* name : {"train", "val"}) {
            const std::filesystem::path file = path / (name + suffix);
            if (!parts.empty() && !std::filesystem::exists(file, error))
                break;
            auto mapped = std::make_shared<const MappedFile>(file);
            const std::int64_t count = tokensOf(*mapped, size);
            parts.push_back({std::move(mapped), 0, count});
        }
        return parts;
    }
    const auto mapped = std::make_shared<const MappedFile>(path);
    const std::int64_t count = tokensOf(*mapped, size);
    const std::int64_t tests = count / kTestShare;
    return {{mapped, 0, count - tests}, {mapped, count - tests, tests}};
}

} // namespace

TokenWindows::TokenWindows(Part part, TokenBytes size, std::int64_t context, std::int64_t vocabulary)
    : m_part(std::move(part)),
      m_size(size), m_shape{.kind = SampleKind::Tokens, .context = context, .classes = vocabulary}
{
    if (m_part.count < context + 1)
        throw Failure(ExitCode::Data, m_part.file->path() + ": " + std::to_string(m_part.count) +
                                          " tokens (of this part) are too few for one sample of " +
                                          std::to_string(context) +
                                          " and the token after it: choose a smaller --context");
}

void TokenWindows::read(std::span<const std::int64_t> indices, const Draw&, const BatchMemory& memory) const
{
    std::int64_t* tokens = memory.tokens;
    std::int64_t* targets = memory.targets;
    for (const std::int64_t index : indices) {
        const std::int64_t first = m_part.first + index * m_shape.context;
        switch (m_size) {
        case TokenBytes::One:
            readWindow<std::uint8_t>(first, tokens, targets);
            break;
        case TokenBytes::Two:
            readWindow<std::uint16_t>(first, tokens, targets);
            break;
        case TokenBytes::Four:
            readWindow<std::uint32_t>(first, tokens, targets);
            break;
        }
        tokens += m_shape.context;
        targets += m_shape.context;
    }
}

template <typename Token>
void TokenWindows::readWindow(std::int64_t first, std::int64_t* tokens, std::int64_t* targets) const
{
    const std::int64_t context = m_shape.context;
    for (std::int64_t i = 0; i <= context; ++i) {
        const std::int64_t token = tokenAt<Token>(*m_part.file, first + i);
        if (token >= m_shape.classes) // an embedding has no row for it
            refuseToken(m_part.file->path(), first + i, token, m_shape.classes);
        if (i < context)
            tokens[i] = token;
        if (i > 0)
            targets[i - 1] = token;
    }
}

DataSplit tokenData(const Options& options)
{
    TokenBytes size = options.tokenType == TokenType::Uint16 ? TokenBytes::Two : TokenBytes::Four;
    if (options.data == DataKind::Text)
        size = TokenBytes::One;
    const std::vector<TokenWindows::Part> parts = partsOf(options, size);
    const std::int64_t vocabulary = vocabularyOf(options, size, parts);
    DataSplit split;
    split.train = std::make_unique<TokenWindows>(parts[0], size, options.context, vocabulary);
    if (parts.size() > 1)
        split.test = std::make_unique<TokenWindows>(parts[1], size, options.context, vocabulary);
    return split;
}

} // namespace lockstep::trainer
