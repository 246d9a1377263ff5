// A kinematic model with markers: what is known, what is to be found.
//
// Segments are rigid and carry full Cartesian coordinates: position p_WS and Euler parameters q_WS
// (Andersen et al. 2009; Nikravesh 1988), 7 a segment and frame. Joints and |q_WS| = 1 are hard
// constraints Phi(q, d) = 0, markers are soft equations Psi(q, d) = 0, relations among the
// constants are T(d) = 0. The constants d are numbers anywhere in the geometry: segment scales or
// lengths, coordinates of joint centres and markers, angles of joint axes.
//
// A model is immutable once `finish()` has returned; everything that changes lives elsewhere.
// SI units, radians.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "vesica/markers/joint_meaning.h"
#include "vesica/math/pose.h"
#include "vesica/multibody/joint_table.h"

namespace vesica::markers {

constexpr int kGround = -1;

// constant + factor * d[parameter]; with parameter < 0 just the constant.
struct Affine {
  double constant = 0;
  int parameter = -1;
  double factor = 1;

  double value(const Eigen::VectorXd& d) const {
    return parameter < 0 ? constant : constant + factor * d[parameter];
  }
};

// A point fixed in a segment: u_k = s_k(d) x_k(d), where s is the segment's scale if `scaled`.
struct Point {
  std::array<Affine, 3> coordinate;
  std::array<bool, 3> scaled{true, true, true};
};

// A direction fixed in a segment: base * R_i(angle_0) R_j(angle_1) e_k with {i, j, k} = sequence, a
// Cardan sequence whose last rotation, about the axis itself, is kept. Two angles are all that an
// axis has; both may be constants.
struct Axis {
  Mat3d base = Mat3d::Identity();
  std::array<int, 3> sequence{0, 1, 2};
  std::array<Affine, 2> angle;
};

// What a segment is of a body, for its mass (body_segments.h).
enum class BodyPart { kNone, kPelvis, kThigh, kShank, kFoot };

struct Segment {
  std::string name;
  std::array<Affine, 3> scale{Affine{1}, Affine{1}, Affine{1}};
  double base_length = 0;  // m, where the scale is given as a length
  // The frame is the markers' own: their positions come from the recording (technical.h).
  bool technical = false;
  // Frame and markers come from a standing trial (standing.h): two directions between points, of
  // the axes 0, 1, 2 for X, Y, Z, and the point at the origin.
  struct Direction {
    int axis = 0;
    std::string from = {}, to = {};
  };
  bool standing = false, calibrated = false;
  std::array<Direction, 2> standing_axes = {};
  std::string standing_origin = {};
  std::optional<BodyPart> body = std::nullopt;  // where the name does not tell
};

// A point of the standing trial: the mean of markers and of other points; or a hip centre from the
// left and right ASIS and PSIS.
struct StandingPoint {
  std::string name;
  std::vector<std::string> markers = {};
  Side hip = Side::kNone;
};

// The joints of the table that marker models can hold, with their constraints; `free` says that a
// segment has no joint to its parent.
//   spherical   3 rows: the centres coincide
//   revolute    5: centres coincide, axes parallel
//   universal   4: centres coincide, axes perpendicular
//   weld        6
inline constexpr JointType kMarkerJoints[] = {JointType::kSpherical, JointType::kRevolute,
                                              JointType::kUniversal, JointType::kWeld,
                                              JointType::kFree};
constexpr int calc_constraint_count(JointType type) { return 6 - speed_count(type); }

// Centres and axes are given in the segment they belong to. A revolute joint's zero angle is where
// the perpendiculars that the two axes' frames define coincide. A weld keeps both segments' axes
// aligned through `parent_axis.base` and `child_axis.base`.
// For a hinge with offset the child's centre carries the offset.
struct Joint {
  // What a file calls an angle: its name and the axis that it turns about, in the parent's axis
  // frame.
  struct NamedAngle {
    std::string name;
    Vec3d axis = Vec3d::UnitZ();
  };

