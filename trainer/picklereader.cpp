// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/failure.h"
#include "trainer/pickle.h"
#include "trainer/pickleopcodes.h"
#include "trainer/zipformat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>

namespace lockstep::trainer {

namespace {

constexpr std::size_t kMostValues = 10'000'000; // a state dictionary has thousands
constexpr std::size_t kLongestWord = 4096;      // of a global's two lines
constexpr std::size_t kMostLongBytes = 8;

// Globals that may stand in a state dictionary. None is ever called: the machine knows what each one makes.
constexpr std::array<std::string_view, 3> kKnown{"collections.OrderedDict", "torch._utils._rebuild_tensor_v2",
                                                 "torch._utils._rebuild_parameter"};

bool isStorageType(std::string_view name)
{
    return name.starts_with("torch.") && name.ends_with("Storage");
}

} // namespace

// The stack machine of pickle. Anything unexpected ends in refuse(): bytes from outside are never asserted on.
class PickleMachine {
public:
    using Value = PickleDocument::Value;
    using List = PickleDocument::List;
    using Dict = PickleDocument::Dict;

    PickleMachine(PickleDocument& document, std::span<const std::byte> bytes, const std::string& name)
        : m_document(document), m_bytes(bytes), m_name(name)
    {
    }

    const Value* run()
    {
        for (;;) {
            const char code = static_cast<char>(number<std::uint8_t>());
            if (code == opcode::kStop)
                return pop();
            execute(code);
        }
    }

private:
    [[noreturn]] void refuse(const std::string& why) const
    {
        throw Failure(ExitCode::Checkpoint, "cannot read " + m_name + ": " + why);
    }

    template <typename Number>
    Number number()
    {
        if (m_bytes.size() - m_position < sizeof(Number))
            refuse("it ends in the middle");
        const auto value = zip::at<Number>(m_bytes, m_position);
        m_position += sizeof(Number);
        return value;
    }

    std::string word(std::size_t bytes)
    {
        if (m_bytes.size() - m_position < bytes)
            refuse("it ends in the middle");
        const auto* start = reinterpret_cast<const char*>(m_bytes.data()) + m_position;
        m_position += bytes;
        return {start, bytes};
    }

    std::string line()
    {
        const auto rest = m_bytes.subspan(m_position);
        const auto end = std::ranges::find(rest, std::byte{'\n'});
        const auto bytes = static_cast<std::size_t>(end - rest.begin());
        if (end == rest.end() || bytes > kLongestWord)
            refuse("it ends in the middle");
        std::string text = word(bytes);
        ++m_position;
        return text;
    }

    template <typename Held>
    Value* push(Held held)
    {
        if (m_document.m_values.size() >= kMostValues)
            refuse("it has too many values");
        Value& value = m_document.m_values.emplace_back(Value{std::move(held)});
        m_stack.push_back(&value);
        return &value;
    }

    Value* pop()
    {
        if (m_stack.size() <= (m_marks.empty() ? 0 : m_marks.back()))
            refuse("its stack runs empty");
        Value* value = m_stack.back();
        m_stack.pop_back();
        return value;
    }

    std::vector<Value*> popToMark()
    {
        if (m_marks.empty())
            refuse("it closes what was never opened");
        const auto start = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
        std::vector<Value*> values(start, m_stack.end());
        m_stack.erase(start, m_stack.end());
        m_marks.pop_back();
        return values;
    }

    template <typename Held>
    Held& as(Value* value, const char* what)
    {
        Held* held = std::get_if<Held>(&value->held);
        if (held == nullptr)
            refuse(std::string("it has another value where ") + what + " must stand");
        return *held;
    }

    Value* top()
    {
        Value* value = pop();
        m_stack.push_back(value);
        return value;
    }

    void setItems(Value* dict, const std::vector<Value*>& items)
    {
        if (items.size() % 2 != 0)
            refuse("it has a key without a value");
        Dict& entries = as<Dict>(dict, "a dictionary");
        for (std::size_t i = 0; i < items.size(); i += 2)
            entries.emplace_back(items[i], items[i + 1]);
    }

