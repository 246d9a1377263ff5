// The energy ledger as people see it: the printed table and that of the page are read and added up.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include "tests/app/tool.h"

namespace vesica::ledger_test {
namespace {

struct Ledger {
  struct Part {
    double start, change, end;
  };
  std::map<std::string, Part> parts;
  Part sum{};
  std::map<std::string, double> causes;
};

// "  kinetic    0.1    0.2    0.3", and for causes "    dissipated by sliding      -0.1".
Ledger read_printed(const std::string& out) {
  Ledger ledger;
  std::istringstream lines(out.substr(out.find("  energy [J]")));
  std::string line;
  std::getline(lines, line);
  const std::string number = R"((-?[0-9.]+(?:e[-+][0-9]+)?))";
  const std::regex part("^  (\\S.*?) +" + number + " +" + number + " +" + number + "$");
  const std::regex cause("^    (\\S.*?) +" + number + "$");
  for (std::smatch m; std::getline(lines, line);) {
    if (std::regex_match(line, m, part)) {
      const Ledger::Part p{std::stod(m[2]), std::stod(m[3]), std::stod(m[4])};
      (m[1] == "together" ? ledger.sum : ledger.parts[m[1]]) = p;
    } else if (std::regex_match(line, m, cause)) {
      ledger.causes[m[1]] = std::stod(m[2]);
    } else {
      break;
    }
  }
  return ledger;
}

// Six digits are printed: each number is right to 5e-6 of the largest.
void expect_adds_up(const Ledger& ledger) {
  double largest = 0, start = 0, change = 0, end = 0, causes = 0;
  for (const auto& [name, p] : ledger.parts) {
    largest = std::max({largest, std::abs(p.start), std::abs(p.change), std::abs(p.end)});
    start += p.start;
    change += p.change;
    end += p.end;
  }
  for (const auto& [name, value] : ledger.causes) {
    largest = std::max(largest, std::abs(value));
    causes += value;
  }
  const double slack = 5e-6 * largest * static_cast<double>(ledger.parts.size() + 1);
  EXPECT_NEAR(start, ledger.sum.start, slack);
  EXPECT_NEAR(end, ledger.sum.end, slack);
  EXPECT_NEAR(change, ledger.sum.change, slack);
  EXPECT_NEAR(ledger.sum.start + ledger.sum.change, ledger.sum.end, slack);
  EXPECT_NEAR(causes, ledger.sum.change, slack + 5e-6 * largest * ledger.causes.size());
  ASSERT_TRUE(ledger.causes.contains("residual of the integrator"));
  EXPECT_LT(std::abs(ledger.causes.at("residual of the integrator")), 1e-4 * largest);
}

struct Example {
  const char* name;
  std::string text;
  std::vector<std::string> parts, causes;  // that must be there
};

std::vector<Example> examples() {
  const std::string run = "solver: {method: cvode, tolerance: 1.0e-10}\noutput: {interval: 5 ms}\n";
  const std::string ground = "  ground: {fixed: true, shape: {type: half_space}}\n";
  return {
      {"bouncing",
       "vesica: 1\nbodies:\n  ball:\n    mass: 0.2\n    shape: {type: sphere, radius: 0.03}\n"
       "    pose: {position: [0, 0, 0.0285]}\n"
       "    velocity: {linear: [0.6, 0, 0], angular: [2, 9, 20]}\n" +
           ground +
           "contacts:\n  - between: [ball, ground]\n    normal: {law: volumetric, stiffness: "
           "1.0e8, damping: 0.5}\n    friction: {law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: "
           "0.01}\nduration: 0.3\n" +
           run,
       {"kinetic", "gravity", "elastic, in contacts"},
       {"dissipated by normal damping", "dissipated by rolling", "dissipated by sliding",
        "dissipated by spinning"}},
      {"pushed",
       "vesica: 1\nbodies:\n  ball:\n    mass: 0.2\n    shape: {type: sphere, radius: 0.03}\n"
       "    pose: {position: [0, 0, 0.029]}\n"
       "  belt: {prescribed: {velocity: [0.3, 0, 0]}, shape: {type: half_space}}\n"
       "contacts:\n  - between: [ball, belt]\n    normal: {law: volumetric, stiffness: 1.0e8, "
       "damping: 0.5}\n    friction: {law: bristle, mu_C: 0.4, mu_S: 0.5, sigma_0: 1.0e4, sigma_1: "
       "60, v_S: 0.01, tau_dw: 0.5}\n"
       "forces:\n  - {type: force, body: ball, force: [0, 0.2, 0]}\n"
       "  - {type: spring, between: [ball, belt], points: [[0, 0, 0], [0, 0, 0.2]], stiffness: 5, "
       "damping: 0.1, length: 0.1}\nduration: 0.3\n" +
           run,
       {"kinetic", "elastic, in springs", "stored in bristles"},
       {"work of forces", "work of given motions", "dissipated by springs", "dissipated by sliding",
        "non-potential work"}},
      {"joints",
       "vesica: 1\nbodies:\n"
       "  a:\n    mass: 1\n    inertia: [0.02, 0.02, 0.01]\n"
       "    joint: {type: revolute, parent: world, axis: [0, 1, 0], in_body: {position: [0, 0, "
       "0.2]}, start: 0.5, spring: {stiffness: 3, damping: 0.1}, friction: {load: 20, radius: "
       "0.02, law: {law: brown_mcphee, mu_s: 0.3, mu_d: 0.2, v_t: 0.01}}}\n"
       "  b:\n    mass: 0.5\n    inertia: [0.01, 0.01, 0.01]\n"
       "    joint: {type: revolute, parent: a, axis: [0, 1, 0], in_parent: {position: [0, 0, "
       "-0.2]}, in_body: {position: [0, 0, 0.15]}, motor: {input: position, value: {amplitude: "
       "0.5, frequency: 2}, gain: 5, rate_gain: 0.2}}\nduration: 0.5\n" +
           run,
       {"kinetic", "gravity", "elastic, in springs"},
       {"work of motors and drives", "dissipated by joint damping",
        "dissipated by joint friction"}},
      {"over_an_edge",
       "vesica: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ball:\n    mass: 0.2\n"
       "    shape: {type: sphere, radius: 0.03}\n"
       "    pose: {position: [0.11, 0.01, 0.0295]}\n    velocity: {linear: [-0.8, 0, 0]}\n"
       "  table: {fixed: true, shape: {type: box, size: [0.2, 0.2, 0.1], pose: {position: [0, 0, "
       "-0.05]}}}\n"
       "contacts:\n  - between: [ball, table]\n    normal: {law: volumetric, stiffness: 1.0e7}\n"
       "    friction: {law: brown_mcphee, mu_s: 0.2, mu_d: 0.2, v_t: 0.05}\nduration: 0.03\n" +
           run,
       {"kinetic", "gravity", "stored in contacts, about"},
       {"non-potential work", "dissipated by sliding"}}};
}

TEST(Ledger, WhatIsPrintedAddsUp) {
  const test::Workspace work;
  for (const Example& e : examples()) {
    SCOPED_TRACE(e.name);
    work.write(fmt::format("{}.yaml", e.name), e.text);
    const auto outcome = work.run(fmt::format("simulate {0}.yaml --out {0}", e.name));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Ledger ledger = read_printed(outcome.out);
    SCOPED_TRACE(outcome.out);
    expect_adds_up(ledger);
    for (const auto& part : e.parts) EXPECT_TRUE(ledger.parts.contains(part)) << part;
    for (const auto& cause : e.causes) EXPECT_TRUE(ledger.causes.contains(cause)) << cause;

    // The page shows the same rows.
    ASSERT_EQ(work.run(fmt::format("report {}", e.name)).status, 0);
    const std::string page = work.read(fmt::format("{}/report.html", e.name));
    for (const auto& [name, value] : ledger.causes) {
      EXPECT_NE(page.find(name), std::string::npos) << name;
      EXPECT_NE(page.find(fmt::format("{:.6g}", value)), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace vesica::ledger_test
