// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Python's pickle (protocol 2) that state dictionaries are made of: None, booleans, numbers, text, lists,
// tuples, dictionaries (OrderedDict too) and tensors, whose bytes lie beside the pickle. Reading calls nothing and
// imports nothing: an object of any other kind makes the file refused, whoever wrote it.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::trainer {

struct StoredTensor {
    std::string storageType; // "FloatStorage" ...
    std::string key;         // of the storage's bytes in the archive: data/KEY
    std::int64_t storageElements = 0;
    std::int64_t offset = 0; // in elements
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
};

class PickleWriter {
public:
    PickleWriter();

    void beginDict();
    void beginOrderedDict();
    void endDict(); // between: key, value, key, value ...
    void beginList();
    void endList();
    void text(std::string_view value);
    void integer(std::int64_t value);
    void real(double value);
    void none();
    void truth(bool value);
    void tensor(const StoredTensor& tensor);
    [[nodiscard]] std::string finish();

private:
    void tuple(const std::vector<std::int64_t>& values);

    std::string m_out;
};

// Values live in the document; they point to one another, so a cycle in a file is harmless.
class PickleDocument {
public:
    struct Value;
    using List = std::vector<const Value*>; // tuples too
    using Dict = std::vector<std::pair<const Value*, const Value*>>;
    struct None {};
    struct Named { // a global of the file: module.name, known to be harmless
        std::string name;
    };
    struct Storage {
        std::string type;
        std::string key;
        std::int64_t elements = 0;
    };
    struct Value {
        std::variant<None, bool, std::int64_t, double, std::string, List, Dict, StoredTensor, Named, Storage> held;
    };

    // Throws Failure(Checkpoint); `name` is for its sentence.
    PickleDocument(std::span<const std::byte> bytes, std::string name);

    [[nodiscard]] const Value& root() const { return *m_root; }
    [[nodiscard]] static const Value* find(const Value& dict, std::string_view key); // nullptr: no dict, or no such key

private:
    friend class PickleMachine;
    std::deque<Value> m_values;
    const Value* m_root = nullptr;
};

} // namespace lockstep::trainer
