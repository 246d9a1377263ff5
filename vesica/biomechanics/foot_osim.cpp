#include "vesica/biomechanics/foot_osim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/biomechanics/foot_scene.h"
#include "vesica/error.h"
#include "vesica/io/markup.h"
#include "vesica/math/bounded_least_squares.h"

namespace vesica {
namespace {

// OpenSim's own defaults: constant_contact_force, hertz_smoothing, hunt_crossley_smoothing.
constexpr double kConstant = 1e-5, kHertzSmoothing = 300, kHuntCrossleySmoothing = 50;
constexpr double kCopScale = 0.2, kCopThreshold = 50;

double calc_smooth_force(double stiffness, double dissipation, double radius, double depth,
                         double closing) {
  const double k = 0.5 * std::cbrt(stiffness * stiffness);
  const double hertz = 4.0 / 3 * k * std::sqrt(radius * k) *
                       std::pow(depth * depth + kConstant, 0.75) * 0.5 *
                       (1 + std::tanh(kHertzSmoothing * depth));
  return hertz * (1 + 1.5 * dissipation * closing) * 0.5 *
         (1 + std::tanh(kHuntCrossleySmoothing * (closing + 2 / (3 * dissipation))));
}

Vec3d along_axis(const FootEllipsoid& e, const Mat3d& R, int axis) {
  return R.col(axis) * e.radii[axis];
}

// In a row along the longest axis of the ellipsoid that lies near the ground, with the height of
// its lowest points.
void add_start(const FootEllipsoid& e, int count, std::vector<OsimSphere>* spheres) {
  const Mat3d R = as_rotation_123(e.angles);
  int longest = 0, upright = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(R(2, k)) > std::abs(R(2, upright))) upright = k;
  }
  longest = upright == 0 ? 1 : 0;
  for (int k = 0; k < 3; ++k) {
    if (k != upright && e.radii[k] > e.radii[longest]) longest = k;
  }
  for (int k = 0; k < count; ++k) {
    const double part = count == 1 ? 0 : 1.2 * (static_cast<double>(k) / (count - 1) - 0.5);
    OsimSphere sphere;
    sphere.name = count == 1 ? e.name : fmt::format("{}_{}", e.name, k + 1);
    sphere.segment = e.segment;
    sphere.radius = std::clamp(e.radii[upright], 0.01, 0.05);
    sphere.position = e.position + part * along_axis(e, R, longest);
    spheres->push_back(sphere);
  }
}

// Numbers of a set: ln stiffness, ln dissipation, then of every sphere its place and ln radius, in
// units of how far they may be expected to move.
constexpr double kLogUnit = 1, kPlaceUnit = 0.01, kRadiusUnit = 0.3;

OsimSpheres make_set(const OsimSpheres& start, const double* x) {
  OsimSpheres set = start;
  set.stiffness *= std::exp(kLogUnit * x[0]);
  set.dissipation *= std::exp(kLogUnit * x[1]);
  for (size_t k = 0; k < set.spheres.size(); ++k) {
    const double* at = x + 2 + 4 * k;
    set.spheres[k].position += kPlaceUnit * Vec3d(at[0], at[1], at[2]);
    set.spheres[k].radius *= std::exp(kRadiusUnit * at[3]);
  }
  return set;
}

struct SphereResiduals {
  const FootModel& foot;
  std::span<const FootFrame> frames;
  std::vector<FootLoad> wanted;
  OsimSpheres start;
  double weight;

  int unknowns() const { return 2 + 4 * static_cast<int>(start.spheres.size()); }
  int rows() const { return 3 * static_cast<int>(frames.size()) + unknowns(); }
  void evaluate(const double* x, double* r) const {
    const OsimSpheres set = make_set(start, x);
    const double scale = 1 / (weight * std::sqrt(static_cast<double>(frames.size())));
    for (size_t f = 0; f < frames.size(); ++f, r += 3) {
      const FootLoad d = calc_sphere_load(set, foot, frames[f]) - wanted[f];
      const Eigen::Vector2d place = frames[f].foot.X_WB.p_WB.head<2>();
      r[0] = scale * d[0];
      for (int k = 0; k < 2; ++k) r[1 + k] = scale / kCopScale * (d[1 + k] - place[k] * d[0]);
    }
    for (int k = 0; k < unknowns(); ++k) r[k] = 1e-3 * x[k];  // holds what nothing else does
  }
};

