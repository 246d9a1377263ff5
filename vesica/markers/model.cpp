#include "vesica/markers/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vesica/error.h"

namespace vesica::markers {
namespace {

template <class T>
int find_by_name(const std::vector<T>& list, const std::string& name) {
  for (size_t k = 0; k < list.size(); ++k) {
    if (list[k].name == name) return static_cast<int>(k);
  }
  return -1;
}

template <class T>
void check_names(const std::vector<T>& list, const char* what) {
  std::set<std::string> seen;
  for (const T& item : list) {
    if (item.name.empty()) throw InputError(fmt::format("a {} has no name", what));
    if (!seen.insert(item.name).second) {
      throw InputError(fmt::format("{} '{}' is defined twice; names must differ", what, item.name));
    }
  }
}

using detail::rotation_about;

// d/dangle of rotation_about, and its second derivative with order = 2.
Mat3d rotation_derivative(int axis, double angle, int order) {
  const Mat3d S = skew<double>(Vec3d::Unit(axis));
  return order == 1 ? Mat3d(S * rotation_about(axis, angle))
                    : Mat3d(S * S * rotation_about(axis, angle));
}

// Position of a parameter in the vector's list, added where missing.
int slot_of(LocalVector& u, int parameter) {
  for (int k = 0; k < u.count; ++k) {
    if (u.parameter[k] == parameter) return k;
  }
  u.parameter[u.count] = parameter;
  u.first[u.count].setZero();
  return u.count++;
}
void add_second(LocalVector& u, int a, int b, const Vec3d& value) {
  u.second[u.second_count++] = {std::min(a, b), std::max(a, b), value};
}

}  // namespace

Mat3d detail::rotation_about(int axis, double angle) {
  return Eigen::AngleAxisd(angle, Vec3d::Unit(axis)).toRotationMatrix();
}

const char* name_of(Unit unit) {
  switch (unit) {
    case Unit::kMeter:
      return "m";
    case Unit::kRadian:
      return "rad";
    case Unit::kRatio:
      return "1";
  }
  return "";
}

int Model::find_segment(const std::string& n) const { return find_by_name(segments, n); }
int Model::find_marker(const std::string& n) const { return find_by_name(markers, n); }
int Model::find_parameter(const std::string& n) const { return find_by_name(parameters, n); }
int Model::find_joint(const std::string& n) const { return find_by_name(joints, n); }

int Model::add_parameter(Parameter parameter) {
  parameters.push_back(std::move(parameter));
  return parameter_count() - 1;
}

int Model::constraint_count() const {
  int count = static_cast<int>(segments.size());
  for (const Joint& joint : joints) count += calc_constraint_count(joint.type);
  return count;
}

Eigen::VectorXd Model::start_values() const {
  Eigen::VectorXd d(parameter_count());
  for (int k = 0; k < d.size(); ++k) d[k] = parameters[k].start;
  return d;
}

void Model::finish() {
  const int n = static_cast<int>(segments.size());
  if (n == 0) throw InputError("the model has no segments; give at least one");
  check_names(segments, "segment");
  check_names(joints, "joint");
  check_names(markers, "marker");
  check_names(parameters, "parameter");
  for (const Marker& marker : markers) {
    if (marker.segment < 0 || marker.segment >= n) {
      throw InputError(fmt::format("marker '{}' is on no segment of the model", marker.name));
    }
    if (!(marker.weight >= 0) || !std::isfinite(marker.weight)) {
      throw InputError(fmt::format("marker '{}': weight {} must be a number of at least 0",
                                   marker.name, marker.weight));
    }
  }
  for (const Parameter& p : parameters) {
    if (!std::isfinite(p.start) || !(p.lower <= p.start && p.start <= p.upper)) {
      throw InputError(fmt::format("parameter '{}': start {} is not within its bounds [{}, {}]",
                                   p.name, p.start, p.lower, p.upper));
    }
    if (!(p.prior_sd > 0)) {
      throw InputError(
          fmt::format("parameter '{}': the prior's standard deviation {} must be "
                      "positive",
                      p.name, p.prior_sd));
    }
  }
  for (const ParameterRelation& relation : relations) {
    for (const auto& [k, coefficient] : relation.terms) {
      if (k < 0 || k >= parameter_count()) {
        throw InputError(
            fmt::format("relation '{}' names a parameter that does not exist", relation.name));
      }
      if (!std::isfinite(coefficient)) {
        throw InputError(
            fmt::format("relation '{}' has a coefficient that is no number", relation.name));
      }
    }
  }
  for (const Joint& joint : joints) {
    if (joint.child < 0 || joint.child >= n || joint.parent < kGround || joint.parent >= n ||
        joint.child == joint.parent) {
      throw InputError(
          fmt::format("joint '{}' must join two different segments (or the ground and "
                      "a segment)",
                      joint.name));
    }
    if (std::find(std::begin(kMarkerJoints), std::end(kMarkerJoints), joint.type) ==
        std::end(kMarkerJoints)) {
      throw InputError(fmt::format("joint '{}': marker models have no {} joints", joint.name,
                                   row_of(joint.type).name));
    }
    const auto moves = [](const Axis& a) {
      return a.angle[0].parameter >= 0 || a.angle[1].parameter >= 0;
    };
    if (joint.type == JointType::kWeld && (moves(joint.parent_axis) || moves(joint.child_axis))) {
      throw InputError(fmt::format("joint '{}': a weld has no axis to find", joint.name));
    }
  }

  // Spanning tree: a segment's first joint in which it is the child, as long as that makes no
  // cycle; every other joint closes a loop.
  tree_joint.assign(n, -1);
  loop_joints.clear();
  const auto root_of = [&](int s) {
    while (s != kGround && tree_joint[s] >= 0) s = joints[tree_joint[s]].parent;
    return s;
  };
  for (size_t k = 0; k < joints.size(); ++k) {
    const Joint& joint = joints[k];
    if (joint.type == JointType::kFree) continue;
    if (tree_joint[joint.child] < 0 && root_of(joint.parent) != joint.child) {
      tree_joint[joint.child] = static_cast<int>(k);
    } else {
      loop_joints.push_back(static_cast<int>(k));
    }
  }
  order.clear();
  std::vector<char> placed(n, 0);
  while (static_cast<int>(order.size()) < n) {
    for (int s = 0; s < n; ++s) {
      if (placed[s]) continue;
      const int parent = tree_joint[s] < 0 ? kGround : joints[tree_joint[s]].parent;
      if (parent == kGround || placed[parent]) {
        placed[s] = 1;
        order.push_back(s);
      }
    }
  }
}

LocalVector make_constant(const Vec3d& value) {
  LocalVector u;
  u.value = value;
  return u;
}

LocalVector calc_point(const Segment* segment, const Point& point, const Eigen::VectorXd& d) {
  LocalVector u;
  for (int k = 0; k < 3; ++k) {
    const Affine& x = point.coordinate[k];
    const Affine s = segment && point.scaled[k] ? segment->scale[k] : Affine{1};
    u.value[k] = s.value(d) * x.value(d);
    int slot_s = -1, slot_x = -1;
    if (s.parameter >= 0) {
      slot_s = slot_of(u, s.parameter);
      u.first[slot_s][k] += s.factor * x.value(d);
    }
    if (x.parameter >= 0) {
      slot_x = slot_of(u, x.parameter);
      u.first[slot_x][k] += x.factor * s.value(d);
    }
    if (slot_s >= 0 && slot_x >= 0) {
      const double both = s.factor * x.factor * (slot_s == slot_x ? 2 : 1);
      add_second(u, slot_s, slot_x, both * Vec3d::Unit(k));
    }
  }
  return u;
}

Mat3d calc_axis_frame(const Axis& axis, const Eigen::VectorXd& d) {
  return axis.base * rotation_about(axis.sequence[0], axis.angle[0].value(d)) *
         rotation_about(axis.sequence[1], axis.angle[1].value(d));
}

LocalVector calc_axis_column(const Axis& axis, int column, const Eigen::VectorXd& d) {
  const int i = axis.sequence[0], j = axis.sequence[1];
  const double a = axis.angle[0].value(d), b = axis.angle[1].value(d);
  const Vec3d e = Vec3d::Unit(column);
  const Mat3d Ra = rotation_about(i, a), Rb = rotation_about(j, b);
  LocalVector u;
  u.value = axis.base * Ra * Rb * e;
  const int p = axis.angle[0].parameter, q = axis.angle[1].parameter;
  const double fp = axis.angle[0].factor, fq = axis.angle[1].factor;
  const int slot_p = p >= 0 ? slot_of(u, p) : -1, slot_q = q >= 0 ? slot_of(u, q) : -1;
  const Vec3d da = axis.base * rotation_derivative(i, a, 1) * Rb * e;
  const Vec3d db = axis.base * Ra * rotation_derivative(j, b, 1) * e;
  if (slot_p >= 0) {
    u.first[slot_p] += fp * da;
    add_second(u, slot_p, slot_p, fp * fp * (axis.base * rotation_derivative(i, a, 2) * Rb * e));
  }
  if (slot_q >= 0) {
    u.first[slot_q] += fq * db;
    add_second(u, slot_q, slot_q, fq * fq * (axis.base * Ra * rotation_derivative(j, b, 2) * e));
  }
  if (slot_p >= 0 && slot_q >= 0) {
    const double both = fp * fq * (slot_p == slot_q ? 2 : 1);
    add_second(
        u, slot_p, slot_q,
        both * (axis.base * rotation_derivative(i, a, 1) * rotation_derivative(j, b, 1) * e));
  }
  return u;
}

Geometry calc_geometry(const Model& model, const Eigen::VectorXd& d) {
  Geometry geometry;
  geometry.markers.reserve(model.markers.size());
  for (const Marker& marker : model.markers) {
    geometry.markers.push_back(calc_point(&model.segments[marker.segment], marker.position, d));
  }
  geometry.joints.reserve(model.joints.size());
  for (const Joint& joint : model.joints) {
    JointGeometry g;
    const Segment* parent = joint.parent == kGround ? nullptr : &model.segments[joint.parent];
    g.parent_center = calc_point(parent, joint.parent_center, d);
    g.child_center = calc_point(&model.segments[joint.child], joint.child_center, d);
    if (joint.type == JointType::kRevolute) {
      const LocalVector along =
          calc_axis_column(joint.parent_axis, joint.parent_axis.sequence[2], d);
      for (int k = 0; k < 2; ++k) {
        g.rows.push_back(
            {along, calc_axis_column(joint.child_axis, joint.child_axis.sequence[k], d)});
      }
    } else if (joint.type == JointType::kUniversal) {
      g.rows.push_back({calc_axis_column(joint.parent_axis, joint.parent_axis.sequence[2], d),
                        calc_axis_column(joint.child_axis, joint.child_axis.sequence[2], d)});
    } else if (joint.type == JointType::kWeld) {
      const Mat3d P = calc_axis_frame(joint.parent_axis, d);
      const Mat3d C = calc_axis_frame(joint.child_axis, d);
      g.R_PC_weld = P * C.transpose();
      for (int k = 0; k < 3; ++k) {
        g.rows.push_back({make_constant(P.col(k)), make_constant(C.col((k + 1) % 3))});
      }
    }
    geometry.joints.push_back(std::move(g));
  }
  return geometry;
}

}  // namespace vesica::markers
