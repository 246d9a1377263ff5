#include "vesica/identification/foot_curves.h"

#include <algorithm>
#include <cmath>

#include "vesica/math/spline.h"

namespace vesica {
namespace foot_detail {
namespace {

// Pitch of the foot, toes up positive, that the spline over it covers [rad].
constexpr double kLeastPitch = -1.4, kMostPitch = 0.6;

double pitch_of(const FootFrame& frame) {
  return std::clamp(std::asin(std::clamp(frame.foot.X_WB.R_WB(2, 1), -1.0, 1.0)), kLeastPitch,
                    kMostPitch);
}
// d/dt asin(y_z) = (w x y)_z / cos(pitch).
double pitch_rate_of(const FootFrame& frame) {
  const Vec3d y = frame.foot.X_WB.R_WB.col(1);
  return frame.foot.V_WB.w_WB.cross(y).z() / std::sqrt(std::max(1e-6, 1 - y.z() * y.z()));
}

struct Place {
  double at, rate;  // on the spline's axis, and its rate of change by time
};

Basis make_basis(const std::vector<Place>& places, double from, double to, int knots,
                 bool zero_mean) {
  const auto frames = static_cast<Eigen::Index>(places.size());
  Basis basis{Eigen::MatrixXd(frames, knots), Eigen::MatrixXd(frames, knots)};
  std::vector<double> at;
  for (int k = 0; k < knots; ++k) at.push_back(from + (to - from) * k / (knots - 1));
  at.back() = to;
  for (int k = 0; k < knots; ++k) {
    std::vector<double> unit(static_cast<size_t>(knots), 0.0);
    unit[static_cast<size_t>(k)] = 1;
    const CubicSpline spline(at, unit);
    for (Eigen::Index f = 0; f < frames; ++f) {
      const Place& place = places[static_cast<size_t>(f)];
      basis.value(f, k) = spline.value(place.at);
      basis.slope(f, k) = spline.derivative(place.at) * place.rate;
    }
    if (zero_mean) basis.value.col(k).array() -= basis.value.col(k).mean();
  }
  return basis;
}

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

}  // namespace

StanceBasis make_stance_basis(const FootStance& stance, int knots, bool toe_over_pitch) {
  const double duration = stance.frames.back().time - stance.frames.front().time;
  std::vector<Place> phases, pitches;
  for (size_t f = 0; f < stance.frames.size(); ++f) {
    phases.push_back({stance.phase(f), 1 / duration});
    pitches.push_back({pitch_of(stance.frames[f]), pitch_rate_of(stance.frames[f])});
  }
  return {toe_over_pitch ? make_basis(pitches, kLeastPitch, kMostPitch, knots, false)
                         : make_basis(phases, 0, 1, knots, false),
          make_basis(phases, 0, 1, knots, true)};
}

Corrected::Corrected(const Motion<double>& m, const Vec3d& d, const Vec3d& d_rate, const Vec3d& phi,
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

void impose_force(const FootModel& foot, double force, FootFrame* frame) {
  frame->foot.X_WB.p_WB.z() += find_lift(foot, *frame, force);
  frame->foot.V_WB = {};
  std::fill(frame->rates.begin(), frame->rates.end(), 0.0);
}

}  // namespace foot_detail

double FootStance::phase(size_t frame) const {
  const double first = frames.front().time;
  return std::min(1.0, (frames[frame].time - first) / (frames.back().time - first));
}

FootStance without_offset(FootStance stance, const FootPlates& plates) {
  const Vec3d offset = plates.offset_of(stance);
  for (Eigen::Vector2d& cop : stance.cop) cop -= offset.head<2>();
  for (FootFrame& frame : stance.frames) frame.foot.X_WB.p_WB.z() -= offset.z();
  return stance;
}

std::vector<FootFrame> apply_curves(const FootStance& stance, const FootCurves& curves) {
  if (curves.toe.empty() && curves.correction.empty()) return stance.frames;
  const auto& knots = curves.toe.empty() ? curves.correction : curves.toe;
  const foot_detail::StanceBasis basis = foot_detail::make_stance_basis(
      stance, static_cast<int>(knots.front().size()), curves.toe_over_pitch);
  std::vector<FootFrame> frames;
  for (size_t f = 0; f < stance.frames.size(); ++f) {
    const auto at = static_cast<Eigen::Index>(f);
    frames.push_back(foot_detail::correct_frame(stance, at, curves, basis).first);
  }
  return frames;
}

std::vector<FootFrame> impose_force(const FootModel& foot, const FootStance& stance,
                                    std::vector<FootFrame> frames) {
  for (size_t f = 0; f < frames.size(); ++f) {
    if (stance.force[f] > 0) foot_detail::impose_force(foot, stance.force[f], &frames[f]);
  }
  return frames;
}

std::vector<FootLoad> calc_loads(const FootModel& foot, const std::vector<FootFrame>& frames) {
  std::vector<FootLoad> loads;
  loads.reserve(frames.size());
  for (const FootFrame& frame : frames) loads.push_back(calc_foot_load(foot, frame));
  return loads;
}

std::vector<FootLoad> simulate_stance(const FootModel& foot, const FootStance& stance,
                                      const FootCurves& curves) {
  return calc_loads(foot, apply_curves(stance, curves));
}

std::vector<size_t> choose_pictures(const FootStance& stance, const FootFitSettings& settings) {
  std::vector<size_t> loaded, chosen;
  for (size_t k = 0; k < stance.pressure.size(); ++k) {
    if (stance.force[stance.pressure[k].frame] > settings.cop_threshold) loaded.push_back(k);
  }
  const auto wanted = static_cast<size_t>(std::max(1, settings.pressure_frames));
  if (loaded.size() <= wanted) return loaded;
  for (size_t k = 0; k < wanted; ++k) {
    chosen.push_back(loaded[(k * (loaded.size() - 1)) / std::max<size_t>(1, wanted - 1)]);
  }
  return chosen;
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

FootErrors calc_errors(const FootModel& foot, const FootStance& stance,
                       const std::vector<FootFrame>& frames, const FootFitSettings& settings) {
  FootErrors errors = calc_errors(stance, calc_loads(foot, frames), settings);
  const std::vector<size_t> pictures = choose_pictures(stance, settings);
  if (pictures.empty()) return errors;
  double sum = 0;
  std::vector<double> simulated;
  for (const size_t k : pictures) {
    const FootPressureFrame& measured = stance.pressure[k];
    calc_foot_pressure(foot, frames[measured.frame], stance.grid, &simulated);
    double difference = 0;
    for (size_t c = 0; c < simulated.size(); ++c) {
      difference += std::abs(simulated[c] - measured.pressure[c]);
    }
    sum += std::pow(difference * stance.grid.area(), 2);
  }
  errors.pressure = std::sqrt(sum / static_cast<double>(pictures.size())) / stance.weight;
  return errors;
}

}  // namespace vesica