void set_errors(const SphereResiduals& fit, OsimSpheres* set) {
  double force2 = 0, cop2 = 0, largest = 0;
  int count = 0;
  for (size_t f = 0; f < fit.frames.size(); ++f) {
    const FootLoad load = calc_sphere_load(*set, fit.foot, fit.frames[f]);
    const double d = load[0] - fit.wanted[f][0];
    force2 += d * d;
    largest = std::max(largest, std::abs(d));
    if (load[0] < kCopThreshold || fit.wanted[f][0] < kCopThreshold) continue;
    cop2 += (load.tail<2>() / load[0] - fit.wanted[f].tail<2>() / fit.wanted[f][0]).squaredNorm();
    ++count;
  }
  set->force_error = std::sqrt(force2 / static_cast<double>(fit.frames.size())) / fit.weight;
  set->largest_force_error = largest / fit.weight;
  set->cop_error = count > 0 ? std::sqrt(cop2 / count) / kCopScale : 0;
}

// Our axes (right, forward, up) to OpenSim's (forward, up, right).
Vec3d to_osim(const Vec3d& v) { return {v.y(), v.z(), v.x()}; }
Mat3d to_osim(const Mat3d& R) {
  Mat3d P;
  P << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  return P * R * P.transpose();
}
std::string text_of(const Vec3d& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

std::string write_body(const FootModel& foot, int segment, const std::string& name, double mass) {
  const Vec3d center = calc_mass_center(foot, segment);
  const double r2 = 0.25 * center.squaredNorm() + 1e-4;  // spread about the mass centre
  return fmt::format(
      "        <Body name=\"{}\">\n          <mass>{}</mass>\n"
      "          <mass_center>{}</mass_center>\n          <inertia>{} {} {} 0 0 0</inertia>\n"
      "        </Body>\n",
      name, mass, text_of(to_osim(center)), mass * r2, mass * r2, mass * r2);
}

std::string write_offset_frame(const std::string& name, const std::string& body,
                               const Pose<double>& X) {
  return fmt::format(
      "            <PhysicalOffsetFrame name=\"{}\">\n"
      "              <socket_parent>/bodyset/{}</socket_parent>\n"
      "              <translation>{}</translation>\n"
      "              <orientation>{}</orientation>\n            </PhysicalOffsetFrame>\n",
      name, body, text_of(to_osim(X.p_WB)), text_of(as_angles_123(to_osim(X.R_WB))));
}

std::string write_joints(const FootModel& foot, const std::vector<std::string>& bodies,
                         const std::string& side) {
  std::string text = fmt::format(
      "        <FreeJoint name=\"ground_{0}\">\n"
      "          <socket_parent_frame>/ground</socket_parent_frame>\n"
      "          <socket_child_frame>/bodyset/{0}</socket_child_frame>\n          <coordinates>\n",
      bodies[0]);
  for (const char* name : {"rx", "ry", "rz", "tx", "ty", "tz"}) {
    text += fmt::format("            <Coordinate name=\"{}_{}\" />\n", bodies[0], name);
  }
  text += "          </coordinates>\n        </FreeJoint>\n";
  for (size_t k = 0; k < foot.joints.size(); ++k) {
    const FootJoint& joint = foot.joints[k];
    const std::string &parent = bodies[static_cast<size_t>(joint.parent)], &child = bodies[k + 1];
    const std::string name = escape_markup(joint.name);
    text += fmt::format(
        "        <PinJoint name=\"{0}_joint_{1}\">\n"
        "          <socket_parent_frame>{2}_{0}_offset</socket_parent_frame>\n"
        "          <socket_child_frame>{3}_{0}_offset</socket_child_frame>\n"
        "          <coordinates>\n            <Coordinate name=\"{0}_angle_{1}\" />\n"
        "          </coordinates>\n          <frames>\n{4}{5}          </frames>\n"
        "        </PinJoint>\n",
        name, side, parent, child,
        write_offset_frame(fmt::format("{}_{}_offset", parent, name), parent, joint.X_PF),
        write_offset_frame(fmt::format("{}_{}_offset", child, name), child, {}));
  }
  return text;
}

std::string write_sphere(const OsimSphere& sphere, const std::string& body,
                         const std::string& name) {
  return fmt::format(
      "        <ContactSphere name=\"{}\">\n          <socket_frame>/bodyset/{}</socket_frame>\n"
      "          <location>{}</location>\n          <orientation>0 0 0</orientation>\n"
      "          <radius>{}</radius>\n        </ContactSphere>\n",
      name, body, text_of(to_osim(sphere.position)), sphere.radius);
}

std::string write_force(const OsimSpheres& set, const std::string& sphere) {
  return fmt::format(
      "        <SmoothSphereHalfSpaceForce name=\"contact_{0}\">\n"
      "          <socket_sphere>/contactgeometryset/{0}</socket_sphere>\n"
      "          <socket_half_space>/contactgeometryset/floor</socket_half_space>\n"
      "          <stiffness>{1}</stiffness>\n          <dissipation>{2}</dissipation>\n"
      "          <static_friction>{3}</static_friction>\n"
      "          <dynamic_friction>{4}</dynamic_friction>\n"
      "          <viscous_friction>{5}</viscous_friction>\n"
      "          <transition_velocity>{6}</transition_velocity>\n"
      "          <constant_contact_force>{7}</constant_contact_force>\n"
      "          <hertz_smoothing>{8}</hertz_smoothing>\n"
      "          <hunt_crossley_smoothing>{9}</hunt_crossley_smoothing>\n"
      "        </SmoothSphereHalfSpaceForce>\n",
      sphere, set.stiffness, set.dissipation, set.static_friction, set.dynamic_friction,
      set.viscous_friction, set.transition_velocity, kConstant, kHertzSmoothing,
      kHuntCrossleySmoothing);
}

std::string write_set(const char* type, const char* name, const std::string& objects) {
  return fmt::format("    <{0} name=\"{1}\">\n      <objects>\n{2}      </objects>\n    </{0}>\n",
                     type, name, objects);
}

}  // namespace

