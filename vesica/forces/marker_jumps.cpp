#include "vesica/forces/marker_jumps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/forces/body.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica::forces {
namespace {

constexpr double kMostLeap = 0.025;        // m
constexpr double kMostAcceleration = 100;  // m/s^2
constexpr size_t kMostSentences = 4;

// Frames [first, last) of a track.
struct Part {
  size_t first = 0, last = 0;
  size_t size() const { return last - first; }
};

// The parts between leaps; `most` becomes the largest leap, `where` the frame after it.
std::vector<Part> split(const std::vector<Vec3d>& x, double limit, double* most, size_t* where) {
  std::vector<Part> parts = {{0, x.size()}};
  const auto step = [&](size_t k) { return Vec3d(x[k + 1] - x[k]); };
  for (size_t k = 0; k + 1 < x.size(); ++k) {
    if (!step(k).allFinite()) continue;
    // Beyond the steps beside it; of none, it is not known.
    double leap = 1e9;
    bool is_known = false;
    for (const size_t beside : {k - 1, k + 1}) {
      if (beside >= x.size() - 1 || !step(beside).allFinite()) continue;  // k - 1 wraps at 0
      leap = std::min(leap, (step(k) - step(beside)).norm());
      is_known = true;
    }
    if (!is_known || leap <= limit) continue;
    if (leap > *most) {
      *most = leap;
      *where = k + 1;
    }
    parts.back().last = k + 1;
    parts.push_back({k + 1, x.size()});
  }
  return parts;
}

// Frames that repeat each other next to a leap were held, not measured.
void cut_held(const std::vector<Vec3d>& x, Part* part) {
  if (part->last < x.size()) {
    while (part->size() > 1 && x[part->last - 1] == x[part->last - 2]) --part->last;
  }
  if (part->first > 0) {
    while (part->size() > 1 && x[part->first] == x[part->first + 1]) ++part->first;
  }
}

// Whether what begins at `b.first` goes on from what ends at `a.last - 1`.
bool goes_on(const std::vector<Vec3d>& x, const Part& a, const Part& b, double limit,
             size_t longest) {
  const size_t from = a.last - 1, until = b.first;
  if (until - from > longest || a.size() < 2 || b.size() < 2) return false;
  const Vec3d velocity = 0.5 * (x[from] - x[from - 1] + x[until + 1] - x[until]);
  return (x[until] - x[from] - static_cast<double>(until - from) * velocity).norm() < limit;
}

// The longest part, and those on either side that go on from it, without what was held.
std::vector<Part> choose(const std::vector<Vec3d>& x, std::vector<Part> parts, double limit,
                         size_t longest) {
  // Of feet that stand, what repeats may be measured: parts are chosen with it.
  const auto best = std::max_element(
      parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.size() < b.size(); });
  for (Part& part : parts) cut_held(x, &part);
  std::vector<Part> chosen = {*best};
  for (auto p = best + 1; p != parts.end(); ++p) {
    if (goes_on(x, chosen.back(), *p, limit, longest)) chosen.push_back(*p);
  }
  for (auto p = best; p != parts.begin();) {
    --p;
    if (goes_on(x, *p, chosen.front(), limit, longest)) chosen.insert(chosen.begin(), *p);
  }
  return chosen;
}

}  // namespace

void drop_frozen(MarkerTracks* markers, std::vector<std::string>* notes) {
  const std::vector<FrozenStretch> frozen = find_frozen(*markers);
  for (const FrozenStretch& f : frozen) {
    for (size_t k = f.first + 1; k <= f.last; ++k) {
      for (size_t i = 0; i < markers->markers(); ++i) {
        markers->at(k, i) = Vec3d::Constant(kMissing);
      }
    }
  }
  if (!frozen.empty()) notes->push_back("Frames that are frozen are taken as not seen.");
}

void drop_jumps(const std::vector<std::string>& roles, double rate, MarkerTracks* markers,
                std::vector<std::string>* notes) {
  const double limit = std::max(kMostLeap, kMostAcceleration / (rate * rate));
  const auto longest = static_cast<size_t>(kLongestGap * rate) + 1;
  size_t jumping = 0;
  for (const std::string& role : roles) {
    const int index = find_role(*markers, role);
    if (index < 0) continue;
    const auto i = static_cast<size_t>(index);
    const std::vector<Vec3d> track = markers->track(i);
    double most = 0;
    size_t where = 0;
    const std::vector<Part> parts = split(track, limit, &most, &where);
    if (parts.size() == 1) continue;
    const std::vector<Part> kept = choose(track, parts, limit, longest);
    size_t dropped = 0;
    for (size_t k = 0; k < track.size(); ++k) {
      const bool stays = std::any_of(kept.begin(), kept.end(),
                                     [&](const Part& p) { return k >= p.first && k < p.last; });
      if (stays || !track[k].allFinite()) continue;
      markers->at(k, i) = Vec3d::Constant(kMissing);
      ++dropped;
    }
    if (++jumping > kMostSentences) continue;
    notes->push_back(fmt::format(
        "{} jumps by {:.0f} mm at {:.3f} s: it is taken as not seen in {} frame{}, so that what is "
        "left is of one piece.",
        role, 1e3 * most, markers->times[where], dropped, dropped == 1 ? "" : "s"));
  }
  if (jumping > kMostSentences) {
    notes->push_back(fmt::format("So do {} more markers: was the recording put together?",
                                 jumping - kMostSentences));
  }
}

}  // namespace vesica::forces
