// Reads PTX text.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "tests/cuda/fake/ptx/module.h"

namespace fake {

struct Token {
  std::string_view text;
  int line;
};

namespace {

const std::unordered_map<std::string_view, Type> kTypes = {
    {"pred", Type::pred}, {"b8", Type::b8},   {"b16", Type::b16},   {"b32", Type::b32},
    {"b64", Type::b64},   {"u8", Type::u8},   {"u16", Type::u16},   {"u32", Type::u32},
    {"u64", Type::u64},   {"s8", Type::s8},   {"s16", Type::s16},   {"s32", Type::s32},
    {"s64", Type::s64},   {"f16", Type::f16}, {"bf16", Type::bf16}, {"f32", Type::f32},
    {"f64", Type::f64}};

const std::unordered_map<std::string_view, Op> kOps = {
    {"mov", Op::mov},     {"ld", Op::ld},     {"ldu", Op::ld},
    {"st", Op::st},       {"add", Op::add},   {"sub", Op::sub},
    {"mul", Op::mul},     {"mad", Op::mad},   {"fma", Op::fma},
    {"div", Op::div},     {"rem", Op::rem},   {"abs", Op::abs},
    {"neg", Op::neg},     {"min", Op::min},   {"max", Op::max},
    {"and", Op::and_},    {"or", Op::or_},    {"xor", Op::xor_},
    {"not", Op::not_},    {"shl", Op::shl},   {"shr", Op::shr},
    {"setp", Op::setp},   {"selp", Op::selp}, {"cvt", Op::cvt},
    {"cvta", Op::cvta},   {"bra", Op::bra},   {"ret", Op::ret},
    {"exit", Op::exit},   {"bar", Op::bar},   {"barrier", Op::bar},
    {"shfl", Op::shfl},   {"vote", Op::vote}, {"activemask", Op::activemask},
    {"bfe", Op::bfe},     {"bfi", Op::bfi},   {"brev", Op::brev},
    {"clz", Op::clz},     {"popc", Op::popc}, {"prmt", Op::prmt},
    {"sqrt", Op::sqrt},   {"rcp", Op::rcp},   {"rsqrt", Op::rsqrt},
    {"ex2", Op::ex2},     {"lg2", Op::lg2},   {"copysign", Op::copysign},
    {"atom", Op::atom},   {"red", Op::red},   {"membar", Op::fence},
    {"fence", Op::fence}, {"shf", Op::shf},   {"lop3", Op::lop3},
    {"trap", Op::trap}};

const std::unordered_map<std::string_view, uint32_t> kSpecialNames = {
    {"%tid.x", tid_x},       {"%tid.y", tid_y},
    {"%tid.z", tid_z},       {"%ntid.x", ntid_x},
    {"%ntid.y", ntid_y},     {"%ntid.z", ntid_z},
    {"%ctaid.x", ctaid_x},   {"%ctaid.y", ctaid_y},
    {"%ctaid.z", ctaid_z},   {"%nctaid.x", nctaid_x},
    {"%nctaid.y", nctaid_y}, {"%nctaid.z", nctaid_z},
    {"%laneid", laneid},     {"%lanemask_lt", lanemask_lt},
    {"%envreg0", envreg0}};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' ||
         c == '%';
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  int line = 1;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (std::isspace(static_cast<unsigned char>(c)) || c == '\0') {
      ++i;
    } else if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      const size_t end = text.find("*/", i);
      line += static_cast<int>(
          std::count(text.begin() + i, text.begin() + std::min(end, text.size()), '\n'));
      i = end == std::string_view::npos ? text.size() : end + 2;
    } else if (c == '"') {
      const size_t end = text.find('"', i + 1);
      tokens.push_back({text.substr(i, end - i + 1), line});
      i = end + 1;
    } else {
      size_t end = i + 1;
      if (is_word(c))
        while (end < text.size() && is_word(text[end])) ++end;
      tokens.push_back({text.substr(i, end - i), line});
      i = end;
    }
  }
  return tokens;
}

}  // namespace

bool Instruction::has(std::string_view word) const {
  for (size_t start = 0; start <= mode.size();) {
    const size_t end = std::min(mode.find('.', start), mode.size());
    if (std::string_view(mode).substr(start, end - start) == word) return true;
    start = end + 1;
  }
  return false;
}

int size_of(Type type) {
  switch (type) {
    case Type::pred:
    case Type::b8:
    case Type::u8:
    case Type::s8:
      return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32:
      return 4;
    default:
      return 8;
  }
}

