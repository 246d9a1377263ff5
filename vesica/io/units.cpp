#include "vesica/io/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "vesica/error.h"
#include "vesica/math/gravity.h"

namespace vesica {
namespace {

struct Unit {
  double factor = 1;
  double m = 0, kg = 0, s = 0;

  void multiply(const Unit& o, double power) {
    factor *= std::pow(o.factor, power);
    m += o.m * power;
    kg += o.kg * power;
    s += o.s * power;
  }
};

const std::unordered_map<std::string_view, Unit>& unit_table() {
  constexpr double kInch = 0.0254, kPound = 0.45359237, kGravity = kStandardGravity;
  constexpr double kTurn = 2 * 3.14159265358979323846;
  static const std::unordered_map<std::string_view, Unit> table = {
      {"m", {1, 1, 0, 0}},
      {"dm", {1e-1, 1, 0, 0}},
      {"cm", {1e-2, 1, 0, 0}},
      {"mm", {1e-3, 1, 0, 0}},
      {"um", {1e-6, 1, 0, 0}},
      {"µm", {1e-6, 1, 0, 0}},
      {"nm", {1e-9, 1, 0, 0}},
      {"km", {1e3, 1, 0, 0}},
      {"in", {kInch, 1, 0, 0}},
      {"ft", {12 * kInch, 1, 0, 0}},
      {"kg", {1, 0, 1, 0}},
      {"g", {1e-3, 0, 1, 0}},
      {"mg", {1e-6, 0, 1, 0}},
      {"t", {1e3, 0, 1, 0}},
      {"lb", {kPound, 0, 1, 0}},
      {"s", {1, 0, 0, 1}},
      {"ms", {1e-3, 0, 0, 1}},
      {"us", {1e-6, 0, 0, 1}},
      {"µs", {1e-6, 0, 0, 1}},
      {"min", {60, 0, 0, 1}},
      {"h", {3600, 0, 0, 1}},
      {"Hz", {1, 0, 0, -1}},
      {"kHz", {1e3, 0, 0, -1}},
      {"rpm", {kTurn / 60, 0, 0, -1}},
      {"N", {1, 1, 1, -2}},
      {"mN", {1e-3, 1, 1, -2}},
      {"kN", {1e3, 1, 1, -2}},
      {"MN", {1e6, 1, 1, -2}},
      {"lbf", {kPound * kGravity, 1, 1, -2}},
      {"Pa", {1, -1, 1, -2}},
      {"kPa", {1e3, -1, 1, -2}},
      {"MPa", {1e6, -1, 1, -2}},
      {"GPa", {1e9, -1, 1, -2}},
      {"J", {1, 2, 1, -2}},
      {"mJ", {1e-3, 2, 1, -2}},
      {"kJ", {1e3, 2, 1, -2}},
      {"W", {1, 2, 1, -3}},
      {"kW", {1e3, 2, 1, -3}},
      {"rad", {1, 0, 0, 0}},
      {"mrad", {1e-3, 0, 0, 0}},
      {"deg", {kTurn / 360, 0, 0, 0}},
      {"°", {kTurn / 360, 0, 0, 0}},
      {"turn", {kTurn, 0, 0, 0}},
      {"%", {1e-2, 0, 0, 0}},
  };
  return table;
}

// Reads a number at the front of `text` and removes it.
std::optional<double> take_number(std::string_view* text) {
  std::string_view t = *text;
  if (!t.empty() && t.front() == '+') t.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (code != std::errc()) return std::nullopt;
  *text = t.substr(static_cast<size_t>(end - t.data()));
  return value;
}

// unit := factor { [*] factor | / factor };  factor := (1 | name | '(' unit ')') [ ^ number ]
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : rest_(text), whole_(text) {}

  Unit parse() {
    const Unit unit = product(0);
    skip_space();
    if (!rest_.empty()) fail();
    return unit;
  }

 private:
  static constexpr int kMaxNesting = 8;

  [[noreturn]] void fail() const {
    throw InputError(fmt::format(
        "'{}' is not a unit (units look like N/mm^2, kg m^2, s/m, deg; * and / combine them)",
        whole_.substr(0, 60)));
  }
  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  Unit product(int nesting) {
    Unit unit;
    factor(&unit, 1, nesting);
    while (true) {
      skip_space();
      if (rest_.empty() || rest_.front() == ')') return unit;
      if (take("/")) {
        factor(&unit, -1, nesting);
      } else {
        if (!take("*")) take("·");
        factor(&unit, 1, nesting);
      }
    }
  }

  void factor(Unit* unit, double sign, int nesting) {
    if (nesting > kMaxNesting) fail();
    skip_space();
    Unit one;
    if (take("(")) {
      one = product(nesting + 1);
      if (!take(")")) fail();
    } else if (!take("1")) {
      size_t length = 0;
      while (length < rest_.size() &&
             std::string_view(" \t*/^()0123456789.+-").find(rest_[length]) ==
                 std::string_view::npos &&
             !rest_.substr(length).starts_with("·") && !rest_.substr(length).starts_with("²") &&
             !rest_.substr(length).starts_with("³")) {
        ++length;
      }
      const auto found = unit_table().find(rest_.substr(0, length));
      if (length == 0 || found == unit_table().end()) fail();
      one = found->second;
      rest_.remove_prefix(length);
    }
    double power = 1;
    if (take("^")) {
      skip_space();
      const auto exponent = take_number(&rest_);
      if (!exponent || !(std::abs(*exponent) <= 12)) fail();
      power = *exponent;
    } else if (take("²")) {
      power = 2;
    } else if (take("³")) {
      power = 3;
    }
    unit->multiply(one, sign * power);
  }

  std::string_view rest_, whole_;
};

bool same(double a, double b) { return std::abs(a - b) < 1e-9; }

}  // namespace

double parse_quantity(std::string_view text, const Dimension& expected) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  std::string_view rest = text;
  const auto number = take_number(&rest);
  if (!number) {
    throw InputError(
        fmt::format("expected a number [{}], found '{}'", expected.unit, text.substr(0, 60)));
  }
  double value = *number;
  const size_t unit_start = rest.find_first_not_of(" \t");
  if (unit_start != std::string_view::npos) {
    const Unit unit = UnitParser(rest.substr(unit_start)).parse();
    if (!same(unit.m, expected.m) || !same(unit.kg, expected.kg) || !same(unit.s, expected.s)) {
      throw InputError(fmt::format("'{}' has the wrong dimension: expected {}", text.substr(0, 60),
                                   expected.unit[0] ? expected.unit : "a plain number"));
    }
    value *= unit.factor;
  }
  if (!std::isfinite(value)) {
    throw InputError(fmt::format("'{}' is not a finite number", text.substr(0, 60)));
  }
  return value;
}

double convert_units(double value, std::string_view from, std::string_view to) {
  const Unit a = from.empty() ? Unit{} : UnitParser(from).parse();
  const Unit b = to.empty() ? Unit{} : UnitParser(to).parse();
  if (!from.empty() && !to.empty() && !(same(a.m, b.m) && same(a.kg, b.kg) && same(a.s, b.s))) {
    throw InputError(fmt::format("'{}' and '{}' measure different things", from, to));
  }
  return value * a.factor / b.factor;
}

}  // namespace vesica
