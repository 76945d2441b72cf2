// Translates the instructions of a kernel into steps.
#include "tests/cuda/fake/ptx/program.h"

#include <algorithm>
#include <map>

namespace fake {
namespace {

using Kind = Step::Kind;
using Combine = Step::Combine;

Combine combine_of(const Instruction& at) {
  constexpr std::pair<std::string_view, Combine> kCombines[] = {
      {"popc", Combine::count}, {"and", Combine::all}, {"all", Combine::all},
      {"or", Combine::any},     {"any", Combine::any}, {"ballot", Combine::ballot},
      {"down", Combine::down},  {"up", Combine::up},   {"bfly", Combine::butterfly},
      {"idx", Combine::index}};
  if (at.op == Op::bar || at.op == Op::bar_warp) return Combine::nothing;
  for (const auto& [word, combine] : kCombines)
    if (at.has(word)) return combine;
  throw PtxError("line " + std::to_string(at.line) + ": an exchange of an unknown form: ." +
                 at.mode);
}

Kind kind_of(const Instruction& at) {
  switch (at.op) {
    case Op::ld:
      return Kind::load;
    case Op::st:
      return Kind::store;
    case Op::mov:
      return at.list.empty()                     ? Kind::compute
             : at.to.kind == Operand::Kind::none ? Kind::unpack
                                                 : Kind::pack;
    case Op::bra:
      return Kind::jump;
    case Op::ret:
    case Op::exit:
      return Kind::end;
    case Op::bar:
    case Op::bar_red:
      return Kind::barrier;
    case Op::shfl:
    case Op::vote:
    case Op::bar_warp:
      return Kind::exchange;
    case Op::atom:
    case Op::red:
      return Kind::atomic;
    case Op::fence:
      return Kind::nothing;
    case Op::trap:
      return Kind::trap;
    case Op::activemask:
      return Kind::activemask;
    case Op::setp:
      return at.second.kind == Operand::Kind::reg ? Kind::compare : Kind::compute;
    default:
      return Kind::compute;
  }
}

class Translator {
 public:
  explicit Translator(uint32_t registers) { program_.first_constant = registers; }

  Program run(const std::string& name, const std::vector<Instruction>& code) {
    program_.steps.reserve(code.size() + 1);
    for (const Instruction& at : code) program_.steps.push_back(step(at));
    Step& last = program_.steps.emplace_back();
    last.kind = Kind::end;
    // The register after the constants is for unused results.
    const uint32_t unwanted =
        program_.first_constant + static_cast<uint32_t>(program_.constants.size());
    for (Step& each : program_.steps)
      for (uint32_t* result : {&each.to, &each.second})
        if (*result == kUnwanted) *result = unwanted;
    std::replace(program_.lists.begin(), program_.lists.end(), kUnwanted, unwanted);
    program_.registers = unwanted + 1;
    program_.is_row_program =
        name == "kernel" && std::any_of(code.begin(), code.end(), [](const Instruction& at) {
          return at.op == Op::bar || at.op == Op::shfl;
        });
    return std::move(program_);
  }

 private:
  static constexpr uint32_t kUnwanted = ~0u;

  uint32_t constant(uint64_t value) {
    const auto next = program_.first_constant + static_cast<uint32_t>(program_.constants.size());
    const auto [found, is_new] = numbers_.try_emplace(value, next);
    if (is_new) program_.constants.push_back(value);
    return found->second;
  }

  uint32_t operand(const Operand& operand) {
    return operand.kind == Operand::Kind::reg ? operand.reg : constant(operand.immediate);
  }

  static uint32_t result(const Operand& to) {
    return to.kind == Operand::Kind::reg ? to.reg : kUnwanted;
  }

  Step step(const Instruction& at) {
    Step made;
    made.kind = kind_of(at);
    made.type = at.type;
    made.space = at.space;
    made.size = static_cast<uint8_t>(size_of(at.type));
    made.vector = at.vector;
    made.negated = at.negated;
    made.line = at.line;
    if (at.predicate >= 0) made.predicate = static_cast<uint32_t>(at.predicate);
    made.to = result(at.to);
    made.second = result(at.second);
    switch (made.kind) {
      case Kind::compute:
      case Kind::compare:
        compute(made, at);
        break;
      case Kind::jump:
        made.target = static_cast<uint32_t>(at.target);
        break;
      case Kind::load:
        address(made, at.a);
        list(made, at);
        break;
      case Kind::store:
        address(made, at.a);
        made.b = operand(at.b);
        list(made, at);
        break;
      case Kind::pack:
      case Kind::unpack:
        made.a = operand(at.a);
        made.vector = static_cast<uint8_t>(at.list.size());
        list(made, at);
        break;
      case Kind::atomic:
        address(made, at.a);
        made.b = operand(at.b);
        made.c = operand(at.c);
        made.compute = atomic_of(at);
        break;
      case Kind::barrier:
      case Kind::exchange:
        made.combine = combine_of(at);
        made.a = operand(at.a);
        made.b = operand(at.b);
        made.c = operand(at.c);
        made.d = operand(at.op == Op::vote ? at.b : at.op == Op::bar_warp ? at.a : at.d);
        break;
      default:
        break;
    }
    return made;
  }

  void compute(Step& made, const Instruction& at) {
    made.a = operand(at.a);
    made.b = operand(at.b);
    made.c = operand(at.c);
    made.d = at.d.kind == Operand::Kind::none ? constant(constant_operand(at)) : operand(at.d);
    if (at.op == Op::cvta) {
      made.b = constant(at.space == Space::shared  ? kSharedWindow
                        : at.space == Space::local ? kLocalWindow
                                                   : 0);
      made.compute =
          at.has("to") ? Compute([](uint64_t a, uint64_t b, uint64_t, uint64_t) { return a & ~b; })
                       : Compute([](uint64_t a, uint64_t b, uint64_t, uint64_t) { return a | b; });
    } else {
      made.compute = compute_of(at);
    }
  }

  void address(Step& made, const Operand& place) {
    made.offset = place.kind == Operand::Kind::reg ? 0 : place.immediate;
    made.a = place.reg == Operand::kNoBase || place.kind == Operand::Kind::immediate ? constant(0)
                                                                                     : place.reg;
  }

  void list(Step& made, const Instruction& at) {
    made.list = static_cast<uint32_t>(program_.lists.size());
    const bool are_results = made.kind == Kind::load || made.kind == Kind::unpack;
    for (const Operand& each : at.list)
      program_.lists.push_back(are_results ? result(each) : operand(each));
    if (at.list.empty()) program_.lists.push_back(are_results ? made.to : made.b);
  }

  Program program_;
  std::map<uint64_t, uint32_t> numbers_;  ///< registers of constants
};

}  // namespace

Program translate(const std::string& name, const std::vector<Instruction>& code,
                  uint32_t registers) {
  return Translator(registers).run(name, code);
}

}  // namespace fake
