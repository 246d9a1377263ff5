#include "vesica/motion/exchanged_labels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vesica/motion/marker_names.h"

namespace vesica::exchanged_labels_test {
namespace {

// A trial in which frame k is labelled by shown[k]: the misfit is how many markers are out of
// place.
LabelFit make_fit(const std::vector<std::vector<int>>& shown) {
  LabelFit fit;
  fit.frames = static_cast<int>(shown.size());
  fit.as_labelled = [&shown](int k) {
    if (shown[k].empty()) return std::nan("");
    double wrong = 0;
    for (size_t i = 0; i < shown[k].size(); ++i) wrong += shown[k][i] != static_cast<int>(i);
    return wrong;
  };
  fit.relabelled = [&shown](int k, std::span<const int> order, int) {
    double wrong = 0;
    for (size_t i = 0; i < order.size(); ++i) wrong += shown[k][order[i]] != static_cast<int>(i);
    return wrong;
  };
  return fit;
}

const std::vector<int> kRight = {0, 1, 2, 3}, kSwapped = {0, 3, 2, 1}, kTurned = {1, 2, 0, 3};
const ExchangeOptions kOptions = {1.0, 0.3};

TEST(ExchangedLabels, OrdersAreAllButTheGivenOne) {
  EXPECT_EQ(list_permutations(4).size(), 23u);
  EXPECT_EQ(list_exchanges(4).size(), 6u);
}

TEST(ExchangedLabels, StretchesHaveTheirFramesAndKinds) {
  std::vector<std::vector<int>> shown(40, kRight);
  for (int k = 5; k < 12; ++k) shown[k] = kSwapped;
  shown[8] = kRight;                               // two frames apart: still the same stretch
  for (int k = 12; k < 15; ++k) shown[k].clear();  // nothing seen: it may have ended in there
  for (int k = 30; k < 40; ++k) shown[k] = kTurned;
  const auto faults = find_exchanged_labels(make_fit(shown), list_permutations(4), kOptions);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].kind, MarkerFaultKind::kSwap);
  EXPECT_EQ(faults[0].markers, (std::vector<int>{1, 3}));
  EXPECT_EQ(faults[0].first_frame, 5);
  EXPECT_EQ(faults[0].frames, 10);
  EXPECT_TRUE(faults[0].comes_back);
  EXPECT_EQ(faults[1].kind, MarkerFaultKind::kFlip);
  EXPECT_EQ(faults[1].markers, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(faults[1].first_frame, 30);
  EXPECT_EQ(faults[1].frames, 10);
  EXPECT_FALSE(faults[1].comes_back);
}

TEST(ExchangedLabels, OneExchangeFollowsAnother) {
  std::vector<std::vector<int>> shown(20, kSwapped);
  for (int k = 10; k < 20; ++k) shown[k] = kTurned;
  const auto faults = find_exchanged_labels(make_fit(shown), list_permutations(4), kOptions);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].first_frame, 0);
  EXPECT_EQ(faults[0].frames, 10);
  EXPECT_EQ(faults[1].first_frame, 10);
}

TEST(ExchangedLabels, WhatNoOrderExplainsIsLeftAndSearchesEnd) {
  // Exchanges of two cannot explain three that are turned.
  std::vector<std::vector<int>> shown(20, kTurned);
  for (int k = 15; k < 20; ++k) shown[k] = kSwapped;
  ExchangeOptions options = kOptions;
  EXPECT_EQ(find_exchanged_labels(make_fit(shown), list_exchanges(4), options).size(), 1u);
  options.most_searches = 10;
  EXPECT_TRUE(find_exchanged_labels(make_fit(shown), list_exchanges(4), options).empty());
}

TEST(MarkerNames, SidesAreToldByWordLetterOrSuffix) {
  const std::vector<std::string> labels = {"A:RHEE", "A:LHEE", "B:LHEE",    "calc_r",
                                           "calc_l", "ear",    "Left Knee", "Right Knee",
                                           "L5",     "R5",     "R.ASIS",    "L.ASIS"};
  const auto pairs = find_sided_pairs(labels);
  std::vector<std::pair<int, int>> found;
  for (const SidedPair& pair : pairs) found.emplace_back(pair.left, pair.right);
  EXPECT_EQ(found, (std::vector<std::pair<int, int>>{{1, 0}, {4, 3}, {6, 7}, {11, 10}}));
  EXPECT_EQ(without_prefix("A:RHEE"), "RHEE");
  EXPECT_EQ(without_prefix("RHEE"), "RHEE");
}

}  // namespace
}  // namespace vesica::exchanged_labels_test
