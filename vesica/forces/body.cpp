#include "vesica/forces/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "vesica/error.h"
#include "vesica/forces/recording_digest.h"
#include "vesica/motion/marker_names.h"

namespace vesica::forces {
namespace {

constexpr double kMostStanding = 0.1;  // m, from the mean: somebody sways by centimetres
// m, between the heels, up and ahead: 8 and 14 mm at most of thirteen people who stand.
constexpr double kMostHeelStep = 0.04, kMostHeelStride = 0.15;
// m: heights of the lowest marker of feet that stand on zero (23 to 38 mm in thirteen people), and
// what is taken where they do not.
constexpr double kLowestFoot = 0.0, kHighestFoot = 0.06, kUsualFoot = 0.03;
constexpr size_t kFewestStanding = 10;    // frames
constexpr double kLegOverStature = 0.53;  // of the hip centres
// kg/m^2: 18 to 40 in thirteen people.
constexpr double kLeastMassIndex = 16, kMostMassIndex = 42;

struct Role {
  const char* name;
  std::vector<const char*> aliases;  // lower case, without punctuation and side
};

const std::vector<Role>& get_roles() {
  static const std::vector<Role> roles = {
      {"ASIS", {"asis", "asi"}},
      {"PSIS", {"psis", "psi"}},
      {"Iliac.Crest", {"iliaccrest", "iliac", "crest", "ic"}},
      {"Sacrum", {"sacr", "sac", "sacrum", "vsacral", "s2"}},
      {"Knee", {"knee", "kne", "kneelat", "kneelateral", "lknee", "fle", "lfe"}},
      {"Knee.Medial", {"kneemedial", "kneemed", "knm", "knem", "kneem", "mkne", "fme", "mfe"}},
      {"HF", {"hf", "hfb", "fax"}},
      {"TT", {"tt", "tub", "ttb", "ttc"}},
      {"Tibia1", {"tib", "sh1", "shankupper", "shank1"}},
      {"Tibia2", {"shn", "sh2", "shankfront", "shank2"}},
      {"Tibia3", {"sh3", "shankrear", "shank3"}},
      {"Ankle", {"ankle", "ank", "anklelat", "anklelateral", "lma", "fal"}},
      {"Ankle.Medial", {"anklemedial", "anklemed", "ankm", "anklem", "mank", "mma", "tam"}},
      {"Heel", {"heel", "hee", "cal", "calc", "cal1", "calcaneus", "fcc"}},
      {"MT1", {"mt1", "mth1", "mfh1", "mtp1", "met1", "d1m", "fm1", "toemed"}},
      {"MT2", {"mt2", "mth2", "mtp2", "met2", "toe", "fm2"}},
      {"MT5", {"mt5", "mth5", "mfh5", "mtp5", "met5", "d5m", "fm5", "toelat"}},
      {"P1M", {"p1m"}},
      {"P5M", {"p5m"}},
      {"Calcaneus.Lateral", {"lca"}},
      {"Calcaneus.Medial", {"stl"}},
      {"Midfoot", {"nav", "midfootsup"}},
      {"C7", {"c7", "cerv7"}},
      {"Clavicle", {"clav", "jn", "ij", "sternalnotch"}},
      {"Shoulder", {"sho", "shoulder", "acr", "acromion", "acromium"}},
      {"Elbow", {"elb", "elbow", "elblat", "elbowlat", "elbowlateral"}},
      {"Wrist", {"wrist", "wri", "wr"}},
      {"Wrist.Lateral", {"wra", "wristlat", "wristlateral", "rsp"}},
      {"Wrist.Medial", {"wrb", "wristmed", "wristmedial", "usp"}},
      {"Head.Front", {"fhd", "headfront", "fronthead"}},
      {"Head.Back", {"bhd", "headback", "backhead"}},
      {"Temple", {"temple"}},
  };
  return roles;
}

// Its side ('r', 'l' or ' ') and its entry; null where there is none.
struct SidedRole {
  char side = ' ';
  const Role* entry = nullptr;
};
SidedRole split_role(const std::string& role) {
  SidedRole result;
  std::string rest = role;
  if (role.starts_with("R.") || role.starts_with("L.")) {
    result.side = role[0] == 'R' ? 'r' : 'l';
    rest = role.substr(2);
  }
  for (const Role& r : get_roles()) {
    if (rest == r.name) result.entry = &r;
  }
  return result;
}

// Where a marker stands on average, over the frames that show it.
std::optional<Vec3d> find_mean(const MotionTrial& trial, const std::string& role) {
  const int index = find_role(trial.markers, role);
  if (index < 0) return {};
  Vec3d sum = Vec3d::Zero();
  int count = 0;
  for (size_t k = 0; k < trial.markers.frames(); ++k) {
    const Vec3d& p = trial.markers.at(k, static_cast<size_t>(index));
    if (!p.allFinite()) continue;
    sum += p;
    ++count;
  }
  if (count == 0) return {};
  return Vec3d(sum / count);
}

// The standing trial's markers by role, in S.
struct StandingPoints {
  const MotionTrial& trial;
  Mat3d R_SW = Mat3d::Identity();
  double floor = 0;
  std::vector<std::string> missing;