    void remember(std::size_t place) { m_memo[place] = top(); }

    void recall(std::size_t place)
    {
        const auto found = m_memo.find(place);
        if (found == m_memo.end())
            refuse("it refers to what was never there");
        m_stack.push_back(found->second);
    }

    void pushTuple(const std::vector<Value*>& values) { push(List(values.begin(), values.end())); }

    void tuple(std::size_t size)
    {
        std::vector<Value*> values(size);
        for (auto place = values.rbegin(); place != values.rend(); ++place)
            *place = pop();
        pushTuple(values);
    }

    void global()
    {
        std::string name = line();
        name += "." + line();
        if (std::ranges::find(kKnown, name) == kKnown.end() && !isStorageType(name))
            refuse("it holds an object of the kind " + name +
                   ", only tensors, numbers, text, lists and dictionaries are read");
        push(PickleDocument::Named{name});
    }

    void longInteger()
    {
        const std::size_t bytes = number<std::uint8_t>();
        if (bytes > kMostLongBytes)
            refuse("it has a whole number beyond 64 bits");
        std::uint64_t value = 0;
        std::uint8_t last = 0;
        for (std::size_t i = 0; i < bytes; ++i) {
            last = number<std::uint8_t>();
            value |= std::uint64_t{last} << (8 * i);
        }
        if (bytes > 0 && bytes < kMostLongBytes && (last & 0x80) != 0)
            value |= ~std::uint64_t{0} << (8 * bytes); // two's complement
        push(static_cast<std::int64_t>(value));
    }

    void real()
    {
        std::uint64_t bits = 0;
        for (int i = 0; i < 8; ++i)
            bits = bits << 8 | number<std::uint8_t>();
        push(std::bit_cast<double>(bits));
    }

    // ('storage', torch.FloatStorage, key, location, elements)
    void persistentId()
    {
        const List id = as<List>(pop(), "a storage");
        if (id.size() != 5)
            refuse("it has a storage of another form");
        PickleDocument::Storage storage;
        const auto* type = std::get_if<PickleDocument::Named>(&id[1]->held);
        const auto* key = std::get_if<std::string>(&id[2]->held);
        const auto* elements = std::get_if<std::int64_t>(&id[4]->held);
        if (type == nullptr || key == nullptr || elements == nullptr || !isStorageType(type->name) || *elements < 0)
            refuse("it has a storage of another form");
        push(PickleDocument::Storage{type->name.substr(type->name.find('.') + 1), *key, *elements});
    }

    std::vector<std::int64_t> wholes(const Value* value)
    {
        const auto* list = std::get_if<List>(&value->held);
        if (list == nullptr)
            refuse("it has a tensor of another form");
        std::vector<std::int64_t> numbers;
        for (const Value* element : *list) {
            const auto* whole = std::get_if<std::int64_t>(&element->held);
            if (whole == nullptr || *whole < 0)
                refuse("it has a tensor of another form");
            numbers.push_back(*whole);
        }
        return numbers;
    }

    void reduce()
    {
        const List arguments = as<List>(pop(), "arguments");
        const std::string name = as<PickleDocument::Named>(pop(), "a known kind").name;
        if (name == "collections.OrderedDict" && arguments.empty()) {
            push(Dict{});
        } else if (name == "torch._utils._rebuild_parameter" && !arguments.empty() &&
                   std::holds_alternative<StoredTensor>(arguments[0]->held)) {
            push(std::get<StoredTensor>(arguments[0]->held));
        } else if (name == "torch._utils._rebuild_tensor_v2" && arguments.size() >= 4) {
            const auto* storage = std::get_if<PickleDocument::Storage>(&arguments[0]->held);
            const auto* offset = std::get_if<std::int64_t>(&arguments[1]->held);
            StoredTensor tensor;
            tensor.sizes = wholes(arguments[2]);
            tensor.strides = wholes(arguments[3]);
            if (storage == nullptr || offset == nullptr || *offset < 0 || tensor.sizes.size() != tensor.strides.size())
                refuse("it has a tensor of another form");
            tensor.storageType = storage->type;
            tensor.key = storage->key;
            tensor.storageElements = storage->elements;
            tensor.offset = *offset;
            push(std::move(tensor));
        } else {
            refuse("it makes " + name + " in an unknown way");
        }
    }

