#include "vesica/studies/functions.h"

#include <fmt/format.h>
#include <time.h>

#include <array>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "vesica/error.h"

namespace vesica::studies {
namespace {

using FunctionJson = nlohmann::ordered_json;

double argument(const InputFile& input, const char* name) {
  return input.root().at(name).number(dimension::kNumber);
}

// Ishigami and Homma (1990): strongly non-linear, with an interaction of x1 and x3.
FunctionJson calc_ishigami(const InputFile& in, const std::atomic<bool>*) {
  const double s1 = std::sin(argument(in, "x1")), s2 = std::sin(argument(in, "x2"));
  return {{"y", s1 + argument(in, "a") * s2 * s2 +
                    argument(in, "b") * std::pow(argument(in, "x3"), 4) * s1}};
}

// Sobol's g: the product of (|4 x_i - 2| + a_i) / (1 + a_i).
FunctionJson calc_sobol_g(const InputFile& in, const std::atomic<bool>*) {
  double product = 1;
  for (const int k : {1, 2, 3, 4}) {
    const double a = argument(in, fmt::format("a{}", k).c_str());
    product *= (std::abs(4 * argument(in, fmt::format("x{}", k).c_str()) - 2) + a) / (1 + a);
  }
  return {{"y", product}};
}

FunctionJson calc_linear(const InputFile& in, const std::atomic<bool>*) {
  double sum = argument(in, "c0");
  for (const int k : {1, 2, 3}) {
    sum +=
        argument(in, fmt::format("c{}", k).c_str()) * argument(in, fmt::format("x{}", k).c_str());
  }
  return {{"y", sum}};
}

double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Takes so much processor time, and fails or crashes where it is told to: a rehearsal.
FunctionJson do_work(const InputFile& in, const std::atomic<bool>* stop) {
  const double seconds = in.root().at("seconds").non_negative(dimension::kTime);
  const double begin = thread_seconds();
  double x = argument(in, "x");
  while (thread_seconds() - begin < seconds) {
    if (stop != nullptr && *stop) throw RunError("stopped");
    for (int k = 0; k < 200; ++k) x = std::cos(x);
  }
  const std::string end = in.root().at("end").text();
  if (end == "fail") throw RunError("told to fail");
  if (end == "crash") std::abort();
  if (end == "kill") std::raise(SIGKILL);  // as the system does where memory runs out
  if (end != "well") in.root().at("end").choice({"well", "fail", "crash", "kill"});
  return {{"y", std::cos(argument(in, "x"))}};
}

struct TestFunction {
  const char* input;
  FunctionJson (*evaluate)(const InputFile&, const std::atomic<bool>*);
};
constexpr std::array<TestFunction, 4> kFunctions = {{
    {"{x1: 0, x2: 0, x3: 0, a: 7, b: 0.1}", calc_ishigami},
    {"{x1: 0.5, x2: 0.5, x3: 0.5, x4: 0.5, a1: 0, a2: 1, a3: 4.5, a4: 9}", calc_sobol_g},
    {"{x1: 0, x2: 0, x3: 0, c0: 0, c1: 1, c2: 1, c3: 1}", calc_linear},
    {"{x: 0, seconds: 0.01, end: well}", do_work},
}};

// Once: a run of 10 ms is not to spend its time on them.
const std::vector<std::string>& argument_names(size_t function) {
  static const auto kNames = [] {
    std::array<std::vector<std::string>, kFunctions.size()> names;
    for (size_t k = 0; k < names.size(); ++k) {
      const InputFile defaults = InputFile::parse(kFunctions[k].input, "function");
      for (const auto& [name, value] : defaults.root().entries()) names[k].push_back(name);
    }
    return names;
  }();
  return kNames[function];
}

}  // namespace

const std::vector<std::string_view>& function_names() {
  static const std::vector<std::string_view> kNames = {"ishigami", "sobol_g", "linear", "work"};
  return kNames;
}

std::string make_function_input(size_t function) { return kFunctions[function].input; }

nlohmann::ordered_json evaluate_function(size_t function, const InputFile& input,
                                         const std::atomic<bool>* stop) {
  const std::vector<std::string>& names = argument_names(function);
  input.root().allow(std::vector<std::string_view>(names.begin(), names.end()));
  return kFunctions[function].evaluate(input, stop);
}

}  // namespace vesica::studies
