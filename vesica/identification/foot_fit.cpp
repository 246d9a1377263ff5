#include "vesica/identification/foot_fit.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "vesica/error.h"
#include "vesica/math/bounded_least_squares.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/math/spline.h"

namespace vesica {
namespace {

constexpr double kSoftening = 20;  // N, see the header
constexpr int kPerEllipsoid = FootColumns::kPerEllipsoid;

// Values and slopes of the cardinal splines over the frames of a stance: a curve is basis * knots.
struct Basis {
  Eigen::MatrixXd value, slope;  // frames x knots; slope by time
};

std::vector<double> knot_phases(int knots) {
  std::vector<double> phases;
  for (int k = 0; k < knots; ++k) phases.push_back(double(k) / (knots - 1));
  return phases;
}

Basis make_basis(const FootStance& stance, int knots, bool zero_mean) {
  const auto frames = static_cast<Eigen::Index>(stance.frames.size());
  const double duration = stance.frames.back().time - stance.frames.front().time;
  Basis basis{Eigen::MatrixXd(frames, knots), Eigen::MatrixXd(frames, knots)};
  const std::vector<double> phases = knot_phases(knots);
  for (int k = 0; k < knots; ++k) {
    std::vector<double> unit(static_cast<size_t>(knots), 0.0);
    unit[static_cast<size_t>(k)] = 1;
    const CubicSpline spline(phases, unit);
    for (Eigen::Index f = 0; f < frames; ++f) {
      const double u = stance.phase(static_cast<size_t>(f));
      basis.value(f, k) = spline.value(u);
      basis.slope(f, k) = spline.derivative(u) / duration;
    }
    if (zero_mean) basis.value.col(k).array() -= basis.value.col(k).mean();
  }
  return basis;
}

// A motion turned by exp(phi) about the foot's origin and shifted by d, and what its derivatives
// are made of. The rate of exp(phi) is taken to third order in phi: 1e-6 of it at 0.05 rad.
struct Corrected {
  Motion<double> motion;
  Mat3d turn_by_phi;  // rotation vector of the motion by phi: the left Jacobian
  Mat3d spin_by_phi, spin_by_rate;

  Corrected(const Motion<double>& m, const Vec3d& d, const Vec3d& d_rate, const Vec3d& phi,
            const Vec3d& rate) {
    const Mat3d R = as_rotation(quaternion_from_rotation_vector(phi));
    const Mat3d K = skew(phi), K2 = K * K;
    motion.X_WB = {R * m.X_WB.R_WB, m.X_WB.p_WB + d};
    spin_by_rate = Mat3d::Identity() + K / 2 + K2 / 6;
    const Vec3d turned = R * m.V_WB.w_WB;
    motion.V_WB = {turned + spin_by_rate * rate, m.V_WB.v_WB + d_rate};
    const double angle2 = phi.squaredNorm(), angle = std::sqrt(angle2);
    const double a = angle > 1e-4 ? (1 - std::cos(angle)) / angle2 : 0.5 - angle2 / 24;
    const double b =
        angle > 1e-4 ? (angle - std::sin(angle)) / (angle2 * angle) : 1.0 / 6 - angle2 / 120;
    turn_by_phi = Mat3d::Identity() + a * K + b * K2;
    const Vec3d once = phi.cross(rate);
    spin_by_phi = -skew(turned) * turn_by_phi - skew(rate) / 2 - (skew(once) + K * skew(rate)) / 6;
  }
};

// Where a parameter stands in the vector x of the fit; x is 0 at the start for contact parameters
// and in units of a spread or limit everywhere.
class Layout {
 public:
  Layout(const FootModel& start, const std::vector<FootStance>& stances,
         const FootFitSettings& settings)
      : start_(start), settings_(settings), joints_(static_cast<int>(start.joints.size())) {
    contact_ = settings.contact ? 2 + kPerEllipsoid * static_cast<int>(start.ellipsoids.size()) : 0;
    const bool splines = settings.toe != FootFitSettings::Toe::kMeasured;
    const bool shared = settings.toe == FootFitSettings::Toe::kShared;
    toe_ = splines ? joints_ * settings.knots : 0;
    correction_ = settings.corrections ? 6 * settings.knots : 0;
    own_ = (shared ? 0 : toe_) + correction_;
    first_own_ = contact_ + (shared ? toe_ : 0);
    size_ = first_own_ + own_ * static_cast<int>(stances.size());
  }
  int size() const { return size_; }
  int contact() const { return contact_; }
  int toe_of(size_t stance) const {  // -1: measured
    if (toe_ == 0) return -1;
    return first_own_ == contact_ ? contact_ + own_ * static_cast<int>(stance) : contact_;
  }
  int correction_of(size_t stance) const {  // -1: none
    if (correction_ == 0) return -1;
    return first_own_ + own_ * static_cast<int>(stance) + own_ - correction_;
  }
  int joints() const { return joints_; }