    void append(const std::vector<Value*>& values)
    {
        List& list = as<List>(top(), "a list");
        list.insert(list.end(), values.begin(), values.end());
    }

    void execute(char code)
    {
        switch (code) {
        case opcode::kProto:
            number<std::uint8_t>();
            return;
        case opcode::kMark:
            m_marks.push_back(m_stack.size());
            return;
        case opcode::kPop:
            pop();
            return;
        case opcode::kNone:
            push(PickleDocument::None{});
            return;
        case opcode::kNewTrue:
            push(true);
            return;
        case opcode::kNewFalse:
            push(false);
            return;
        case opcode::kBinInt:
            push(std::int64_t{number<std::int32_t>()});
            return;
        case opcode::kBinInt1:
            push(std::int64_t{number<std::uint8_t>()});
            return;
        case opcode::kBinInt2:
            push(std::int64_t{number<std::uint16_t>()});
            return;
        case opcode::kLong1:
            longInteger();
            return;
        case opcode::kBinFloat:
            real();
            return;
        case opcode::kBinUnicode:
            push(word(number<std::uint32_t>()));
            return;
        case opcode::kEmptyList:
            push(List{});
            return;
        case opcode::kEmptyTuple:
            push(List{});
            return;
        case opcode::kEmptyDict:
            push(Dict{});
            return;
        case opcode::kTuple:
            pushTuple(popToMark());
            return;
        case opcode::kTuple1:
            tuple(1);
            return;
        case opcode::kTuple2:
            tuple(2);
            return;
        case opcode::kTuple3:
            tuple(3);
            return;
        case opcode::kAppend: {
            Value* value = pop();
            append({value});
            return;
        }
        case opcode::kAppends:
            append(popToMark());
            return;
        case opcode::kSetItem: {
            Value* value = pop();
            Value* key = pop();
            setItems(top(), {key, value});
            return;
        }
        case opcode::kSetItems: {
            const auto items = popToMark();
            setItems(top(), items);
            return;
        }
        case opcode::kBinPut:
            remember(number<std::uint8_t>());
            return;
        case opcode::kLongBinPut:
            remember(number<std::uint32_t>());
            return;
        case opcode::kBinGet:
            recall(number<std::uint8_t>());
            return;
        case opcode::kLongBinGet:
            recall(number<std::uint32_t>());
            return;
        case opcode::kGlobal:
            global();
            return;
        case opcode::kBinPersId:
            persistentId();
            return;
        case opcode::kReduce:
            reduce();
            return;
        case opcode::kBuild:
            pop();
            return; // a state dictionary's _metadata: module versions, not needed
        }
        refuse("it uses pickle's opcode " + std::to_string(static_cast<unsigned char>(code)) +
               ", which state dictionaries do not");
    }

    PickleDocument& m_document;
    std::span<const std::byte> m_bytes;
    const std::string& m_name;
    std::size_t m_position = 0;
    std::vector<Value*> m_stack;
    std::vector<std::size_t> m_marks;
    std::map<std::size_t, Value*> m_memo;
};

PickleDocument::PickleDocument(std::span<const std::byte> bytes, std::string name)
{
    m_root = PickleMachine(*this, bytes, name).run();
}

const PickleDocument::Value* PickleDocument::find(const Value& dict, std::string_view key)
{
    const auto* entries = std::get_if<Dict>(&dict.held);
    if (entries == nullptr)
        return nullptr;
    const auto found = std::ranges::find_if(entries->rbegin(), entries->rend(), [key](const auto& entry) {
        const auto* text = std::get_if<std::string>(&entry.first->held);
        return text != nullptr && *text == key;
    });
    return found == entries->rend() ? nullptr : found->second;
}

} // namespace lockstep::trainer