  std::optional<Vec3d> find(const std::string& role) const {
    const std::optional<Vec3d> p = find_mean(trial, role);
    if (!p) return {};
    return Vec3d(R_SW * *p - floor * Vec3d::UnitY());
  }
  Vec3d get(const std::string& role) {
    if (const auto p = find(role)) return *p;
    missing.push_back(role);
    return Vec3d::Zero();
  }
};

// Means over a trial that moves would be a body that nobody has.
void refuse_motion(const MotionTrial& trial) {
  for (const char* role : {"R.ASIS", "R.Heel", "L.Heel"}) {
    const auto mean = find_mean(trial, role);
    const int index = find_role(trial.markers, role);
    if (!mean) continue;
    for (size_t k = 0; k < trial.markers.frames(); ++k) {
      const double away = (trial.markers.at(k, static_cast<size_t>(index)) - *mean).norm();
      if (!(away > kMostStanding)) continue;
      throw InputError(fmt::format(
          "{}: {} moves by {:.0f} mm from its mean; the standing trial (--static) has to stand "
          "still, within {:.0f} mm: is it a walk?",
          trial.file, role, 1e3 * away, 1e3 * kMostStanding));
    }
  }
}

// A frame of a walk is no standing trial either.
void refuse_step(StandingPoints* points) {
  const Vec3d step = points->get("R.Heel") - points->get("L.Heel");
  if (std::abs(step.y()) < kMostHeelStep && std::abs(step.x()) < kMostHeelStride) return;
  throw InputError(fmt::format(
      "{}: one heel is {:.0f} mm higher than the other and {:.0f} mm ahead of it; in a standing "
      "trial (--static) both feet stand side by side: is it a walk, or a frame of one?",
      points->trial.file, 1e3 * std::abs(step.y()), 1e3 * std::abs(step.x())));
}

// Labels of legs that were exchanged while the pelvis' are right, and of inside and outside.
void refuse_exchanged(const StandingPoints& points) {
  std::vector<std::string> wrong;
  const auto check = [&](const std::string& right, const std::string& left) {
    const auto r = points.find(right), l = points.find(left);
    if (r && l && r->z() < l->z())
      wrong.push_back(fmt::format("{} to the left of {}", right, left));
  };
  for (const char* role : {"Knee", "HF", "TT", "Ankle", "Heel", "MT1", "MT2", "MT5"}) {
    check(std::string("R.") + role, std::string("L.") + role);
  }
  for (const auto& [outer, inner] : {std::pair{"Knee", "Knee.Medial"},
                                     std::pair{"Ankle", "Ankle.Medial"}, std::pair{"MT5", "MT1"}}) {
    check(std::string("R.") + outer, std::string("R.") + inner);
    check(std::string("L.") + inner, std::string("L.") + outer);
  }
  if (wrong.empty()) return;
  throw InputError(
      fmt::format("{}: labels are exchanged in the standing trial: {}, seen from where the pelvis "
                  "faces; a map that exchanges them mends that (--map)",
                  points.trial.file, fmt::join(wrong, ", ")));
}

// Zero, unless the feet stand elsewhere: on a deck, or in a laboratory whose origin is not on its
// floor.
void find_floor(StandingPoints* points, Body* body) {
  double lowest = 1e9;
  for (const char* role : {"Heel", "MT1", "MT2", "MT5"}) {
    for (const int side : {kRight, kLeft}) {
      if (const auto p = points->find(sided(side, role))) lowest = std::min(lowest, p->y());
    }
  }
  if (lowest > kLowestFoot && lowest < kHighestFoot) return;
  body->floor = points->floor = lowest - kUsualFoot;
  body->notes.push_back(
      fmt::format("The lowest marker of the feet stands {:.0f} mm above the laboratory's zero "
                  "({:.0f} to {:.0f} mm are usual): the floor is taken to be {:.0f} mm below it.",
                  1e3 * lowest, 1e3 * kLowestFoot, 1e3 * kHighestFoot, 1e3 * kUsualFoot));
}

void refuse_missing(const StandingPoints& points) {
  if (points.missing.empty()) return;
  std::vector<std::string> names = points.missing;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  throw InputError(fmt::format(
      "{}: markers are missing in the standing trial: {}; forces from motion need the pelvis "
      "(ASIS, PSIS or sacrum), knees, ankles and feet (heel, MT1 or MT2, MT5) of both sides. If "
      "they have other names, give a map (--map)",
      points.trial.file, fmt::join(names, ", ")));
}

// Middle of the back of the pelvis.
Vec3d get_back(StandingPoints* points) {
  const auto right = points->find("R.PSIS"), left = points->find("L.PSIS");
  if (right && left) return 0.5 * (*right + *left);
  if (const auto sacrum = points->find("Sacrum")) return *sacrum;
  points->missing.push_back("R.PSIS and L.PSIS, or Sacrum");
  return Vec3d::Zero();
}

void add_points(const StandingPoints& points, const std::vector<std::string>& roles,
                const Pose<double>& X_SB, Cluster* cluster) {
  for (const std::string& role : roles) {
    const auto p = points.find(role);
    if (!p) continue;
    cluster->roles.push_back(role);
    cluster->points.push_back(X_SB.R_WB.transpose() * (*p - X_SB.p_WB));
  }
}

// Hip centres after Harrington et al. 2007 (J Biomech 40:595), from depth and width of the pelvis.
void place_hips(const Vec3d& right, const Vec3d& left, const Vec3d& back, Body* body) {
  const Vec3d front = 0.5 * (right + left);
  const double width = (right - left).norm(), depth = (front - back).norm();
  const Vec3d z = (right - left) / width;
  const Vec3d forward = front - back;
  const Vec3d x = (forward - forward.dot(z) * z).normalized();
  const Vec3d y = z.cross(x);
  for (int side = 0; side < 2; ++side) {
    body->hip[side] = front + (-0.24 * depth - 0.0099) * x + (-0.30 * width - 0.0109) * y +
                      sign_of(side) * (0.33 * width + 0.0073) * z;
  }
  body->pelvis_center = 0.5 * (front + back);
}

// The middle between lateral and medial marker; without the medial one, half a usual width inside.
Vec3d place_joint(StandingPoints* points, int side, const char* joint, double half_width,
                  Body* body) {
  const Vec3d lateral = points->get(sided(side, joint));
  const auto medial = points->find(sided(side, std::string(joint) + ".Medial"));
  if (medial) return 0.5 * (lateral + *medial);
  body->notes.push_back(fmt::format(
      "The standing trial has no {}: the joint's centre is taken {:.0f} mm inside of the lateral "
      "marker.",
      sided(side, std::string(joint) + ".Medial"), 1e3 * half_width));
  return lateral - sign_of(side) * half_width * Vec3d::UnitZ();
}

void place_foot(StandingPoints* points, int side, Body* body, double* length, double* width) {
  const Vec3d heel = points->get(sided(side, "Heel"));
  const Vec3d outer = points->get(sided(side, "MT5"));
  const auto first = points->find(sided(side, "MT1")), second = points->find(sided(side, "MT2"));
  if (!first && !second) points->missing.push_back(sided(side, "MT1") + " or MT2");
  if (!points->missing.empty()) return;
  const Vec3d inner = first ? *first : Vec3d(*second + 0.9 * (*second - outer));
  const Vec3d ball = second ? *second : Vec3d(inner + 0.25 * (outer - inner));
  Vec3d along = ball - heel;
  along.y() = 0;
  *length = along.norm();
  if (!(*length > 0.05 && *length < 0.4)) {
    throw InputError(fmt::format(
        "{}: heel and second metatarsal of the {} foot are {:.0f} mm apart, standing; 50 to 400 mm "
        "are expected: are the units right, and the markers where their names say?",
        points->trial.file, name_of(as_foot(side)), 1e3 * *length));
  }
  Pose<double> X_SF;
  X_SF.R_WB.col(0) = along / *length;
  X_SF.R_WB.col(1) = Vec3d::UnitY();
  X_SF.R_WB.col(2) = X_SF.R_WB.col(0).cross(X_SF.R_WB.col(1));
  X_SF.p_WB = Vec3d(heel.x(), 0, heel.z());
  const auto in_foot = [&](const Vec3d& p) {
    return Vec3d(X_SF.R_WB.transpose() * (p - X_SF.p_WB));
  };
  *width = std::abs(in_foot(inner).z() - in_foot(outer).z());
  body->inner[side] = in_foot(inner);
  body->outer[side] = in_foot(outer);
  body->toe_tip[side] = in_foot(ball + 0.3 * (ball - heel));
  std::vector<std::string> roles;
  for (const char* role : {"Heel", "MT1", "MT2", "MT5", "Ankle", "P1M", "P5M", "Calcaneus.Lateral",
                           "Calcaneus.Medial"}) {
    roles.push_back(sided(side, role));
  }
  add_points(*points, roles, X_SF, &body->foot[side]);
}

}  // namespace

std::string sided(int side, const std::string& role) {
  return (side == kRight ? "R." : "L.") + role;
}

bool is_role(const std::string& role) { return split_role(role).entry != nullptr; }

int find_role(const MarkerTracks& markers, const std::string& role) {
  const auto [side, entry] = split_role(role);
  if (entry == nullptr) return -1;
  for (const char* alias : entry->aliases) {
    for (size_t i = 0; i < markers.markers(); ++i) {
      for (const SidedName& name : as_sided_names(markers.labels[i])) {
        if (name.side == side && name.rest == alias) return static_cast<int>(i);
      }
    }
  }
  return -1;
}

Vec3d find_vertical(const MarkerTracks& markers) {
  std::vector<size_t> pelvis, feet;
  const auto add = [&](const std::string& role, std::vector<size_t>* indices) {
    const int index = find_role(markers, role);
    if (index >= 0) indices->push_back(static_cast<size_t>(index));
  };
  add("Sacrum", &pelvis);
  for (const int side : {kRight, kLeft}) {
    for (const char* role : {"ASIS", "PSIS", "Iliac.Crest"}) add(sided(side, role), &pelvis);
    add(sided(side, "Heel"), &feet);
  }
  // Frame by frame: gaps of one marker must not show the way of the walk.
  const auto find_middle = [&](const std::vector<size_t>& indices, size_t k) {
    Vec3d sum = Vec3d::Zero();
    double count = 0;
    for (const size_t i : indices) {
      if (!markers.has(k, i)) continue;
      sum += markers.at(k, i);
      count += 1;
    }
    return Vec3d(sum / count);
  };
  Vec3d d = Vec3d::Zero();
  for (size_t k = 0; k < markers.frames(); ++k) {
    const Vec3d up = find_middle(pelvis, k) - find_middle(feet, k);
    if (up.allFinite()) d += up;
  }
  if (d.norm() == 0) return Vec3d::Zero();
  Eigen::Index axis = 0;
  d.cwiseAbs().maxCoeff(&axis);
  return (d[axis] > 0 ? 1.0 : -1.0) * Vec3d::Unit(axis);
}

double calc_mass_index(const Body& body, double weight) {
  const double stature = body.leg_length / kLegOverStature;
  return weight / kGravity / (stature * stature);
}

bool is_usual_mass_index(double index) { return index > kLeastMassIndex && index < kMostMassIndex; }

std::string say_mass_index(const Body& body, double weight) {
  const double index = calc_mass_index(body, weight);
  if (is_usual_mass_index(index)) return {};
  return fmt::format(
      "{:.1f} kg are a body mass index of {:.0f} at the {:.2f} m of stature that go with these "
      "legs ({:.0f} to {:.0f} are usual): is the mass right?",
      weight / kGravity, index, body.leg_length / kLegOverStature, kLeastMassIndex, kMostMassIndex);
}

Body make_body(const MotionTrial& standing) {
  if (standing.markers.frames() == 0 || standing.markers.markers() == 0) {
    throw InputError(standing.file + ": the standing trial has no markers");
  }
  Body body;
  body.digest = calc_recording_digest(standing.markers);
  for (const std::string& text : standing.warnings) {
    body.notes.push_back("Standing trial: " + text);
  }
  StandingPoints points{standing, Mat3d::Identity(), 0, {}};
  Vec3d right = points.get("R.ASIS"), left = points.get("L.ASIS"), back = get_back(&points);
  for (const char* heel : {"R.Heel", "L.Heel"}) points.get(heel);
  refuse_missing(points);
  refuse_motion(standing);
  if (standing.markers.frames() < kFewestStanding) {
    body.notes.push_back(fmt::format(
        "The standing trial has {} frame{}: whether somebody stands still there cannot be seen.",
        standing.markers.frames(), standing.markers.frames() == 1 ? "" : "s"));
  }
  const Vec3d up = find_vertical(standing.markers);
  Vec3d ahead = 0.5 * (right + left) - back;
  ahead -= ahead.dot(up) * up;
  if (ahead.norm() < 0.03) {
    throw InputError(fmt::format(
        "{}: front and back of the pelvis are {:.0f} mm apart, seen from above; at least 30 mm "
        "are expected in a standing trial",
        standing.file, 1e3 * ahead.norm()));
  }
  ahead.normalize();
  points.R_SW.row(0) = ahead;
  points.R_SW.row(1) = up;
  points.R_SW.row(2) = ahead.cross(up);
  // Facing follows from front and back, so that exchanged sides show.
  if ((points.R_SW * (right - left)).z() < 0) {
    throw InputError(fmt::format(
        "{}: R.ASIS is to the left of L.ASIS in the standing trial: its left and right labels are "
        "exchanged; a map that exchanges them mends that (--map)",
        standing.file));
  }
  refuse_step(&points);
  refuse_exchanged(points);
  body.up_W = up;
  find_floor(&points, &body);
  right = points.get("R.ASIS");
  left = points.get("L.ASIS");
  back = get_back(&points);
  place_hips(right, left, back, &body);
  add_points(points,
             {"R.ASIS", "L.ASIS", "R.PSIS", "L.PSIS", "R.Iliac.Crest", "L.Iliac.Crest", "Sacrum"},
             {}, &body.pelvis);
  double length[2] = {0, 0}, width[2] = {0, 0};
  for (int side = 0; side < 2; ++side) {
    body.knee[side] = place_joint(&points, side, "Knee", 0.05, &body);
    body.ankle[side] = place_joint(&points, side, "Ankle", 0.035, &body);
    std::vector<std::string> roles;
    for (const char* role : {"Knee", "HF", "TT", "Tibia1", "Tibia2", "Tibia3", "Ankle"}) {
      roles.push_back(sided(side, role));
    }
    add_points(points, roles, {}, &body.shank[side]);
    place_foot(&points, side, &body, &length[side], &width[side]);
  }
  refuse_missing(points);
  body.foot_length = 0.5 * (length[0] + length[1]);
  body.foot_width = 0.5 * (width[0] + width[1]);
  body.leg_length = 0.5 * (body.hip[0].y() + body.hip[1].y());
  body.pelvis_height = body.pelvis_center.y();
  if (!(body.leg_length > 0.3 && body.leg_length < 1.4)) {
    throw InputError(fmt::format(
        "{}: the hips stand {:.2f} m above the floor; 0.3 to 1.4 m are expected: are the units "
        "right, and does the subject stand?",
        standing.file, body.leg_length));
  }
  for (int side = 0; side < 2; ++side) {
    for (const char* role : {"MT1", "MT5"}) {
      if (const auto p = find_mean(standing, sided(side, role))) {
        body.standing.push_back({sided(side, role), *p - body.floor * up});
      }
    }
  }
  return body;
}

}  // namespace vesica::forces