  FootModel make_foot(const double* x) const {
    FootModel foot = start_;
    if (contact_ == 0) return foot;
    const FootPriors& s = settings_.priors;
    foot.stiffness *= std::exp(s.log_stiffness * x[0]);
    foot.damping *= std::exp(s.log_damping * x[1]);
    for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
      const Eigen::Map<const Eigen::Matrix<double, 9, 1>> own(x + 2 + kPerEllipsoid * e);
      FootEllipsoid& one = foot.ellipsoids[e];
      one.radii += s.radii.cwiseProduct(own.head<3>());
      one.position += s.position.cwiseProduct(own.segment<3>(3));
      one.angles += s.angles.cwiseProduct(own.tail<3>());
    }
    return foot;
  }
  // Of the nine numbers of an ellipsoid.
  Eigen::Matrix<double, 9, 1> spreads() const {
    Eigen::Matrix<double, 9, 1> s;
    s << settings_.priors.radii, settings_.priors.position, settings_.priors.angles;
    return s;
  }
  double correction_unit(int channel) const {
    return channel < 3 ? settings_.shift_limit : settings_.turn_limit;
  }
  FootCurves make_curves(const double* x, size_t stance) const {
    FootCurves curves;
    const int knots = settings_.knots;
    if (const int first = toe_of(stance); first >= 0) {
      for (int j = 0; j < joints_; ++j) {
        const double* begin = x + first + j * knots;
        std::vector<double> angles(begin, begin + knots);
        for (double& a : angles) a *= settings_.priors.toe_angle;
        curves.toe.push_back(std::move(angles));
      }
    }
    if (const int first = correction_of(stance); first >= 0) {
      for (int c = 0; c < 6; ++c) {
        const double* begin = x + first + c * knots;
        std::vector<double> values(begin, begin + knots);
        for (double& v : values) v *= correction_unit(c);
        curves.correction.push_back(std::move(values));
      }
    }
    return curves;
  }

  void set_bounds(Eigen::VectorXd* lower, Eigen::VectorXd* upper) const {
    *lower = Eigen::VectorXd::Constant(size_, -kInfinity);
    *upper = Eigen::VectorXd::Constant(size_, kInfinity);
    if (contact_ > 0) {
      lower->head(contact_).setConstant(-4);  // four spreads, and sizes that stay sizes
      upper->head(contact_).setConstant(4);
      for (size_t e = 0; e < start_.ellipsoids.size(); ++e) {
        for (int k = 0; k < 3; ++k) {
          double& low = (*lower)[2 + kPerEllipsoid * static_cast<int>(e) + k];
          const double smallest = 0.3 * start_.ellipsoids[e].radii[k];
          low =
              std::max(low, (smallest - start_.ellipsoids[e].radii[k]) / settings_.priors.radii[k]);
        }
      }
    }
    if (correction_ == 0) return;
    for (int first = first_own_ + own_ - correction_; first < size_; first += own_) {
      lower->segment(first, correction_).setConstant(-1);
      upper->segment(first, correction_).setConstant(1);
      lower->segment(first + 5 * settings_.knots, settings_.knots)
          .setConstant(-settings_.turn_limit_z / settings_.turn_limit);
    }
  }

