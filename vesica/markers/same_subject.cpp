#include "vesica/markers/same_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/math/median.h"

namespace vesica::markers {
namespace {

// Standing and walking trials of thirteen people (WBDS), 22 pairs: of the same person at most 5.1
// mm (89 walks), of others at least 9.0 mm (1,068 combinations).
constexpr double kOtherPerson = 0.007;  // m
constexpr int kLeastPairs = 3;
// A single pair of the same person: at most 11.3 mm (88 walks).
constexpr double kMovedMarker = 0.014;  // m
constexpr double kStandsWithin = 0.05;  // m

struct Pair {
  int a = 0, b = 0;
  double in_one = 0, in_other = 0;  // m
  double difference() const { return in_other - in_one; }
};

// The median over the frames that show both; negative where none does.
double find_distance(const Trial& trial, int a, int b) {
  std::vector<double> distances;
  for (int k = 0; k < trial.frame_count(); ++k) {
    const Frame frame = trial.frame(k);
    if (frame.weights[a] <= 0 || frame.weights[b] <= 0) continue;
    distances.push_back((frame.positions[a] - frame.positions[b]).norm());
  }
  return distances.empty() ? -1 : calc_median(std::move(distances));
}

std::vector<Pair> list_pairs(const Model& model, const Trial& one, const Trial& other) {
  std::vector<Pair> pairs;
  const auto n = static_cast<int>(model.markers.size());
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      if (model.markers[a].segment != model.markers[b].segment) continue;
      const double in_one = find_distance(one, a, b);
      const double in_other = in_one < 0 ? -1 : find_distance(other, a, b);
      if (in_other >= 0) pairs.push_back({a, b, in_one, in_other});
    }
  }
  return pairs;
}

// Over the pairs without marker `without`; 0 where none is left.
double calc_rms(const std::vector<Pair>& pairs, int without) {
  double sum = 0;
  int count = 0;
  for (const Pair& p : pairs) {
    if (p.a == without || p.b == without) continue;
    sum += p.difference() * p.difference();
    ++count;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

int count_without(const std::vector<Pair>& pairs, int without) {
  return static_cast<int>(std::count_if(
      pairs.begin(), pairs.end(), [&](const Pair& p) { return p.a != without && p.b != without; }));
}

// The extent along the laboratory's axis on which it is largest, of the middle 90 % of what was
// seen of a marker.
double calc_extent(const Trial& trial, int marker) {
  double most = 0;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> x;
    for (int k = 0; k < trial.frame_count(); ++k) {
      const Frame frame = trial.frame(k);
      if (frame.weights[marker] > 0) x.push_back(frame.positions[marker][axis]);
    }
    if (x.empty()) return 0;
    std::sort(x.begin(), x.end());
    const size_t cut = x.size() / 20;
    most = std::max(most, x[x.size() - 1 - cut] - x[cut]);
  }
  return most;
}

}  // namespace

bool SizeDifference::is_other() const { return pairs >= kLeastPairs && rms > kOtherPerson; }

SizeDifference compare_sizes(const Model& model, const Trial& one, const Trial& other) {
  const std::vector<Pair> pairs = list_pairs(model, one, other);
  SizeDifference out;
  out.pairs = static_cast<int>(pairs.size());
  if (pairs.empty()) return out;
  out.rms = calc_rms(pairs, -1);
  const Pair worst =
      *std::max_element(pairs.begin(), pairs.end(), [](const Pair& p, const Pair& q) {
        return std::abs(p.difference()) < std::abs(q.difference());
      });
  out.a = worst.a;
  out.b = worst.b;
  out.in_one = worst.in_one;
  out.in_other = worst.in_other;
  if (!out.is_other()) return out;
  double least = kOtherPerson;
  for (const int m : {worst.a, worst.b}) {
    const double rest = calc_rms(pairs, m);
    if (rest >= least || count_without(pairs, m) < kLeastPairs) continue;
    least = rest;
    out.moved = m;
  }
  return out;
}

std::string describe_other_person(const Model& model, const Trial& one, const Trial& other) {
  const SizeDifference d = compare_sizes(model, one, other);
  const bool one_moved =
      !d.is_other() && d.pairs >= kLeastPairs && std::abs(d.in_other - d.in_one) > kMovedMarker;
  if (!d.is_other() && !one_moved) return {};
  const std::string sizes =
      fmt::format("{} to {} is {:.0f} mm there and {:.0f} mm here", model.markers[d.a].name,
                  model.markers[d.b].name, d.in_one * 1e3, d.in_other * 1e3);
  if (one_moved) {
    return fmt::format(
        "{}: marker {} or {} sits at another place than in {} ({}; one person's differ by less "
        "than "
        "{:.0f} mm): was it taped on anew, or has it moved?",
        other.name, model.markers[d.a].name, model.markers[d.b].name, one.name, sizes,
        1e3 * kMovedMarker);
  }
  if (d.moved >= 0) {
    return fmt::format(
        "{}: marker {} sits at another place than in {} ({}; the other markers agree): was it "
        "taped "
        "on anew?",
        other.name, model.markers[d.moved].name, one.name, sizes);
  }
  return fmt::format(
      "{}: distances between markers of the same segment differ from those of {} by {:.0f} mm ({}; "
      "rms of {} pairs; one person's differ by less than {:.0f} mm): is it another person, or were "
      "the markers placed anew?",
      other.name, one.name, d.rms * 1e3, sizes, d.pairs, kOtherPerson * 1e3);
}

void check_stands(const Model& model, const Trial& standing) {
  const auto n = static_cast<int>(model.markers.size());
  std::vector<std::pair<double, int>> extents;
  for (int m = 0; m < n; ++m) {
    const double extent = calc_extent(standing, m);
    if (extent > 0) extents.emplace_back(extent, m);
  }
  if (extents.empty()) return;
  std::sort(extents.rbegin(), extents.rend());
  if (extents[extents.size() / 4].first <= kStandsWithin) return;
  throw InputError(fmt::format(
      "{}: given as a standing trial (--neutral), but it moves: {} by {:.2f} m; give the trial in "
      "which the subject stands still, or cut it to where that is so (vesica motion --from, "
      "--until)",
      standing.name, model.markers[extents.front().second].name, extents.front().first));
}

}  // namespace vesica::markers
