#include "vesica/motion/same_person.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vesica/motion/marker_check.h"

namespace vesica {
namespace {

constexpr double kNearestPair = 0.05, kFurthestPair = 0.6;  // m
constexpr double kKeeps = 0.005;                            // m
// Walks of thirteen people (WBDS): of one person at most 5.6 mm (267 pairs of recordings), of two
// at least 8.7 mm (3,738).
constexpr double kOtherPerson = 0.007;  // m
constexpr int kLeastPairs = 6;

struct Pair {
  size_t a = 0, b = 0;  // markers of the first recording
  double in_one = 0.0, in_other = 0.0;
  double difference() const { return in_other - in_one; }
  bool has(size_t marker) const { return a == marker || b == marker; }
};

std::vector<Pair> list_pairs(const MarkerTracks& one, const MarkerTracks& other) {
  const auto keeps = [](const PairDistance& d) {
    return d.spread < kKeeps && d.middle > kNearestPair && d.middle < kFurthestPair;
  };
  std::vector<Pair> pairs;
  for (size_t a = 0; a < one.markers(); ++a) {
    const size_t a_other = other.find(one.labels[a]);
    if (a_other == other.markers()) continue;
    for (size_t b = a + 1; b < one.markers(); ++b) {
      const size_t b_other = other.find(one.labels[b]);
      if (b_other == other.markers()) continue;
      const PairDistance here = calc_pair_distance(one, a, b);
      if (!keeps(here)) continue;
      const PairDistance there = calc_pair_distance(other, a_other, b_other);
      if (keeps(there)) pairs.push_back({a, b, here.middle, there.middle});
    }
  }
  return pairs;
}

}  // namespace

bool PersonDifference::is_other() const { return pairs >= kLeastPairs && rms > kOtherPerson; }

PersonDifference compare_people(const MarkerTracks& one, const MarkerTracks& other) {
  const std::vector<Pair> pairs = list_pairs(one, other);
  PersonDifference out;
  out.pairs = static_cast<int>(pairs.size());
  if (pairs.empty()) return out;
  // Over the pairs without a marker (none: one that there is not), and how many they are.
  const auto calc_rms = [&](size_t without) {
    double sum = 0.0;
    int count = 0;
    for (const Pair& p : pairs) {
      if (p.has(without)) continue;
      sum += p.difference() * p.difference();
      ++count;
    }
    return std::pair(count > 0 ? std::sqrt(sum / count) : 0.0, count);
  };
  out.rms = calc_rms(one.markers()).first;
  const Pair& worst =
      *std::max_element(pairs.begin(), pairs.end(), [](const Pair& p, const Pair& q) {
        return std::abs(p.difference()) < std::abs(q.difference());
      });
  out.a = one.labels[worst.a];
  out.b = one.labels[worst.b];
  out.in_one = worst.in_one;
  out.in_other = worst.in_other;
  if (!out.is_other()) return out;
  double least = kOtherPerson;
  for (const size_t m : {worst.a, worst.b}) {
    const auto [rest, count] = calc_rms(m);
    if (rest >= least || count < kLeastPairs) continue;
    least = rest;
    out.moved = one.labels[m];
  }
  return out;
}

}  // namespace vesica