 private:
  const FootModel& start_;
  const FootFitSettings& settings_;
  int joints_ = 0, contact_ = 0, toe_ = 0, correction_ = 0, own_ = 0, first_own_ = 0, size_ = 0;
};

struct StanceBasis {
  Basis toe, correction;
};

Vec3d curve_value(const Eigen::MatrixXd& basis, Eigen::Index frame,
                  const std::vector<std::vector<double>>& knots, size_t first) {
  Vec3d v;
  for (size_t c = 0; c < 3; ++c) {
    const Eigen::Map<const Eigen::VectorXd> k(knots[first + c].data(),
                                              static_cast<Eigen::Index>(knots[first + c].size()));
    v[static_cast<Eigen::Index>(c)] = basis.row(frame).dot(k);
  }
  return v;
}

// The frame with the curves, and the correction that was made.
std::pair<FootFrame, Corrected> correct_frame(const FootStance& stance, Eigen::Index f,
                                              const FootCurves& curves, const StanceBasis& basis) {
  FootFrame frame = stance.frames[static_cast<size_t>(f)];
  for (size_t j = 0; j < curves.toe.size(); ++j) {
    const Eigen::Map<const Eigen::VectorXd> knots(curves.toe[j].data(),
                                                  static_cast<Eigen::Index>(curves.toe[j].size()));
    frame.angles[j] = basis.toe.value.row(f).dot(knots);
    frame.rates[j] = basis.toe.slope.row(f).dot(knots);
  }
  const Vec3d none = Vec3d::Zero();
  const auto& c = curves.correction;
  const bool moves = !c.empty();
  const auto& b = basis.correction;
  const Corrected corrected(frame.foot, moves ? curve_value(b.value, f, c, 0) : none,
                            moves ? curve_value(b.slope, f, c, 0) : none,
                            moves ? curve_value(b.value, f, c, 3) : none,
                            moves ? curve_value(b.slope, f, c, 3) : none);
  frame.foot = corrected.motion;
  return {std::move(frame), corrected};
}

StanceBasis make_stance_basis(const FootStance& stance, const FootCurves& curves) {
  StanceBasis basis;
  if (!curves.toe.empty()) {
    basis.toe = make_basis(stance, static_cast<int>(curves.toe.front().size()), false);
  }
  if (!curves.correction.empty()) {
    basis.correction = make_basis(stance, static_cast<int>(curves.correction.front().size()), true);
  }
  return basis;
}

void check_stance(const FootModel& foot, const FootStance& s, int knots) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("stance {}: {}", s.name, what));
  };
  if (s.frames.size() < static_cast<size_t>(2 * knots)) {
    fail(fmt::format("{} frames are too few for splines with {} knots", s.frames.size(), knots));
  }
  if (s.force.size() != s.frames.size() || s.cop.size() != s.frames.size()) {
    fail("a force and a centre of pressure for every frame are needed");
  }
  if (!(s.weight > 0)) fail("the body's weight must be positive");
  for (size_t k = 0; k < s.frames.size(); ++k) {
    const FootFrame& f = s.frames[k];
    if (!std::isfinite(s.force[k])) fail(fmt::format("its force is missing at {:.3f} s", f.time));
    if (!f.foot.X_WB.R_WB.allFinite() || !f.foot.X_WB.p_WB.allFinite()) {
      fail(fmt::format("the foot's pose is missing at {:.3f} s", f.time));
    }
    if (f.angles.size() != foot.joints.size() || f.rates.size() != foot.joints.size()) {
      fail("an angle and a rate for every joint are needed");
    }
    if (k > 0 && !(f.time > s.frames[k - 1].time)) fail("times must increase");
  }
}