class PtxParser {
 public:
  PtxParser(PtxModule& module, std::string_view text) : module_(module), tokens_(tokens_of(text)) {}

  void run() {
    while (place_ < tokens_.size()) {
      const std::string_view word = next();
      if (word == ".version") {
        module_.version_ = decimal(next());
      } else if (word == ".target") {
        module_.target_ = std::stoi(std::string(next().substr(3)));
        while (accept(",")) next();
      } else if (word == ".address_size") {
        next();
      } else if (word == ".entry") {
        kernel();
      } else if (word == ".global" || word == ".const" || word == ".shared") {
        variable(word);
      } else if (word != ".visible" && word != ".weak" && word != ".extern") {
        fail("unexpected '" + std::string(word) + "'");
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const int line = place_ ? tokens_[place_ - 1].line : 0;
    throw PtxError("line " + std::to_string(line) + ": " + what);
  }

  std::string_view peek() const {
    return place_ < tokens_.size() ? tokens_[place_].text : std::string_view();
  }
  std::string_view next() {
    if (place_ == tokens_.size()) fail("unexpected end");
    return tokens_[place_++].text;
  }
  bool accept(std::string_view text) {
    if (peek() != text) return false;
    ++place_;
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text))
      fail("expected '" + std::string(text) + "' before '" + std::string(peek()) + "'");
  }

  static int decimal(std::string_view version) {
    const size_t dot = version.find('.');
    return 10 * std::stoi(std::string(version.substr(0, dot))) +
           std::stoi(std::string(version.substr(dot + 1)));
  }

  Type type_word(std::string_view word) {
    const auto found = kTypes.find(word.starts_with(".") ? word.substr(1) : word);
    if (found == kTypes.end()) fail("not a type: " + std::string(word));
    return found->second;
  }

  struct Declared {
    std::string name;
    uint32_t size, alignment;
    Type element;
  };

  /// ".align 8 .b8 name[16]"
  Declared declared() {
    uint32_t alignment = 0;
    std::string_view word = next();
    while (word == ".align" || word == ".ptr" || word == ".global" || word == ".volatile") {
      if (word == ".align") alignment = static_cast<uint32_t>(std::stoul(std::string(next())));
      word = next();
    }
    const Type type = type_word(word);
    while (peek() == ".ptr" || peek() == ".global" || peek() == ".align") {
      if (next() == ".align") next();
    }
    std::string name(next());
    const auto element = static_cast<uint32_t>(size_of(type));
    uint32_t size = element;
    if (accept("[")) {
      size = peek() == "]" ? 0 : element * static_cast<uint32_t>(std::stoul(std::string(next())));
      expect("]");
    }
    return {name, size, std::max(alignment, element), type};
  }

  uint32_t place_shared(const Declared& what) {
    for (const auto& [name, each] : module_shared_)
      if (what.size == 0 && each.size > 0 && !symbols_.contains(name))
        symbols_[name] = place(kernel_->shared_bytes, each);
    return place(kernel_->shared_bytes, what);
  }

  static uint32_t place(uint32_t& end, const Declared& what) {
    const uint32_t start = (end + what.alignment - 1) / what.alignment * what.alignment;
    end = start + what.size;
    return start;
  }

  void variable(std::string_view space) {
    const Declared what = declared();
    if (space == ".shared") {
      module_shared_[what.name] = what;
    } else {
      module_.variables_.push_back(std::make_unique<uint8_t[]>(what.size + 16));
      uint8_t* data = module_.variables_.back().get();
      const auto begin = reinterpret_cast<uint64_t>(data);
      symbols_[what.name] = begin;
      ranges_.emplace_back(begin, begin + what.size);
      if (accept("=")) initialise(data, what);
    }
    expect(";");
  }

  void initialise(uint8_t* data, const Declared& what) {
    const bool braces = accept("{");
    const auto size = static_cast<size_t>(size_of(what.element));
    do {
      const uint64_t value = number(what.element);
      std::memcpy(data, &value, size);
      data += size;
    } while (accept(","));
    if (braces) expect("}");
  }

