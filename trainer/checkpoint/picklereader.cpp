// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/pickle.h"
#include "trainer/checkpoint/picklecursor.h"
#include "trainer/checkpoint/picklekinds.h"
#include "trainer/checkpoint/pickleopcodes.h"

#include <algorithm>
#include <map>

namespace lockstep::trainer {

namespace {

constexpr std::size_t kMostValues = 4'000'000; // a state dictionary has some 20 a tensor

} // namespace

// The stack machine of pickle. Anything unexpected ends in refuse(): bytes from outside are never asserted on.
class PickleMachine {
public:
    using Value = PickleDocument::Value;
    using List = PickleDocument::List;
    using Dict = PickleDocument::Dict;

    PickleMachine(PickleDocument& document, std::span<const std::byte> bytes, const std::string& name)
        : m_document(document), m_cursor(bytes, name)
    {
    }

    const Value* run()
    {
        for (;;) {
            const char code = static_cast<char>(m_cursor.number<std::uint8_t>());
            if (code == opcode::kStop)
                return pop();
            execute(code);
        }
    }

private:
    [[noreturn]] void refuse(const std::string& why) const { m_cursor.refuse(why); }

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
        std::string name = m_cursor.line();
        name += "." + m_cursor.line();
        if (!picklekind::isKnown(name))
            refuse("it holds an object of the kind " + name +
                   ", only tensors, numbers, text, lists and dictionaries are read");
        push(PickleDocument::Named{std::move(name)});
    }

    void persistentId()
    {
        auto storage = picklekind::storage(as<List>(pop(), "a storage"));
        if (!storage)
            refuse("it has a storage of another form");
        push(std::move(*storage));
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
            auto tensor = picklekind::tensor(arguments);
            if (!tensor)
                refuse("it has a tensor of another form");
            push(std::move(*tensor));
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
            m_cursor.skip(1);
            return; // the protocol
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
            push(std::int64_t{m_cursor.number<std::int32_t>()});
            return;
        case opcode::kBinInt1:
            push(std::int64_t{m_cursor.number<std::uint8_t>()});
            return;
        case opcode::kBinInt2:
            push(std::int64_t{m_cursor.number<std::uint16_t>()});
            return;
        case opcode::kLong1:
            push(m_cursor.longInteger());
            return;
        case opcode::kBinFloat:
            push(m_cursor.real());
            return;
        case opcode::kBinUnicode:
            push(m_cursor.word(m_cursor.number<std::uint32_t>()));
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
            remember(m_cursor.number<std::uint8_t>());
            return;
        case opcode::kLongBinPut:
            remember(m_cursor.number<std::uint32_t>());
            return;
        case opcode::kBinGet:
            recall(m_cursor.number<std::uint8_t>());
            return;
        case opcode::kLongBinGet:
            recall(m_cursor.number<std::uint32_t>());
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
    PickleCursor m_cursor;
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