// The three residuals of a frame (normal force, centre of pressure), and their derivatives by the
// load (N, N x, N y).
Mat3d calc_residuals(const FootStance& stance, size_t f, const FootLoad& load,
                     const FootFitSettings& settings, double frames, double* r) {
  const double w_force = std::sqrt(settings.force_weight / frames) / stance.weight;
  Mat3d by_load = Mat3d::Zero();
  r[0] = w_force * (load[0] - stance.force[f]);
  r[1] = r[2] = 0;
  by_load(0, 0) = w_force;
  if (!(stance.force[f] > settings.cop_threshold) || !stance.cop[f].allFinite()) return by_load;
  const double w_cop = std::sqrt(settings.cop_weight / frames) / settings.cop_scale;
  const double inverse = 1 / (load[0] + kSoftening);
  for (int k = 0; k < 2; ++k) {
    const double difference = (load[1 + k] - load[0] * stance.cop[f][k]) * inverse;
    r[1 + k] = w_cop * difference;
    by_load(1 + k, 0) = -w_cop * (stance.cop[f][k] + difference) * inverse;
    by_load(1 + k, 1 + k) = w_cop * inverse;
  }
  return by_load;
}

// How many samples count as one: 1 + 2 sum of the autocorrelations up to the first that is not
// positive.
double calc_correlated_length(const Eigen::VectorXd& r) {
  const Eigen::Index n = r.size();
  const double all = r.squaredNorm();
  double length = 1;
  for (Eigen::Index lag = 1; lag < n / 2; ++lag) {
    const double rho = r.head(n - lag).dot(r.tail(n - lag)) / all;
    if (!(rho > 0)) break;
    length += 2 * rho;
  }
  return length;
}

// Residuals of a set of stances, and their Jacobian by x.
class FootResiduals {
 public:
  FootResiduals(const FootModel& start, const std::vector<FootStance>& stances,
                const FootFitSettings& settings)
      : stances_(stances), settings_(settings), layout_(start, stances, settings), columns_(start) {
    size_t frames = 0;
    for (const FootStance& s : stances) {
      basis_.push_back({make_basis(s, settings.knots, false), make_basis(s, settings.knots, true)});
      frames += s.frames.size();
    }
    frames_ = static_cast<double>(frames);
    rows_ = static_cast<int>(3 * frames) + layout_.size();
  }
  const Layout& layout() const { return layout_; }
  int rows() const { return rows_; }

  // See FootFit::narrowing.
  std::vector<double> calc_narrowing(const Eigen::VectorXd& x) {
    const int n = layout_.size();
    Eigen::VectorXd r(rows_);
    RowMatrix J(rows_, n);
    evaluate(x.data(), r.data(), J.data());
    Eigen::MatrixXd information = Eigen::MatrixXd::Identity(n, n);
    const int frames = (rows_ - n) / 3;
    for (int channel = 0; channel < 3; ++channel) {
      Eigen::VectorXd one(frames);
      Eigen::MatrixXd columns(frames, n);
      for (int f = 0; f < frames; ++f) {
        one[f] = r[3 * f + channel];
        columns.row(f) = J.row(3 * f + channel);
      }
      const double variance = one.squaredNorm() / frames;
      if (!(variance > 0)) continue;
      information +=
          multiply_transposed(columns, columns) / (variance * calc_correlated_length(one));
    }
    const Eigen::MatrixXd covariance = invert_symmetric(information);
    std::vector<double> out;
    for (int k = 0; k < layout_.contact(); ++k) out.push_back(std::sqrt(covariance(k, k)));
    return out;
  }