  void kernel() {
    Kernel made;
    made.name = next();
    made.variables = ranges_;
    kernel_ = &made;
    register_count_ = kSpecials;
    code_.clear();
    registers_.clear();
    labels_.clear();
    jumps_.clear();
    const auto outer_symbols = symbols_;
    if (accept("("))
      while (!accept(")")) {
        expect(".param");
        const Declared what = declared();
        const uint32_t offset = place(made.parameter_bytes, what);
        made.parameters.push_back({what.name, offset, what.size});
        symbols_[what.name] = offset;
        accept(",");
      }
    while (peek() != "{") {
      const std::string_view word = next();
      if (word == ".maxntid" || word == ".reqntid") {
        made.max_threads = 1;
        do made.max_threads *= std::stoi(std::string(next()));
        while (accept(","));
      }
    }
    body();
    for (const auto& [instruction, label] : jumps_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) fail("no label " + label);
      code_[instruction].target = found->second;
    }
    made.program = translate(made.name, code_, register_count_);
    symbols_ = outer_symbols;
    module_.kernels_[made.name] = std::move(made);
  }

  void body() {
    do {
      const std::string_view word = next();
      if (word == "{") {
        hidden_.emplace_back();
      } else if (word == "}") {
        for (const auto& [name, outer] : hidden_.back()) registers_[name] = outer;
        hidden_.pop_back();
      } else if (word == ".reg") {
        declare_registers();
      } else if (word == ".shared" || word == ".local") {
        const Declared what = declared();
        symbols_[what.name] =
            place(word == ".shared" ? kernel_->shared_bytes : kernel_->local_bytes, what);
        expect(";");
      } else if (word == ".loc" || word == ".file" || word == ".pragma") {
        skip_line();
      } else if (accept(":")) {
        labels_[std::string(word)] = static_cast<int>(code_.size());
      } else {
        --place_;
        instruction();
      }
    } while (!hidden_.empty());
  }

  void skip_line() {
    const int line = tokens_[place_ - 1].line;
    while (place_ < tokens_.size() && tokens_[place_].line == line) ++place_;
  }

  void declare_register(const std::string& name) {
    const auto found = registers_.find(name);
    if (found != registers_.end()) hidden_.back().insert(*found);
    registers_[name] = register_count_++;
  }

  void declare_registers() {
    next();  // the type
    do {
      const std::string name(next());
      if (accept("<")) {
        const int count = std::stoi(std::string(next()));
        expect(">");
        for (int i = 0; i < count; ++i) declare_register(name + std::to_string(i));
      } else {
        declare_register(name);
      }
    } while (accept(","));
    expect(";");
  }

  uint64_t number(std::optional<Type> type) {
    const bool negative = accept("-");
    std::string text(next());
    uint64_t value;
    if (text.starts_with("0f") || text.starts_with("0F"))
      value = std::stoull(text.substr(2), nullptr, 16);
    else if (text.starts_with("0d") || text.starts_with("0D"))
      value = std::stoull(text.substr(2), nullptr, 16);
    else if (std::isdigit(static_cast<unsigned char>(text[0])))
      value = std::stoull(text, nullptr, 0);
    else if (const auto found = symbols_.find(text); found != symbols_.end())
      value = found->second;
    else if (const auto shared = module_shared_.find(text); shared != module_shared_.end())
      // A kernel has space for the variables that it names; dynamic shared memory comes after them.
      value = symbols_[text] = place_shared(shared->second);
    else
      fail("not a number: " + text);
    if (negative) value = ~value + 1;
    if (type && size_of(*type) < 8 && text.size() < 10)
      value &= (uint64_t{1} << (8 * size_of(*type))) - 1;
    return value;
  }

  uint32_t reg(std::string_view name) {
    if (const auto special = kSpecialNames.find(name); special != kSpecialNames.end())
      return special->second;
    const auto found = registers_.find(std::string(name));
    if (found == registers_.end()) fail("no register " + std::string(name));
    return found->second;
  }

  bool is_register() const {
    return peek().starts_with("%") || registers_.count(std::string(peek()));
  }

  Operand operand() {
    Operand result;
    if (accept("[")) {
      result.kind = Operand::Kind::address;
      result.reg = Operand::kNoBase;
      if (is_register())
        result.reg = reg(next());
      else
        result.immediate = number({});
      if (accept("+"))
        result.immediate += number({});
      else if (peek() == "-")
        result.immediate += number({});
      expect("]");
    } else if (is_register()) {
      result.kind = Operand::Kind::reg;
      result.reg = reg(next());
    } else {
      result.kind = Operand::Kind::immediate;
      result.immediate = number({});
      if (accept("+")) result.immediate += number({});
    }
    return result;
  }

  void instruction() {
    Instruction made;
    made.line = tokens_[place_].line;
    if (accept("@")) {
      made.negated = accept("!");
      made.predicate = static_cast<int>(reg(next()));
    }
    describe(made, next());
    std::vector<Operand> operands;
    if (made.op == Op::bra) {
      jumps_.push_back({code_.size(), std::string(next())});
    } else {
      while (peek() != ";") {
        if (accept("{")) {
          do made.list.push_back(operand());
          while (accept(","));
          expect("}");
          operands.push_back({});
        } else {
          operands.push_back(operand());
          if (accept("|")) made.second = operand();
        }
        if (!accept(",")) break;
      }
    }
    expect(";");
    assign(made, operands);
    code_.push_back(std::move(made));
  }

  /// Parses the name of an instruction.
  void describe(Instruction& made, std::string_view name) {
    const std::string full(name);
    size_t end = std::min(name.find('.'), name.size());
    const auto found = kOps.find(name.substr(0, end));
    if (found == kOps.end()) fail("an instruction that the interpreter does not know: " + full);
    made.op = found->second;
    std::vector<Type> types;
    while (end < name.size()) {
      const size_t start = end + 1;
      end = std::min(name.find('.', start), name.size());
      std::string_view part = name.substr(start, end - start);
      if (part.starts_with(":")) part.remove_prefix(1);
      if (const auto type = kTypes.find(part); type != kTypes.end())
        types.push_back(type->second);
      else if (part == "global" || part == "const")
        made.space = Space::global;
      else if (part == "shared")
        made.space = Space::shared;
      else if (part == "local")
        made.space = Space::local;
      else if (part == "param")
        made.space = Space::param;
      else if (part.ends_with("16x2"))
        made.packed = true, types.push_back(type_word(part.substr(0, part.size() - 2)));
      else if (part.ends_with("x2"))
        fail("packed numbers that the interpreter does not know: " + full);
      else if (part == "v2")
        made.vector = 2;
      else if (part == "v4")
        made.vector = 4;
      else
        made.mode += (made.mode.empty() ? "" : ".") + std::string(part);
    }
    if (made.op == Op::bar && made.mode.starts_with("red.")) made.op = Op::bar_red;
    if (made.op == Op::bar && made.mode.starts_with("warp.")) made.op = Op::bar_warp;
    if (!types.empty()) {
      made.type = types.front();
      made.source = types.back();
    }
    // "::" in names such as "shared::cta" leaves a colon token.
    while (accept(":")) next();
  }

  void assign(Instruction& made, std::vector<Operand>& operands) {
    const bool no_result = made.op == Op::st || made.op == Op::bar || made.op == Op::bar_warp ||
                           made.op == Op::red || made.op == Op::fence || made.op == Op::ret ||
                           made.op == Op::exit || made.op == Op::trap || made.op == Op::bra;
    if (!no_result) {
      if (operands.empty()) fail("no operands");
      made.to = operands[0];
      operands.erase(operands.begin());
    }
    Operand* const places[] = {&made.a, &made.b, &made.c, &made.d};
    if (operands.size() > 4) fail("too many operands");
    for (size_t i = 0; i < operands.size(); ++i) *places[i] = operands[i];
    for (Operand* place : places) narrow(made, *place);
    for (Operand& element : made.list) narrow(made, element);
  }

  /// Immediates have full width, or are f64 for an f32.
  static void narrow(const Instruction& made, Operand& operand) {
    if (operand.kind != Operand::Kind::immediate) return;
    if (made.op == Op::mov && made.type == Type::b64) return;
    const int size = size_of(made.op == Op::cvt ? made.source : made.type);
    if (size == 4) operand.immediate &= 0xffffffff;
  }

  PtxModule& module_;
  std::vector<Token> tokens_;
  size_t place_ = 0;
  Kernel* kernel_ = nullptr;       ///< the current one
  std::vector<Instruction> code_;  ///< of the kernel
  uint32_t register_count_ = 0;    ///< per thread
  std::unordered_map<std::string, Declared> module_shared_;
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  ///< of the variables of the module
  std::unordered_map<std::string, uint64_t> symbols_;
  std::unordered_map<std::string, uint32_t> registers_;
  /// For each open brace, the outer registers that it shadows.
  std::vector<std::unordered_map<std::string, uint32_t>> hidden_;
  std::unordered_map<std::string, int> labels_;
  std::vector<std::pair<size_t, std::string>> jumps_;
};

PtxModule::PtxModule(std::string_view text) { PtxParser(*this, text).run(); }

const Kernel* PtxModule::find(const std::string& name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &found->second;
}

}  // namespace fake
