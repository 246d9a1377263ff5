#include "vesica/math/expression.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <utility>

#include "vesica/error.h"

namespace vesica {
namespace {

using Op = Expression::Op;
using Step = Expression::Step;

// Recursive descent: sum -> product -> sign -> power -> value, written out in reverse Polish order.
class Parser {
 public:
  Parser(std::string_view text, std::string_view variable, std::vector<Step>* steps)
      : text_(text), variable_(variable), steps_(steps) {}

  void parse() {
    parse_sum();
    skip_space();
    if (at_ < text_.size()) fail("expected an operator");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("in the formula '{}' at column {}: {}", text_, at_ + 1, what));
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void emit(Op op, double number = 0) {
    const bool pushes = op == Op::kNumber || op == Op::kVariable;
    const bool pops = op >= Op::kAdd && op <= Op::kPower;
    depth_ += pushes ? 1 : pops ? -1 : 0;
    if (depth_ > static_cast<int>(Expression::kMaxDepth)) fail("too deeply nested");
    steps_->push_back({op, number});
  }

  void parse_sum() {
    if (++nesting_ > 100) fail("too deeply nested");
    parse_product();
    while (true) {
      if (take('+')) {
        parse_product();
        emit(Op::kAdd);
      } else if (take('-')) {
        parse_product();
        emit(Op::kSubtract);
      } else {
        break;
      }
    }
    --nesting_;
  }
  void parse_product() {
    parse_sign();
    while (true) {
      if (take('*')) {
        parse_sign();
        emit(Op::kMultiply);
      } else if (take('/')) {
        parse_sign();
        emit(Op::kDivide);
      } else {
        break;
      }
    }
  }
  void parse_sign() {
    int signs = 0;
    while (true) {
      if (take('-')) {
        ++signs;
      } else if (!take('+')) {
        break;
      }
    }
    parse_power();
    if (signs % 2 == 1) emit(Op::kNegate);
  }
  void parse_power() {
    parse_value();
    if (!take('^')) return;
    const size_t first = steps_->size();
    parse_sign();
    for (size_t k = first; k < steps_->size(); ++k) {
      if ((*steps_)[k].op == Op::kVariable) fail("an exponent is a number");
    }
    emit(Op::kPower);
  }
  void parse_value() {
    skip_space();
    if (take('(')) {
      parse_sum();
      if (!take(')')) fail("expected ')'");
      return;
    }
    if (at_ >= text_.size()) fail("expected a number, a name or '('");
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
      double value = 0;
      const auto [end, code] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (code != std::errc() || !std::isfinite(value)) fail("expected a finite number");
      at_ = static_cast<size_t>(end - text_.data());
      emit(Op::kNumber, value);
      return;
    }
    parse_name();
  }
  void parse_name() {
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      ++at_;
    }
    const std::string_view name = text_.substr(start, at_ - start);
    if (name == variable_) return emit(Op::kVariable);
    if (name == "pi") return emit(Op::kNumber, kPi);
    constexpr std::pair<std::string_view, Op> kFunctions[] = {
        {"exp", Op::kExp}, {"log", Op::kLog}, {"sqrt", Op::kSqrt}, {"sin", Op::kSin},
        {"cos", Op::kCos}, {"tan", Op::kTan}, {"tanh", Op::kTanh}, {"abs", Op::kAbs}};
    for (const auto& [word, op] : kFunctions) {
      if (name != word) continue;
      if (!take('(')) fail(fmt::format("expected '(' after {}", word));
      parse_sum();
      if (!take(')')) fail("expected ')'");
      return emit(op);
    }
    at_ = start;
    fail(
        fmt::format("unknown name; the variable is '{}', functions are exp log sqrt sin cos tan "
                    "tanh abs, and pi",
                    variable_));
  }

  std::string_view text_, variable_;
  std::vector<Step>* steps_;
  size_t at_ = 0;
  int depth_ = 0, nesting_ = 0;
};

}  // namespace

Expression Expression::parse(const std::string& text, std::string_view variable) {
  Expression e;
  e.text_ = text;
  if (text.size() > 10000) throw InputError("a formula is at most 10,000 characters long");
  Parser(e.text_, variable, &e.steps_).parse();
  return e;
}

}  // namespace vesica
