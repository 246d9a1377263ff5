#include "vesica/identification/foot_spheres.h"

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/identification/foot_residuals.h"

namespace vesica {
namespace {

constexpr double kDepthSmoothing = 300, kSpeedSmoothing = 50, kConstantForce = 1e-5;
constexpr int kPerSphere = 4;  // logarithm of the radius, position

// x: ln E, ln a, spheres, toe knots, all in units of their spreads.
class SphereUnknowns {
 public:
  SphereUnknowns(const SphereFoot& start, const FootFitSettings& settings)
      : start_(start), settings_(settings) {
    const bool toe = settings.toe != FootFitSettings::Toe::kMeasured;
    first_toe_ = 2 + kPerSphere * static_cast<int>(start.spheres.size());
    size_ = first_toe_ + (toe ? static_cast<int>(start.carrier.joints.size()) * settings.knots : 0);
  }
  int size() const { return size_; }
  SphereFit make(const Eigen::VectorXd& x) const {
    SphereFit fit{start_, {}, 0};
    const FootPriors& s = settings_.priors;
    fit.foot.stiffness *= std::exp(1.5 * s.log_stiffness * x[0]);  // f is as E in all, V as E^(2/3)
    fit.foot.dissipation *= std::exp(s.log_damping * x[1]);
    for (size_t k = 0; k < start_.spheres.size(); ++k) {
      const auto at = 2 + kPerSphere * static_cast<Eigen::Index>(k);
      FootSphere& sphere = fit.foot.spheres[k];
      sphere.radius *= std::exp(0.25 * x[at]);
      sphere.position += s.position.cwiseProduct(x.segment<3>(at + 1));
    }
    fit.curves.toe_over_pitch = settings_.toe == FootFitSettings::Toe::kPitch;
    for (int first = first_toe_; first < size_; first += settings_.knots) {
      std::vector<double> knots(static_cast<size_t>(settings_.knots));
      for (int k = 0; k < settings_.knots; ++k) {
        knots[static_cast<size_t>(k)] = s.toe_angle * x[first + k];
      }
      fit.curves.toe.push_back(std::move(knots));
    }
    return fit;
  }