FootLoad calc_sphere_load(const OsimSpheres& set, const FootModel& foot, const FootFrame& frame) {
  FootLoad load = FootLoad::Zero();
  for (const OsimSphere& sphere : set.spheres) {
    const Motion<double> segment = calc_segment_motion(foot, frame, sphere.segment);
    const Vec3d arm = segment.X_WB.R_WB * sphere.position;
    const Vec3d center = segment.X_WB.p_WB + arm;
    const double depth = sphere.radius - center.z();
    // Of the point midway between the two surfaces.
    const Vec3d point(0, 0, -sphere.radius + 0.5 * depth);
    const Vec3d v = segment.V_WB.v_WB + segment.V_WB.w_WB.cross(arm + point);
    const double f =
        calc_smooth_force(set.stiffness, set.dissipation, sphere.radius, depth, -v.z());
    load += f * FootLoad(1, center.x(), center.y());
  }
  return load;
}

OsimSpheres fit_osim_spheres(const FootModel& foot, std::span<const FootFrame> frames,
                             double weight, int per_ellipsoid) {
  check(foot);
  if (frames.empty() || !(weight > 0) || per_ellipsoid < 1) {
    throw InputError("foot: spheres need frames, a weight and at least one for an ellipsoid");
  }
  SphereResiduals fit{foot, frames, {}, {}, weight};
  for (const FootFrame& frame : frames) fit.wanted.push_back(calc_foot_load(foot, frame));
  for (const FootEllipsoid& e : foot.ellipsoids) {
    add_start(e, per_ellipsoid, &fit.start.spheres);
  }
  fit.start.dissipation = std::max(0.1, foot.damping);
  BoundedProblem problem;
  const int n = fit.unknowns();
  problem.residuals = fit.rows();
  problem.start = Eigen::VectorXd::Zero(n);
  problem.lower = Eigen::VectorXd::Constant(n, -4);
  problem.upper = Eigen::VectorXd::Constant(n, 4);
  problem.evaluate = [&](const double* x, double* r, double* jacobian) {
    fit.evaluate(x, r);
    if (jacobian == nullptr) return true;
    Eigen::Map<RowMatrix> J(jacobian, fit.rows(), n);
    Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(x, n), high(fit.rows()), low(fit.rows());
    constexpr double kStep = 1e-5;
    for (int k = 0; k < n; ++k) {
      const double here = at[k];
      at[k] = here + kStep;
      fit.evaluate(at.data(), high.data());
      at[k] = here - kStep;
      fit.evaluate(at.data(), low.data());
      at[k] = here;
      J.col(k) = (high - low) / (2 * kStep);
    }
    return true;
  };
  BoundedOptions options;
  options.cost_tolerance = 1e-7;
  OsimSpheres set = make_set(fit.start, minimise(problem, options).x.data());
  set_errors(fit, &set);
  return set;
}