  bool evaluate(const double* x, double* r, double* jacobian) {
    Eigen::Map<Eigen::VectorXd> residuals(r, rows_);
    residuals.setZero();
    if (jacobian != nullptr) {
      Eigen::Map<RowMatrix>(jacobian, rows_, layout_.size()).setZero();
    }
    const FootModel foot = layout_.make_foot(x);
    int row = 0;
    for (size_t s = 0; s < stances_.size(); ++s) {
      const FootCurves curves = layout_.make_curves(x, s);
      for (size_t f = 0; f < stances_[s].frames.size(); ++f, row += 3) {
        add_frame(foot, s, f, curves, row, r, jacobian);
      }
    }
    add_priors(x, row, r, jacobian);
    return residuals.allFinite();
  }

 private:
  void add_frame(const FootModel& foot, size_t s, size_t f, const FootCurves& curves, int row,
                 double* r, double* jacobian) {
    const FootStance& stance = stances_[s];
    const auto [frame, corrected] =
        correct_frame(stance, static_cast<Eigen::Index>(f), curves, basis_[s]);
    const FootLoad load =
        jacobian == nullptr ? calc_foot_load(foot, frame) : calc_foot_load(foot, frame, &columns_);
    const Mat3d by_load = calc_residuals(stance, f, load, settings_, frames_, r + row);
    if (jacobian == nullptr) return;
    Eigen::Map<RowMatrix> J(jacobian, rows_, layout_.size());
    auto rows = J.middleRows<3>(row);
    if (layout_.contact() > 0) {
      rows.col(0) =
          by_load * columns_.by_stiffness * (foot.stiffness * settings_.priors.log_stiffness);
      rows.col(1) = by_load * columns_.by_damping * (foot.damping * settings_.priors.log_damping);
      const Eigen::Matrix<double, 9, 1> spreads = layout_.spreads();
      for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
        const auto first = static_cast<Eigen::Index>(kPerEllipsoid * e);
        rows.middleCols<9>(2 + first) =
            by_load * columns_.by_ellipsoids.middleCols<9>(first) * spreads.asDiagonal();
      }
    }
    const auto n = static_cast<Eigen::Index>(f);
    const int knots = settings_.knots;
    if (const int first = layout_.toe_of(s); first >= 0) {
      const Basis& b = basis_[s].toe;
      for (int j = 0; j < layout_.joints(); ++j) {
        rows.middleCols(first + j * knots, knots) +=
            settings_.priors.toe_angle * (by_load * (columns_.by_angles.col(j) * b.value.row(n) +
                                                     columns_.by_rates.col(j) * b.slope.row(n)));
      }
    }
    if (const int first = layout_.correction_of(s); first >= 0) {
      const Basis& b = basis_[s].correction;
      const Mat3d by_phi = by_load * (columns_.by_motion.middleCols<3>(3) * corrected.turn_by_phi +
                                      columns_.by_motion.rightCols<3>() * corrected.spin_by_phi);
      const Mat3d by_rate = by_load * columns_.by_motion.rightCols<3>() * corrected.spin_by_rate;
      const Mat3d by_d = by_load * columns_.by_motion.leftCols<3>();
      const Mat3d by_v = by_load * columns_.by_motion.middleCols<3>(6);
      for (int c = 0; c < 3; ++c) {
        rows.middleCols(first + c * knots, knots) =
            layout_.correction_unit(c) *
            (by_d.col(c) * b.value.row(n) + by_v.col(c) * b.slope.row(n));
        rows.middleCols(first + (3 + c) * knots, knots) =
            layout_.correction_unit(3 + c) *
            (by_phi.col(c) * b.value.row(n) + by_rate.col(c) * b.slope.row(n));
      }
    }
  }

  // One row a parameter: contact and toe by their spreads; corrections by theirs, and at least by a
  // hair, which holds the constant that their zero mean makes void.
  void add_priors(const double* x, int row, double* r, double* jacobian) const {
    const double w = std::sqrt(settings_.priors.weight / frames_);
    const double correction = settings_.correction_spread > 0
                                  ? 1 / (settings_.correction_spread * std::sqrt(frames_))
                                  : 1e-6;
    std::vector<double> weights(static_cast<size_t>(layout_.size()), w);
    for (size_t s = 0; s < stances_.size(); ++s) {
      const int first = layout_.correction_of(s);
      for (int k = 0; first >= 0 && k < 6 * settings_.knots; ++k) {
        weights[static_cast<size_t>(first + k)] = correction;
      }
    }
    for (int k = 0; k < layout_.size(); ++k) {
      const double weight = weights[static_cast<size_t>(k)];
      r[row + k] = weight * x[k];
      if (jacobian != nullptr) {
        Eigen::Map<RowMatrix>(jacobian, rows_, layout_.size())(row + k, k) = weight;
      }
    }
  }

  const std::vector<FootStance>& stances_;
  const FootFitSettings& settings_;
  Layout layout_;
  FootColumns columns_;
  std::vector<StanceBasis> basis_;
  double frames_ = 0;
  int rows_ = 0;
};

}  // namespace

