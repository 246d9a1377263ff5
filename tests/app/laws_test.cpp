// `vesica laws` and the pages of docs/theory/laws: complete, right, and every snippet works.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/app/tool.h"
#include "tests/support/support.h"
#include "vesica/contact/contact.h"
#include "vesica/model/law_file.h"

namespace vesica::test::laws_test {
namespace {

using nlohmann::json;

const std::filesystem::path kPages =
    std::filesystem::path(test::source_dir()) / "docs" / "theory" / "laws";

json laws(const std::string& name = "") {
  const Outcome outcome = Workspace().run("laws --json " + name);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.json();
}

template <class Variant, size_t... K>
std::set<std::string> names_of(std::index_sequence<K...>) {
  return {std::string(std::variant_alternative_t<K, Variant>::kName)...};
}
template <class Variant>
std::set<std::string> names_of() {
  return names_of<Variant>(std::make_index_sequence<std::variant_size_v<Variant>>());
}

TEST(Laws, ListsEveryLawOfTheRegistry) {
  std::set<std::string> normal, friction;
  for (const json& sheet : laws()) {
    if (sheet["kind"] == "normal") normal.insert(sheet["name"]);
    if (sheet["kind"] == "friction") friction.insert(sheet["name"]);
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(test::source_dir()) /
                                        sheet["page"].get<std::string>()))
        << sheet["page"];
  }
  EXPECT_EQ(normal, names_of<NormalLaw<double>>());
  EXPECT_EQ(friction, names_of<FrictionLaw<double>>());
}

// A key that a sheet lists is one that the law's reader knows: it may complain about the value or
// what else is missing, never about the key.
TEST(Laws, DocumentedKeysAreKnown) {
  int keys = 0;
  for (const json& sheet : laws()) {
    const std::string name = sheet["name"];
    if (sheet["kind"] == "option") continue;
    for (const json& parameter : sheet["parameters"]) {
      const std::string key = parameter["key"];
      // The keys of a foundation depend on its curve.
      std::vector<std::string> settings = {fmt::format("law: {}, {}: 1", name, key)};
      if (name == "foundation" && key != "curve") {
        settings.clear();
        for (const char* curve : {"logarithmic", "table", "formula"}) {
          settings.push_back(fmt::format("law: foundation, curve: {}, {}: 1", curve, key));
        }
      }
      const bool known = std::any_of(settings.begin(), settings.end(), [&](const std::string& law) {
        const InputFile file = InputFile::parse(fmt::format("{{{}}}", law), "sheet");
        try {
          if (sheet["kind"] == "normal") {
            read_law<NormalLaw<double>>(file.root());
          } else {
            read_law<FrictionLaw<double>>(file.root());
          }
        } catch (const InputError& error) {
          return std::string(error.what()).find("unknown key") == std::string::npos;
        }
        return true;
      });
      EXPECT_TRUE(known) << name << ": " << key;
      ++keys;
    }
  }
  EXPECT_GT(keys, 50);
}

// Every ```yaml block of the pages is a case; one without bodies is put between a ball and the
// ground.
TEST(Laws, SnippetsOfThePagesWork) {
  const Workspace work;
  int snippets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kPages)) {
    std::ifstream page(entry.path());
    std::string line, snippet;
    bool inside = false;
    while (std::getline(page, line)) {
      if (line == "```yaml") {
        inside = true;
        snippet.clear();
      } else if (inside && line == "```") {
        inside = false;
        ++snippets;
        if (snippet.find("bodies:") == std::string::npos) {
          snippet =
              "vesica: 1\nbodies:\n"
              "  i:\n    shape: {type: sphere, radius: 30 mm}\n"
              "    pose: {position: [0, 0, 29.5 mm]}\n"
              "    velocity: {linear: [2 mm/s, 0, -0.1 m/s]}\n"
              "  j:\n    shape: {type: half_space}\n" +
              snippet;
        }
        work.write("case.yaml", snippet);
        const Outcome outcome = work.run("probe case.yaml");
        ASSERT_EQ(outcome.status, 0) << entry.path() << "\n" << snippet << outcome.err;
        const json result = outcome.json();
        EXPECT_TRUE(result["in_contact"]) << entry.path() << "\n" << snippet;
        EXPECT_GT(result["normal_force"], 0) << entry.path() << "\n" << snippet;
      } else if (inside) {
        snippet += line + "\n";
      }
    }
  }
  EXPECT_GE(snippets, 24);
}

// Rebound speed of an impact at speed 1 with the factor 1 + alpha c: the first integral
// G(c) = c/alpha - log(1 + alpha c)/alpha^2 is the same at touchdown and at lift-off.
double rebound_of(double alpha) {
  auto G = [&](double c) { return c / alpha - std::log1p(alpha * c) / (alpha * alpha); };
  double low = 0, high = std::min(1.0, (1 - 1e-15) / alpha);
  for (int k = 0; k < 100; ++k) {
    const double e = 0.5 * (low + high);
    (G(-e) < G(1) ? low : high) = e;
  }
  return 0.5 * (low + high);
}

TEST(Laws, RestitutionRulesReturnWhatTheirImpactDoes) {
  const json plot = laws("restitution")["plots"][0];
  for (size_t rule = 0; rule < 3; ++rule) {
    const json& curve = plot["curves"][rule];
    for (size_t k = 0; k < curve["x"].size(); ++k) {
      const double e = curve["x"][k], returned = curve["y"][k];
      double expected = e;
      if (rule == 1 && e < 0.99) expected = rebound_of(1.5 * (1 - e));
      if (rule == 2 && e < 0.99) expected = rebound_of(0.75 * (1 - e * e));
      EXPECT_NEAR(returned, expected, 2e-9) << curve["name"] << " e = " << e;  // 2.7e-10
    }
  }
}

TEST(Laws, PatchFollowsTheSummedCoulombFriction) {
  const json sheet = laws("patch");
  for (const json& plot : sheet["plots"]) {
    const json& ours = plot["curves"][0]["y"];
    const json& summed = plot["curves"][1]["y"];
    for (size_t k = 0; k < ours.size(); ++k) {
      // 2.2e-6: the law inside is not quite Coulomb's, the sum has 400 x 720 points.
      EXPECT_NEAR(ours[k].get<double>(), summed[k].get<double>(), 1e-5);
    }
  }
}

// Specker, section 4.3 of Brown: the peak at 1.15 v_t and at 1.01 v_t.
TEST(Laws, MarksThePeaksOfSpecker) {
  const json marks = laws("specker")["plots"][0]["marks"];
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_NEAR(marks[0]["x"].get<double>() / 10, 1.15, 0.005);
  EXPECT_NEAR(marks[1]["x"].get<double>() / 10, 1.01, 0.005);
}

TEST(Laws, PictureAndErrors) {
  const Workspace work;
  EXPECT_EQ(work.run("laws hertz --svg hertz.svg").status, 0);
  const std::string svg = work.read("hertz.svg");
  EXPECT_NE(svg.find("depth [mm]"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(work.run("laws none --svg none.svg").status, 2);
  EXPECT_EQ(work.run("laws hertz --svg hertz.png").status, 2);
  const Outcome unknown = work.run("laws herz");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("hertz"), std::string::npos);
}

}  // namespace
}  // namespace vesica::test::laws_test
