#include "vesica/forces/upper_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "vesica/motion/gaps.h"

namespace vesica::forces {
namespace {

constexpr double kTrunkMass = 0.4346, kHeadMass = 0.0694;
constexpr double kUpperArmMass = 0.0271, kForearmMass = 0.0162, kHandMass = 0.0061;
// Centres of mass: of the trunk from the middle of the hips, to the middle of the shoulders or to
// the root of the neck (the mean of the cervicale's and the suprasternale's); of the arm from its
// proximal end; the hand's lies beyond the wrist by this part of a forearm.
constexpr double kTrunkToShoulders = 1 - 0.4310, kTrunkToNeck = 1 - 0.5 * (0.5138 + 0.4486);
constexpr double kUpperArmCenter = 0.5772, kForearmCenter = 0.4574, kHandBeyond = 0.25;
constexpr double kLongestUpperGap = 0.1;  // s

// Markers of one recording as tracks of H over the walk's frames.
class UpperTracks {
 public:
  UpperTracks(const MarkerTracks& markers, Walk* walk) : markers_(markers), walk_(walk) {}

  std::optional<Track> find(const std::string& role) const {
    const int index = find_role(markers_, role);
    if (index < 0) return {};
    Track track = markers_.track(static_cast<size_t>(index));
    GapFillOptions options;
    options.max_frames = std::max(1, static_cast<int>(kLongestUpperGap * walk_->rate));
    fill_gaps(track, options);
    Track cut(walk_->frames());
    for (size_t k = 0; k < cut.size(); ++k) {
      const Vec3d& p = track[walk_->first_frame + k];
      if (!p.allFinite()) {
        walk_->notes.push_back(fmt::format(
            "{} is not seen throughout: its part of the body is taken to ride on the next one.",
            role));
        return {};
      }
      cut[k] = walk_->in_heading(walk_->times[k], p);
    }
    return cut;
  }

  // The mean of all of them; nothing where one is missing.
  std::optional<Track> find_middle(const std::vector<std::string>& roles) const {
    Track sum(walk_->frames(), Vec3d::Zero());
    for (const std::string& role : roles) {
      const std::optional<Track> track = find(role);
      if (!track) return {};
      for (size_t k = 0; k < sum.size(); ++k) {
        sum[k] += (*track)[k] / static_cast<double>(roles.size());
      }
    }
    return sum;
  }

 private:
  const MarkerTracks& markers_;
  Walk* walk_;
};

Track go_along(const Track& a, const Track& b, double part) {
  Track track(a.size());
  for (size_t k = 0; k < a.size(); ++k) track[k] = a[k] + part * (b[k] - a[k]);
  return track;
}

void add_mass(double fraction, const Track& center, const Walk& walk, UpperBody* body) {
  const Track a12 = calc_acceleration(center, 12.0, walk.rate);
  const Track s = calc_filtered(center, 10.0, walk.rate);
  const Track a10 = calc_acceleration(center, 10.0, walk.rate);
  for (size_t k = 0; k < center.size(); ++k) {
    body->acceleration[k] += fraction / kGravity * a12[k];
    body->moment[k] += fraction / kGravity *
                       ((s[k] - walk.slow_pelvis[k]) * (kGravity + a10[k].y()) - s[k].y() * a10[k]);
  }
}

}  // namespace

UpperBody find_upper_body(const MarkerTracks& markers, Walk* walk) {
  const UpperTracks tracks(markers, walk);
  UpperBody body;
  double trunk_center = kTrunkToNeck;
  std::optional<Track> top = tracks.find_middle({"C7", "Clavicle"});
  if (!top) {
    trunk_center = kTrunkToShoulders;
    top = tracks.find_middle({"R.Shoulder", "L.Shoulder"});
  }
  if (!top) return body;
  body.parts.emplace_back("trunk");
  body.acceleration.assign(walk->frames(), Vec3d::Zero());
  body.moment.assign(walk->frames(), Vec3d::Zero());
  const Track hips = go_along(walk->legs[kRight].hip, walk->legs[kLeft].hip, 0.5);
  add_mass(kTrunkMass, go_along(hips, *top, trunk_center), *walk, &body);
  std::optional<Track> head =
      tracks.find_middle({"R.Head.Front", "L.Head.Front", "R.Head.Back", "L.Head.Back"});
  if (!head) head = tracks.find_middle({"R.Temple", "L.Temple"});
  if (head) body.parts.emplace_back("head");
  add_mass(kHeadMass, head ? *head : *top, *walk, &body);
  int arms = 0;
  for (int side = 0; side < 2; ++side) {
    const std::optional<Track> shoulder = tracks.find(sided(side, "Shoulder")),
                               elbow = tracks.find(sided(side, "Elbow"));
    std::optional<Track> wrist =
        tracks.find_middle({sided(side, "Wrist.Lateral"), sided(side, "Wrist.Medial")});
    if (!wrist) wrist = tracks.find(sided(side, "Wrist"));
    if (!shoulder || !elbow || !wrist) {
      add_mass(kUpperArmMass + kForearmMass + kHandMass, *top, *walk, &body);
      continue;
    }
    add_mass(kUpperArmMass, go_along(*shoulder, *elbow, kUpperArmCenter), *walk, &body);
    add_mass(kForearmMass, go_along(*elbow, *wrist, kForearmCenter), *walk, &body);
    add_mass(kHandMass, go_along(*elbow, *wrist, 1 + kHandBeyond), *walk, &body);
    ++arms;
  }
  if (arms == 2) body.parts.emplace_back("arms");
  return body;
}

}  // namespace vesica::forces
