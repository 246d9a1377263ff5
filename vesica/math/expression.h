// A formula of one variable, read from text and evaluated in any scalar.
//
//   Expression f = Expression::parse("2e6*d + 3e9*d^2", "d");
//   f(0.001), f(Dual<3>(...))
// Numbers, + - * / ^, parentheses, pi, the variable, and exp log sqrt sin cos tan tanh abs. Throws
// InputError that points at the place in the text.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/math/scalar.h"

namespace vesica {

class Expression {
 public:
  static Expression parse(const std::string& text, std::string_view variable);
  const std::string& text() const { return text_; }

  template <class T>
  T operator()(const T& x) const {
    std::array<T, kMaxDepth> stack;
    size_t top = 0;
    for (const Step& step : steps_) {
      switch (step.op) {
        case Op::kNumber:
          stack[top++] = T(step.number);
          break;
        case Op::kVariable:
          stack[top++] = x;
          break;
        case Op::kNegate:
          stack[top - 1] = -stack[top - 1];
          break;
        case Op::kAdd:
        case Op::kSubtract:
        case Op::kMultiply:
        case Op::kDivide:
        case Op::kPower: {
          const T b = stack[--top];
          stack[top - 1] = combine(step.op, stack[top - 1], b);
          break;
        }
        default:
          stack[top - 1] = apply(step.op, stack[top - 1]);
          break;
      }
    }
    return stack[0];
  }

  enum class Op {
    kNumber,
    kVariable,
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kPower,
    kExp,
    kLog,
    kSqrt,
    kSin,
    kCos,
    kTan,
    kTanh,
    kAbs
  };
  struct Step {
    Op op = Op::kNumber;
    double number = 0;
  };
  static constexpr size_t kMaxDepth = 32;

 private:
  template <class T>
  static T combine(Op op, const T& a, const T& b) {
    using std::pow;
    switch (op) {
      case Op::kAdd:
        return a + b;
      case Op::kSubtract:
        return a - b;
      case Op::kMultiply:
        return a * b;
      case Op::kDivide:
        return a / b;
      default:
        return pow(a, value_of(b));  // exponents are numbers: the parser sees to it
    }
  }
  template <class T>
  static T apply(Op op, const T& x) {
    using std::cos;
    using std::exp;
    using std::log;
    using std::sin;
    using std::sqrt;
    using std::tanh;
    switch (op) {
      case Op::kExp:
        return exp(x);
      case Op::kLog:
        return log(x);
      case Op::kSqrt:
        return sqrt(x);
      case Op::kSin:
        return sin(x);
      case Op::kCos:
        return cos(x);
      case Op::kTan:
        return sin(x) / cos(x);
      case Op::kTanh:
        return tanh(x);
      default:
        return select(x < T(0), -x, x);
    }
  }

  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace vesica