 private:
  const SphereFoot& start_;
  const FootFitSettings& settings_;
  int first_toe_ = 0, size_ = 0;
};

}  // namespace

SphereFoot make_six_spheres(const FootModel& foot) {
  const int heel = foot.find_ellipsoid("heel"), ball = foot.find_ellipsoid("ball"),
            toe = foot.find_ellipsoid("toe");
  if (heel < 0 || ball < 0 || toe < 0) {
    throw InputError("foot: six spheres need ellipsoids heel, ball and toe to stand under");
  }
  const FootEllipsoid &h = foot.ellipsoids[static_cast<size_t>(heel)],
                      &b = foot.ellipsoids[static_cast<size_t>(ball)],
                      &t = foot.ellipsoids[static_cast<size_t>(toe)];
  // The lowest points stay where those of the ellipsoids are.
  const auto on = [](const FootEllipsoid& e, const char* name, double x, double y, double radius) {
    const double bottom = e.position.z() - e.radii.z();
    return FootSphere{name, e.segment, radius, {x, y, bottom + radius}};
  };
  const double across = b.radii.x();
  SphereFoot six;
  six.carrier = foot;
  six.spheres = {
      on(h, "heel", h.position.x() - 0.005, h.position.y() - 0.012, 0.028),
      on(h, "lateral_rearfoot", h.position.x() + 0.012, h.position.y() + 0.03, 0.026),
      on(b, "lateral_midfoot", b.position.x() + 0.5 * across, b.position.y() - 0.012, 0.026),
      on(b, "medial_midfoot", b.position.x() - 0.5 * across, b.position.y() + 0.008, 0.026),
      on(t, "lateral_toe", t.position.x() + 0.5 * t.radii.x(), t.position.y(), 0.02),
      on(t, "medial_toe", t.position.x() - 0.5 * t.radii.x(), t.position.y() + 0.008, 0.02),
  };
  return six;
}

FootLoad calc_sphere_load(const SphereFoot& foot, const FootFrame& frame) {
  FootLoad load = FootLoad::Zero();
  const double k = 0.5 * std::pow(foot.stiffness, 2.0 / 3.0);
  for (const FootSphere& sphere : foot.spheres) {
    const Motion<double> segment = calc_segment_motion(foot.carrier, frame, sphere.segment);
    const Vec3d arm = segment.X_WB.R_WB * sphere.position, p = segment.X_WB.p_WB + arm;
    const double depth = sphere.radius - p.z();
    const double closing = -(segment.V_WB.v_WB + segment.V_WB.w_WB.cross(arm)).z();
    const double hertz = 4.0 / 3.0 * k * std::sqrt(sphere.radius * k) *
                         std::pow(depth * depth + kConstantForce, 0.75) * 0.5 *
                         (1 + std::tanh(kDepthSmoothing * depth));
    const double a = foot.dissipation;
    const double force = hertz * (1 + 1.5 * a * closing) * 0.5 *
                         (1 + std::tanh(kSpeedSmoothing * (closing + 2 / (3 * a))));
    load += force * FootLoad(1, p.x(), p.y());
  }
  return load;
}

SphereFit fit_spheres(const SphereFoot& start, const std::vector<FootStance>& stances,
                      const FootFitSettings& settings) {
  const SphereUnknowns unknowns(start, settings);
  int frames = 0;
  for (const FootStance& s : stances) frames += static_cast<int>(s.frames.size());
  const double prior = std::sqrt(settings.priors.weight / frames);
  std::vector<foot_detail::StanceBasis> basis;
  for (const FootStance& s : stances) {
    basis.push_back(foot_detail::make_stance_basis(s, settings.knots,
                                                   settings.toe == FootFitSettings::Toe::kPitch));
  }
  BoundedProblem problem;
  problem.residuals = 3 * frames + unknowns.size();
  problem.start = Eigen::VectorXd::Zero(unknowns.size());
  problem.lower = Eigen::VectorXd::Constant(unknowns.size(), -4);
  problem.upper = Eigen::VectorXd::Constant(unknowns.size(), 4);
  const auto residuals = [&](const Eigen::VectorXd& x) {
    const SphereFit fit = unknowns.make(x);
    Eigen::VectorXd r(problem.residuals);
    int row = 0;
    for (size_t s = 0; s < stances.size(); ++s) {
      for (size_t f = 0; f < stances[s].frames.size(); ++f, row += 3) {
        const FootFrame frame = foot_detail::correct_frame(stances[s], static_cast<Eigen::Index>(f),
                                                           fit.curves, basis[s])
                                    .first;
        foot_detail::calc_frame_residuals(stances[s], f, calc_sphere_load(fit.foot, frame),
                                          Eigen::Vector2d::Zero(), settings, frames,
                                          r.data() + row);
      }
    }
    r.tail(unknowns.size()) = prior * x;
    return r;
  };
  problem.evaluate = [&](const double* at, double* r, double* jacobian) {
    Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(at, unknowns.size());
    Eigen::Map<Eigen::VectorXd> all(r, problem.residuals);
    all = residuals(x);
    if (jacobian != nullptr) {
      Eigen::Map<RowMatrix> J(jacobian, problem.residuals, unknowns.size());
      constexpr double kStep = 1e-5;
      for (Eigen::Index k = 0; k < x.size(); ++k) {
        const double middle = x[k];
        x[k] = middle + kStep;
        J.col(k) = residuals(x);
        x[k] = middle - kStep;
        J.col(k) -= residuals(x);
        J.col(k) /= 2 * kStep;
        x[k] = middle;
      }
    }
    return all.allFinite();
  };
  BoundedOptions options;
  options.iterations = settings.iterations;
  options.cost_tolerance = 1e-5;
  options.stop = settings.stop;
  const BoundedSolution solution = minimise(problem, options);
  SphereFit fit = unknowns.make(solution.x);
  fit.cost = solution.cost;
  return fit;
}

std::vector<FootLoad> simulate_stance(const SphereFit& fit, const FootStance& stance) {
  std::vector<FootLoad> loads;
  for (const FootFrame& frame : apply_curves(stance, fit.curves)) {
    loads.push_back(calc_sphere_load(fit.foot, frame));
  }
  return loads;
}

}  // namespace vesica
