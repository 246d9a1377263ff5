// What a study of planar feet says of results that were made by hand.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "vesica/identification/foot2d_study.h"

namespace vesica::foot2d_verdicts_test {
namespace {

constexpr Foot2dElement kElements[] = {Foot2dElement::kSpring, Foot2dElement::kLinear,
                                       Foot2dElement::kHyper};

Foot2dTypeResult make_type(Foot2dElement element, const Foot2dObjective& J,
                           std::optional<Foot2dObjective> placebo = std::nullopt) {
  Foot2dTypeResult r;
  r.type.element = element;
  r.fit.objective = J;
  r.fit.converged = true;
  r.placebo = placebo;
  return r;
}

Foot2dStanceResult make_stance(const std::array<double, 3>& J) {
  Foot2dStanceResult s;
  s.stance.name = "walk";
  s.geometry.converged = true;
  s.constants = {1, 1, 0.6};
  for (size_t k = 0; k < 3; ++k) s.types.push_back(make_type(kElements[k], {J[k], 0, 0}));
  return s;
}

std::string find(const std::vector<std::string>& lines, const std::string& begin) {
  for (const std::string& line : lines) {
    if (line.starts_with(begin)) return line;
  }
  return "";
}

TEST(Foot2dVerdicts, TiesAndFitsThatAreNoneDoNotMakeAnOrder) {
  const auto said = [](const std::vector<Foot2dStanceResult>& stances) {
    return find(find_foot2d_verdicts(stances), "fitted:");
  };
  EXPECT_NE(said({make_stance({0.3, 0.2, 0.1})}).find("holds in 1 of 1"), std::string::npos);
  EXPECT_NE(said({make_stance({0.2, 0.3, 0.1})}).find("holds in 0 of 1"), std::string::npos);
  const std::string tied = said({make_stance({0.3, 0.2, 0.19999}), make_stance({0.3, 0.2, 0.1})});
  EXPECT_NE(tied.find("holds in 1 of 2"), std::string::npos) << tied;
  EXPECT_NE(tied.find("a tie within a thousandth in 1"), std::string::npos) << tied;
  const std::string none = said({make_stance({2.782, 2.774, 2.7}), make_stance({0.3, 0.2, 0.1})});
  EXPECT_NE(none.find("holds in 1 of 1"), std::string::npos) << none;
  EXPECT_NE(none.find("no fit by all three in 1"), std::string::npos) << none;
  EXPECT_NE(said({make_stance({2.782, 2.774, 2.7})}).find("nothing to put in order"),
            std::string::npos);
}

TEST(Foot2dVerdicts, UnseenStancesWorseThanConstantsAreToldAndDoubtsStandAlone) {
  Foot2dStanceResult s = make_stance({0.3, 0.2, 0.1});
  EXPECT_TRUE(find_foot2d_doubts({s}).empty());
  s.copied = {{"other", {0.05, 0, 0}, true}};
  for (Foot2dTypeResult& r : s.types) r.unseen = {{"other", {0.02, 0, 0}, true}};
  EXPECT_TRUE(find_foot2d_doubts({s}).empty());
  EXPECT_TRUE(list_poor_fits(s).empty());
  for (Foot2dTypeResult& r : s.types) r.unseen = {{"other", {360, 0, 0}, true}};
  EXPECT_NE(find(find_foot2d_doubts({s}), "unseen stances"), "");
  EXPECT_EQ(list_poor_fits(s).size(), 3u);
  EXPECT_NE(list_poor_fits(s)[0].find("J up to 360"), std::string::npos);
  s.types[1].intervals.undetermined_directions = 4;
  s.types[1].intervals.parameters.resize(21);
  s.types[1].intervals.parameters[3].at_bound = true;
  EXPECT_NE(find(find_foot2d_doubts({s}), "linear: the data leave 4 of 21 directions open and 1"),
            "");
}

TEST(Foot2dVerdicts, ThePlaceboIsJudgedByParts) {
  const auto said = [](std::optional<Foot2dObjective> placebo) {
    Foot2dStanceResult s;
    s.constants = {1, 1, 0.6};
    s.types = {make_type(Foot2dElement::kLinear, {0.05, 0.25, 0.02}, placebo)};
    return find(find_foot2d_verdicts({s}), "placebo:");
  };
  // In total told apart, by the friction alone.
  const std::string words = said(Foot2dObjective{0.05, 0.8, 0.02});
  EXPECT_NE(words.find("told by friction"), std::string::npos) << words;
  EXPECT_NE(words.find("hardly by normal force, point"), std::string::npos) << words;
  EXPECT_NE(said(Foot2dObjective{0.5, 2.5, 0.2}).find("told by normal force, friction, point"),
            std::string::npos);
  EXPECT_EQ(said(Foot2dObjective{0.5, 2.5, 0.2}).find("hardly"), std::string::npos);
  // A search that was cut short gives none.
  EXPECT_EQ(said(std::nullopt), "");
}

TEST(Foot2dVerdicts, WhateverDidNotConvergeIsListed) {
  Foot2dStanceResult s = make_stance({0.3, 0.2, 0.1});
  EXPECT_TRUE(list_unconverged(s).empty());
  s.geometry.converged = false;
  EXPECT_EQ(list_unconverged(s).size(), 1u);
  s.copied.push_back({"another walk", {}, false});
  s.types[1].unconverged = {"the source's search did not end within `pipeline.time_limit`"};
  const auto lines = list_unconverged(s);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("walk: the fit of its geometry"), std::string::npos);
  EXPECT_NE(lines[1].find("another walk"), std::string::npos);
  EXPECT_NE(lines[2].find("walk, linear: the source's search"), std::string::npos);
}

TEST(Foot2dVerdicts, FitsNoBetterThanConstantsAreListed) {
  Foot2dStanceResult s = make_stance({0.3, 0.2, 0.1});
  EXPECT_TRUE(list_poor_fits(s).empty());
  s.types[0].fit.objective = {0.1, 1.01, 0.1};  // one part
  s.types[1].fit.objective = {0.5, 0.6, 0.5};   // none by itself
  const auto lines = list_poor_fits(s);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "walk, spring: a constant meets the friction as well");
  EXPECT_NE(lines[1].find("walk, linear: J 1.60 is no fit"), std::string::npos) << lines[1];
}

TEST(Foot2dVerdicts, ParametersOfAllStancesAreCounted) {
  Foot2dStanceResult a = make_stance({0.3, 0.2, 0.1});
  const std::pair<const char*, bool> all[] = {{"k_S.H", true}, {"a_S.H", false}, {"dx.H", true}};
  for (const auto& [name, determined] : all) {
    Foot2dEstimate e;
    e.name = name;
    e.determined = determined;
    a.types[0].intervals.parameters.push_back(e);
  }
  Foot2dStanceResult b = a;
  b.types[0].intervals.parameters[2].determined = false;
  EXPECT_EQ(find(find_foot2d_verdicts({a, b}), "spring:"),
            "spring: determined in all 2 stances: k_S.H; in none: a_S.H");
}

}  // namespace
}  // namespace vesica::foot2d_verdicts_test
