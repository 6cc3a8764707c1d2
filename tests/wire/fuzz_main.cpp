// SPDX-License-Identifier: GPL-3.0-or-later
// fuzz_decoder CORPUS COUNT [SEED]: every file of the corpus, then COUNT seeded mutations of them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kMaxInputBytes = 200'000;
constexpr unsigned kDefaultSeed = 20261129;

void test(const std::string& bytes)
{
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

class Mutations {
public:
    Mutations(std::vector<std::string> corpus, unsigned seed) : m_corpus(std::move(corpus)), m_random(seed) {}

    std::string next()
    {
        std::string bytes = m_corpus[below(m_corpus.size())];
        for (std::size_t i = below(6) + 1; i > 0; --i)
            mutate(bytes);
        return bytes.substr(0, kMaxInputBytes);
    }

private:
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : m_random() % limit; }

    void mutate(std::string& bytes)
    {
        static const std::string special("\n =\\\r\t\0-x\x7f\x80\xff\xe5", 13);
        const std::size_t at = below(bytes.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(bytes.size() - at, 64) + 1);
        switch (below(8)) {
        case 0:
            bytes.insert(at, 1, special[below(special.size())]);
            break;
        case 1:
            bytes.erase(at, length);
            break;
        case 2:
            if (at < bytes.size())
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
            break;
        case 3:
            bytes.insert(at, bytes.substr(below(bytes.size() + 1), length));
            break;
        case 4: // another file from here on
            bytes = bytes.substr(0, at) + m_corpus[below(m_corpus.size())];
            break;
        case 5:
            if (at < bytes.size())
                bytes[at] = special[below(special.size())];
            break;
        case 6: // numbers at their limits
            bytes.insert(at, "9223372036854775808");
            break;
        case 7:
            if (below(20) == 0) // past the limit of a record
                bytes.insert(at, 60'000 + below(12'000), "x \\"[below(3)]);
            break;
        }
    }

    std::vector<std::string> m_corpus;
    std::mt19937 m_random;
};

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3)
        return 2;
    const int count = std::atoi(argv[2]);
    const unsigned seed = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : kDefaultSeed;
    std::set<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
        paths.insert(entry.path());
    std::vector<std::string> corpus;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        test(corpus.back());
    }
    if (corpus.empty() || count < 1)
        return 2;
    std::printf("%zu files of the corpus, then %d inputs of seed %u\n", corpus.size(), count, seed);
    Mutations mutations(std::move(corpus), seed);
    for (int i = 0; i < count; ++i)
        test(mutations.next());
    std::puts("done");
    return 0;
}