  std::string name;
  JointType type = JointType::kSpherical;
  int parent = kGround, child = 0;
  Point parent_center, child_center;
  Axis parent_axis, child_axis;
  // Where the file says so; finish() reads them from names otherwise (joint_meaning.h).
  std::optional<JointMeaning> meaning = std::nullopt;
  std::optional<Side> side = std::nullopt;
  std::vector<NamedAngle> named_angles = {};  // of OpenSim models
  std::string center = {};                    // a point of the standing trial
};

struct Marker {
  std::string name;
  int segment = 0;
  Point position;
  double weight = 1;
  std::string label;  // in the recording, where it differs from the name
};

enum class Unit { kMeter, kRadian, kRatio };
const char* name_of(Unit unit);

struct Parameter {
  std::string name;
  Unit unit = Unit::kMeter;
  double start = 0;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double prior_mean = 0;
  double prior_sd = std::numeric_limits<double>::infinity();  // infinite: no prior
};

// sum_k coefficient_k d[parameter_k] = value: one row of T(d) = 0. Symmetry and fixed sums are
// linear; nothing non-linear is offered.
struct ParameterRelation {
  std::string name;
  std::vector<std::pair<int, double>> terms;
  double value = 0;
};

enum class LossType { kSquares, kHuber, kTukey };

// G = 1/2 sum w rho(|Psi|^2): squares rho(s) = s; Huber linear beyond |Psi| = width; Tukey constant
// beyond it. Huber's second derivative jumps at the width, Tukey's is continuous.
struct Loss {
  LossType type = LossType::kSquares;
  double width = 0.01;                // m
  bool width_from_recording = false;  // run_identification() chooses it (letting_go.h)
};

struct Model {
  std::string name;
  std::vector<Segment> segments;
  std::vector<Joint> joints;
  std::vector<Marker> markers;
  std::vector<StandingPoint> points;
  std::vector<Parameter> parameters;
  std::vector<ParameterRelation> relations;
  Loss loss;
  double marker_sd = 0.005;  // m, what a prior's standard deviation is weighed against

  // Filled by finish().
  std::vector<int> order;       // segments, parents before children
  std::vector<int> tree_joint;  // of a segment: the joint to its parent, or -1
  std::vector<int> loop_joints;

  // Checks the model and sorts it into a spanning tree and loops. Throws InputError.
  void finish();

  int find_segment(const std::string& segment_name) const;      // -1: none
  int find_marker(const std::string& marker_name) const;        // -1: none
  int find_parameter(const std::string& parameter_name) const;  // -1: none
  int find_joint(const std::string& joint_name) const;          // -1: none
  int add_parameter(Parameter parameter);                       // its index

  int coordinate_count() const { return 7 * static_cast<int>(segments.size()); }
  int constraint_count() const;  // a frame, Euler parameters included
  int parameter_count() const { return static_cast<int>(parameters.size()); }
  bool has_loops() const { return !loop_joints.empty(); }
  Eigen::VectorXd start_values() const;
};

// A body-fixed vector at given d, with its derivatives by the parameters it depends on. It depends
// on d alone, so that it is computed once for all frames.
struct LocalVector {
  static constexpr int kMax = 6;
  Vec3d value = Vec3d::Zero();
  int count = 0;
  std::array<int, kMax> parameter{};
  std::array<Vec3d, kMax> first;
  int second_count = 0;
  struct Second {
    int a = 0, b = 0;  // positions in `parameter`, a <= b
    Vec3d value;
  };
  std::array<Second, kMax> second;
};
LocalVector calc_point(const Segment* segment, const Point& point, const Eigen::VectorXd& d);
// Column `column` of the axis frame; column sequence[2] is the axis itself.
LocalVector calc_axis_column(const Axis& axis, int column, const Eigen::VectorXd& d);
// The rotation whose column sequence[2] is the axis.
Mat3d calc_axis_frame(const Axis& axis, const Eigen::VectorXd& d);
LocalVector make_constant(const Vec3d& value);

// Constraint (R_P on_parent) . (R_C on_child) = 0.
struct DotRow {
  LocalVector on_parent, on_child;
};
struct JointGeometry {
  LocalVector parent_center, child_center;
  std::vector<DotRow> rows;  // up to 3
  Mat3d R_PC_weld = Mat3d::Identity();
};
// The whole geometry of a model at given d.
struct Geometry {
  std::vector<LocalVector> markers;
  std::vector<JointGeometry> joints;
};
Geometry calc_geometry(const Model& model, const Eigen::VectorXd& d);

namespace detail {
// The turn by `angle` about a coordinate axis, 0 to 2.
Mat3d rotation_about(int axis, double angle);
}  // namespace detail

}  // namespace vesica::markers