std::string write_osim(const OsimSpheres& set, const FootModel& foot, const std::string& side,
                       double mass) {
  std::vector<std::string> bodies{"calcn_" + side};
  for (size_t k = 0; k < foot.joints.size(); ++k) {
    bodies.push_back(k == 0 ? "toes_" + side
                            : fmt::format("{}_{}", escape_markup(foot.joints[k].name), side));
  }
  const double moving = foot.joints.empty() ? 0 : 0.1 * mass / double(foot.joints.size());
  std::string body_text = write_body(foot, 0, bodies[0], foot.joints.empty() ? mass : 0.9 * mass);
  for (size_t k = 1; k < bodies.size(); ++k) {
    body_text += write_body(foot, static_cast<int>(k), bodies[k], moving);
  }
  std::string geometry =
      "        <ContactHalfSpace name=\"floor\">\n          <socket_frame>/ground</socket_frame>\n"
      "          <location>0 0 0</location>\n"
      "          <orientation>0 0 -1.5707963267948966</orientation>\n        </ContactHalfSpace>\n";
  std::string forces;
  for (const OsimSphere& sphere : set.spheres) {
    const std::string name = fmt::format("{}_{}", escape_markup(sphere.name), side);
    geometry += write_sphere(sphere, bodies[static_cast<size_t>(sphere.segment)], name);
    forces += write_force(set, name);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<OpenSimDocument Version=\"40500\">\n"
      "  <!-- Spheres nearest to the ellipsoids of a foot. Against these on the calibrated "
      "stances: "
      "force {:.2f} % of body weight (largest {:.2f} %), centre of pressure {:.2f} % of 0.2 m. "
      "Axes: x forward, y up, z to the right; origin at the heel marker. -->\n"
      "  <Model name=\"foot_{}\">\n    <Ground name=\"ground\" />\n"
      "    <gravity>0 -9.80665 0</gravity>\n    <length_units>meters</length_units>\n"
      "    <force_units>N</force_units>\n{}{}{}{}  </Model>\n</OpenSimDocument>\n",
      100 * set.force_error, 100 * set.largest_force_error, 100 * set.cop_error, side,
      write_set("BodySet", "bodyset", body_text),
      write_set("JointSet", "jointset", write_joints(foot, bodies, side)),
      write_set("ContactGeometrySet", "contactgeometryset", geometry),
      write_set("ForceSet", "forceset", forces));
}

}  // namespace vesica