double FootStance::phase(size_t frame) const {
  const double first = frames.front().time;
  return (frames[frame].time - first) / (frames.back().time - first);
}

std::vector<FootFrame> apply_curves(const FootStance& stance, const FootCurves& curves) {
  const StanceBasis basis = make_stance_basis(stance, curves);
  std::vector<FootFrame> frames;
  for (size_t f = 0; f < stance.frames.size(); ++f) {
    frames.push_back(correct_frame(stance, static_cast<Eigen::Index>(f), curves, basis).first);
  }
  return frames;
}

std::vector<FootLoad> simulate_stance(const FootModel& foot, const FootStance& stance,
                                      const FootCurves& curves) {
  std::vector<FootLoad> loads;
  for (const FootFrame& frame : apply_curves(stance, curves)) {
    loads.push_back(calc_foot_load(foot, frame));
  }
  return loads;
}

FootErrors calc_errors(const FootStance& stance, const std::vector<FootLoad>& loads,
                       const FootFitSettings& settings) {
  FootErrors errors;
  double force2 = 0, cop2 = 0;
  for (size_t f = 0; f < loads.size(); ++f) {
    force2 += std::pow(loads[f][0] - stance.force[f], 2);
    if (stance.force[f] > settings.cop_threshold && loads[f][0] > settings.cop_threshold &&
        stance.cop[f].allFinite()) {
      cop2 += (loads[f].tail<2>() / loads[f][0] - stance.cop[f]).squaredNorm();
      ++errors.cop_frames;
    }
  }
  errors.force = std::sqrt(force2 / static_cast<double>(loads.size())) / stance.weight;
  errors.cop = errors.cop_frames > 0 ? std::sqrt(cop2 / errors.cop_frames) / settings.cop_scale
                                     : std::numeric_limits<double>::quiet_NaN();
  return errors;
}

std::vector<std::string> name_foot_parameters(const FootModel& foot) {
  std::vector<std::string> names{"stiffness", "damping"};
  for (const FootEllipsoid& e : foot.ellipsoids) {
    for (const char* group : {"radii", "position", "angles"}) {
      for (const char* axis : {"x", "y", "z"}) {
        names.push_back(fmt::format("{}.{}.{}", e.name, group, axis));
      }
    }
  }
  return names;
}

