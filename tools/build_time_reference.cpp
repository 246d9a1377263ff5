// What tools/build_time.py compiles to learn how fast a machine compiles: matrices of Eigen,
// formatting, containers and templates of its own, like the project's files but none of them.
// Tables of build times are compared in units of it, so a change here makes stored ones worthless:
// renew docs/build_time.csv with it (make buildtime).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <eigen3/Eigen/Core>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

// A number with derivatives: operators that the compiler must instantiate and unroll.
template <int kSize>
struct Number {
  double value = 0;
  std::array<double, kSize> slopes{};

  friend Number operator+(Number a, const Number& b) {
    a.value += b.value;
    for (std::size_t k = 0; k < kSize; ++k) a.slopes[k] += b.slopes[k];
    return a;
  }
  friend Number operator*(const Number& a, const Number& b) {
    Number result;
    result.value = a.value * b.value;
    for (std::size_t k = 0; k < kSize; ++k) {
      result.slopes[k] = a.slopes[k] * b.value + a.value * b.slopes[k];
    }
    return result;
  }
};

template <int kSize>
double sum_of_powers(double x) {
  Number<kSize> power{1}, sum, base{x};
  base.slopes.fill(1);
  for (int k = 0; k < kSize; ++k) {
    sum = sum + power;
    power = power * base;
  }
  return sum.value + sum.slopes.back();
}

template <int kSize>
double calc_energy(double x) {
  using Matrix = Eigen::Matrix<double, kSize, kSize>;
  using Vector = Eigen::Matrix<double, kSize, 1>;
  const Matrix a = Matrix::Identity() + x * Matrix::Ones();
  const Vector b = Vector::Constant(x) + a.diagonal();
  return 0.5 * b.dot(a * b) + (a * a.transpose()).trace();
}

template <std::size_t... kSizes>
std::map<std::string, double> calc_all(double x, std::index_sequence<kSizes...>) {
  std::map<std::string, double> results;
  (results.emplace(fmt::format("size {:3}", kSizes + 2),
                   calc_energy<kSizes + 2>(x) + sum_of_powers<kSizes + 2>(x)),
   ...);
  return results;
}

}  // namespace

int main() {
  const auto results = calc_all(0.25, std::make_index_sequence<2>());
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, value] : results) order.emplace_back(value, name);
  std::sort(order.begin(), order.end(), std::greater<>());
  for (const auto& [value, name] : order) fmt::print("{} {:12.6g}\n", name, value);
}
