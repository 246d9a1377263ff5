#include "vesica/markers/body_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "vesica/error.h"
#include "vesica/markers/joint_angles.h"

namespace vesica::markers {
namespace {

// Of de Leva's Table 4: shares of the body's mass and of the segment's length. Radii of gyration
// about the sagittal (forwards), transverse (sideways) and longitudinal axes. Of a foot, which is
// long forwards, the sagittal one is taken about the axis through the sole: a foot is wider than
// high, and that radius is the larger one.
struct PartRow {
  double mass, center, sagittal, transverse, longitudinal;
};
struct PartColumns {
  PartRow female, male;
};
constexpr PartColumns kPelvis{{0.1247, 0.4920, 0.433, 0.402, 0.444},
                              {0.1117, 0.6115, 0.615, 0.551, 0.587}};
constexpr PartColumns kThigh{{0.1478, 0.3612, 0.369, 0.364, 0.162},
                             {0.1416, 0.4095, 0.329, 0.329, 0.149}};
// From the knee to the ankle joint centre, the alternative end points of the table.
constexpr PartColumns kShank{{0.0481, 0.4352, 0.267, 0.263, 0.092},
                             {0.0433, 0.4395, 0.251, 0.246, 0.102}};
constexpr PartColumns kFoot{{0.0129, 0.4014, 0.299, 0.279, 0.139},
                            {0.0137, 0.4415, 0.257, 0.245, 0.124}};
// Mean lengths of the source's subjects, m.
struct Lengths {
  double pelvis, thigh, shank;
};
constexpr Lengths kFemale{0.1815, 0.3685, 0.4386}, kMale{0.1457, 0.4222, 0.4403};
// Where the metatarsal heads are along a foot: length to the ball of the foot over its whole
// length, 0.73 in ANSUR (Gordon et al. 1989).
constexpr double kBallOfFoot = 0.73;

double mix(double female, double male, Sex sex) {
  return sex == Sex::kFemale ? female : sex == Sex::kMale ? male : 0.5 * (female + male);
}
PartRow choose(const PartColumns& part, Sex sex) {
  const auto& [f, m] = part;
  return {mix(f.mass, m.mass, sex), mix(f.center, m.center, sex), mix(f.sagittal, m.sagittal, sex),
          mix(f.transverse, m.transverse, sex), mix(f.longitudinal, m.longitudinal, sex)};
}

BodyPart find_part(const Segment& segment) {
  if (segment.body) return *segment.body;
  std::string lower;
  for (const char c : segment.name) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const auto has = [&](const char* word) { return lower.find(word) != std::string::npos; };
  if (has("hindfoot") || has("forefoot") || has("midfoot")) {
    throw InputError(
        fmt::format("segment '{}': the force under a foot of several segments cannot be divided "
                    "between them; inverse dynamics needs a model with one segment a foot",
                    segment.name));
  }
  if (has("pelvis")) return BodyPart::kPelvis;
  if (has("thigh") || has("femur")) return BodyPart::kThigh;
  if (has("shank") || has("tibia")) return BodyPart::kShank;
  if (has("talus") || has("toes") || has("patella")) return BodyPart::kNone;
  if (has("foot") || has("calcn")) return BodyPart::kFoot;
  throw InputError(
      fmt::format("segment '{}' is no body part by its name; say `body: pelvis`, `thigh`, `shank`, "
                  "`foot` or `none` (without mass) in the model",
                  segment.name));
}

Side find_side(const Model& model, int s) {
  const Side named = read_side(model.segments[s].name).side;
  if (named != Side::kNone) return named;
  return model.tree_joint[s] >= 0 ? identify_joint(model, model.tree_joint[s]).side : Side::kNone;
}

// Joint centres of a segment: to its parent, and the middle of those to its children.
struct Ends {
  Vec3d proximal = Vec3d::Zero(), distal = Vec3d::Zero();
  int children = 0;
};
Ends find_ends(const Model& model, const Geometry& geometry, int s) {
  Ends ends;
  if (model.tree_joint[s] >= 0) {
    ends.proximal = geometry.joints[model.tree_joint[s]].child_center.value;
  }
  for (size_t c = 0; c < model.segments.size(); ++c) {
    const int j = model.tree_joint[c];
    if (j < 0 || model.joints[j].parent != s) continue;
    ends.distal += geometry.joints[j].parent_center.value;
    ++ends.children;
  }
  if (ends.children > 0) ends.distal /= ends.children;
  return ends;
}

// About axes through the centre of mass: `along` and the segment's Z, which is the transverse one.
Mat3d make_inertia(double mass, double length, const PartRow& row, const Vec3d& along,
                   const Vec3d& right) {
  Mat3d A;
  A.col(0) = along.normalized();
  A.col(1) = A.col(0).cross(right).normalized();
  A.col(2) = A.col(0).cross(A.col(1));
  const Vec3d radii(row.longitudinal, row.sagittal, row.transverse);
  return mass * length * length * A * radii.cwiseAbs2().asDiagonal() * A.transpose();
}

SegmentInertia make_limb(const Segment& segment, const Ends& ends, double mass,
                         const PartRow& row) {
  if (ends.children == 0) {
    throw InputError(fmt::format(
        "segment '{}': its length is that between two joints, and it has no joint at its end",
        segment.name));
  }
  const Vec3d along = ends.distal - ends.proximal;
  SegmentInertia out;
  out.mass = mass * row.mass;
  out.center = ends.proximal + row.center * along;
  out.I_center = make_inertia(out.mass, along.norm(), row, along, Vec3d::UnitZ());
  return out;
}

SegmentInertia make_foot(const Model& model, const Geometry& geometry, int s,
                         const Eigen::VectorXd& d, double mass, const PartRow& row) {
  double rear = kInfinity, front = -kInfinity;
  Vec3d mean = Vec3d::Zero();
  int count = 0;
  for (size_t m = 0; m < model.markers.size(); ++m) {
    if (model.markers[m].segment != s) continue;
    const Vec3d& u = geometry.markers[m].value;
    rear = std::min(rear, u.x());
    front = std::max(front, u.x());
    mean += u;
    ++count;
  }
  const Segment& segment = model.segments[s];
  const bool has_length = segment.base_length > 0;
  if (count < 2 || (!has_length && !(front - rear > 0.02))) {
    throw InputError(fmt::format(
        "segment '{}': the length of a foot is its `length` or that between its markers; it has "
        "neither",
        segment.name));
  }
  const double length =
      has_length ? segment.base_length * segment.scale[0].value(d) : (front - rear) / kBallOfFoot;
  SegmentInertia out;
  out.mass = mass * row.mass;
  out.center = mean / count;
  out.center.x() = rear + row.center * length;
  out.I_center = make_inertia(out.mass, length, row, Vec3d::UnitX(), Vec3d::UnitZ());
  return out;
}

}  // namespace

BodySegments make_body_segments(const Model& model, const Eigen::VectorXd& d, double mass,
                                Sex sex) {
  const Geometry geometry = calc_geometry(model, d);
  const int n = static_cast<int>(model.segments.size());
  BodySegments body;
  body.inertia.resize(n);
  double legs = 0, legs_of_source = 0;
  for (int s = 0; s < n; ++s) {
    body.parts.push_back(find_part(model.segments[s]));
    body.sides.push_back(find_side(model, s));
    const Ends ends = find_ends(model, geometry, s);
    const BodyPart part = body.parts.back();
    if (part == BodyPart::kThigh || part == BodyPart::kShank) {
      const bool thigh = part == BodyPart::kThigh;
      body.inertia[s] =
          make_limb(model.segments[s], ends, mass, choose(thigh ? kThigh : kShank, sex));
      legs += (ends.distal - ends.proximal).norm();
      legs_of_source +=
          thigh ? mix(kFemale.thigh, kMale.thigh, sex) : mix(kFemale.shank, kMale.shank, sex);
    } else if (part == BodyPart::kFoot) {
      if (body.sides.back() == Side::kNone) {
        throw InputError(
            fmt::format("segment '{}': which side's foot? Call it foot_l or foot_r, "
                        "or give its joint a `side`",
                        model.segments[s].name));
      }
      body.inertia[s] = make_foot(model, geometry, s, d, mass, choose(kFoot, sex));
    }
  }
  for (int s = 0; s < n; ++s) {
    if (body.parts[s] != BodyPart::kPelvis) continue;
    const PartRow row = choose(kPelvis, sex);
    const Ends ends = find_ends(model, geometry, s);
    const double size = legs_of_source > 0 ? legs / legs_of_source : 1;
    const double length = size * mix(kFemale.pelvis, kMale.pelvis, sex);
    SegmentInertia& pelvis = body.inertia[s];
    pelvis.mass = mass * row.mass;
    pelvis.center = ends.distal + (1 - row.center) * length * Vec3d::UnitY();
    pelvis.I_center = make_inertia(pelvis.mass, length, row, Vec3d::UnitY(), Vec3d::UnitZ());
  }
  body.rest = mass;
  for (const SegmentInertia& inertia : body.inertia) body.rest -= inertia.mass;
  return body;
}

}  // namespace vesica::markers