FootModel settle(const FootModel& foot, const std::vector<FootStance>& stances,
                 const FootFitSettings& settings) {
  size_t frames = 0;
  for (const FootStance& s : stances) {
    check_stance(foot, s, settings.knots);
    frames += s.frames.size();
  }
  const auto moved = [&](const double* x) {
    const Pose<double> X{as_rotation_123({0.1 * x[1], 0, 0}), {0, 0.01 * x[2], 0.01 * x[0]}};
    FootModel other = foot;
    for (FootEllipsoid& e : other.ellipsoids) {
      if (e.segment != 0) continue;
      e.position = X * e.position;
      e.angles = as_angles_123(X.R_WB * as_rotation_123(e.angles));
    }
    for (FootJoint& joint : other.joints) {
      if (joint.parent == 0) joint.X_PF = {X.R_WB * joint.X_PF.R_WB, X * joint.X_PF.p_WB};
    }
    return other;
  };
  BoundedProblem problem;
  problem.residuals = static_cast<int>(3 * frames);
  problem.start = Eigen::VectorXd::Zero(3);
  problem.lower = Eigen::VectorXd::Constant(3, -3);  // 30 mm, 0.3 rad
  problem.upper = Eigen::VectorXd::Constant(3, 3);
  const auto residuals = [&](const double* x, double* r) {
    const FootModel other = moved(x);
    for (const FootStance& s : stances) {
      for (size_t f = 0; f < s.frames.size(); ++f, r += 3) {
        const FootLoad load = calc_foot_load(other, s.frames[f]);
        calc_residuals(s, f, load, settings, static_cast<double>(frames), r);
      }
    }
  };
  problem.evaluate = [&](const double* x, double* r, double* jacobian) {
    residuals(x, r);
    if (jacobian == nullptr) return true;
    Eigen::Map<RowMatrix> J(jacobian, problem.residuals, 3);
    for (int k = 0; k < 3; ++k) {
      Eigen::Vector3d at(x[0], x[1], x[2]);
      Eigen::VectorXd high(problem.residuals), low(problem.residuals);
      constexpr double kStep = 1e-5;
      at[k] += kStep;
      residuals(at.data(), high.data());
      at[k] -= 2 * kStep;
      residuals(at.data(), low.data());
      J.col(k) = (high - low) / (2 * kStep);
    }
    return true;
  };
  // Deep enough to carry something: a foot in the air has no slope to follow.
  BoundedSolution best;
  best.cost = kInfinity;
  for (const double lift : {0.0, -1.0, -2.0}) {
    problem.start[0] = lift;
    const BoundedSolution one = minimise(problem);
    if (one.cost < best.cost) best = one;
  }
  return moved(best.x.data());
}

FootFit fit_foot(const FootModel& start, const std::vector<FootStance>& stances,
                 const FootFitSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  check(start);
  if (stances.empty()) throw InputError("foot: there is no stance to fit to");
  if (settings.knots < 4) throw InputError("foot: splines need at least 4 knots");
  if (settings.contact && !(start.damping > 0)) {
    throw InputError("foot: the start value of damping must be positive, its logarithm is fitted");
  }
  for (const FootStance& s : stances) check_stance(start, s, settings.knots);

  FootResiduals residuals(start, stances, settings);
  const Layout& layout = residuals.layout();
  FootFit fit;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(layout.size());
  if (layout.size() > 0) {
    BoundedProblem problem;
    problem.residuals = residuals.rows();
    problem.start = x;
    layout.set_bounds(&problem.lower, &problem.upper);
    problem.evaluate = [&](const double* at, double* r, double* jacobian) {
      return residuals.evaluate(at, r, jacobian);
    };
    BoundedOptions options;
    options.iterations = settings.iterations;
    options.cost_tolerance = 1e-7;
    options.stop = settings.stop;
    const BoundedSolution solution = minimise(problem, options);
    x = solution.x;
    fit.cost = solution.cost;
    fit.history = solution.history;
    fit.converged = solution.converged;
    fit.message = solution.message;
    const std::vector<std::string> names = name_foot_parameters(start);
    for (int k = 0; k < layout.contact(); ++k) {
      if (solution.at_bound[static_cast<size_t>(k)]) {
        fit.at_bounds.push_back(names[static_cast<size_t>(k)]);
      }
    }
    if (layout.contact() > 0) fit.narrowing = residuals.calc_narrowing(x);
  }
  fit.foot = layout.make_foot(x.data());
  for (size_t s = 0; s < stances.size(); ++s) {
    fit.curves.push_back(layout.make_curves(x.data(), s));
    fit.errors.push_back(calc_errors(
        stances[s], simulate_stance(fit.foot, stances[s], fit.curves.back()), settings));
  }
  fit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return fit;
}

}  // namespace vesica
