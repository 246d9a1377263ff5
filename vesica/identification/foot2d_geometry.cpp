#include "vesica/identification/foot2d_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/math/bounded_least_squares.h"

namespace vesica {
namespace {

constexpr int kLengths = 4;  // AH, AP, PT, beta
constexpr int kGeometryParameters = kLengths + kToeCoefficients;
using GeometryDual = Dual<kGeometryParameters>;

// Residuals are in units of this [m]; where no frame tells a harmonic, it costs 0.1 mm a radian.
constexpr double kMarkerUnit = 1e-3, kToeRidge = 0.1;

template <class T>
T calc_toe_angle(const ToeWaves& waves, const T* toe) {
  T phi(0.0);
  for (int k = 0; k < kToeCoefficients; ++k) phi = phi + toe[k] * waves.value[k];
  return phi;
}

// The frames in which all three markers are known.
std::vector<size_t> find_known(const Foot2dStance& s) {
  std::vector<size_t> known;
  for (size_t f = 0; f < s.frames(); ++f) {
    if (std::isfinite(s.H[f].x + s.P[f].x + s.T[f].x + s.poses[f].x)) known.push_back(f);
  }
  if (known.size() < 20) {
    throw InputError(fmt::format(
        "{}: ankle, heel, ball and toe are known together in {} frames only: 20 are needed", s.name,
        known.size()));
  }
  return known;
}

double distance(const Point2<double>& a, const Point2<double>& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

Foot2dMarkerError summarise(const std::vector<double>& errors) {
  Foot2dMarkerError e;
  e.count = static_cast<int>(errors.size());
  for (const double x : errors) {
    e.mean += x / e.count;
    e.worst = std::max(e.worst, x);
  }
  double sum = 0;
  for (const double x : errors) sum += (x - e.mean) * (x - e.mean);
  e.sd = std::sqrt(sum / std::max(1, e.count - 1));
  return e;
}

// Mean lengths and angles of the markers: where the fit begins.
Eigen::VectorXd make_geometry_start(const Foot2dStance& s, const std::vector<size_t>& known) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(kGeometryParameters);
  double heel_cos = 0, heel_sin = 0, toe_cos = 0, toe_sin = 0;
  for (const size_t f : known) {
    const Foot2dPose& q = s.poses[f];
    const double n = double(known.size());
    x[0] += distance({q.x, q.y}, s.H[f]) / n;
    x[1] += distance({q.x, q.y}, s.P[f]) / n;
    x[2] += distance(s.P[f], s.T[f]) / n;
    const double heel = q.theta - std::atan2(s.H[f].y - q.y, s.H[f].x - q.x);
    const double toe = std::atan2(s.T[f].y - s.P[f].y, s.T[f].x - s.P[f].x) - q.theta;
    heel_cos += std::cos(heel);
    heel_sin += std::sin(heel);
    toe_cos += std::cos(toe);
    toe_sin += std::sin(toe);
  }
  x[3] = std::atan2(heel_sin, heel_cos);
  x[4] = std::atan2(toe_sin, toe_cos);
  return x;
}

class GeometryProblem {
 public:
  // With `geometry` the lengths are given.
  GeometryProblem(const Foot2dStance& stance, const Foot2dGeometry<double>* geometry)
      : stance_(stance), given_(geometry), known_(find_known(stance)) {
    for (const size_t f : known_) {
      waves_.push_back(calc_toe_waves(stance.times[f] - stance.times.front(), stance.period));
    }
  }

  Foot2dGeometryFit solve() const {
    const Eigen::VectorXd start = make_geometry_start(stance_, known_);
    const int first = given_ == nullptr ? 0 : kLengths, count = kGeometryParameters - first;
    BoundedProblem problem;
    problem.residuals = 6 * static_cast<int>(known_.size()) + kToeCoefficients;
    problem.start = start.tail(count);
    problem.lower = Eigen::VectorXd::Constant(count, -kInfinity);
    problem.upper = Eigen::VectorXd::Constant(count, kInfinity);
    problem.evaluate = [this](const double* x, double* r, double* jacobian) {
      evaluate(x, r, jacobian);
      return true;
    };
    const BoundedSolution solution = minimise(problem, {.iterations = 100, .stop = {}});
    Foot2dGeometryFit fit;
    fit.geometry = given_ == nullptr ? Foot2dGeometry<double>{solution.x[0], solution.x[1],
                                                              solution.x[2], solution.x[3]}
                                     : *given_;
    for (int k = 0; k < kToeCoefficients; ++k) fit.toe[k] = solution.x[kLengths - first + k];
    fit.converged = solution.converged;
    fit.message = solution.message;
    measure(&fit);
    return fit;
  }

 private:
  void evaluate(const double* x, double* r, double* jacobian) const {
    const int first = given_ == nullptr ? 0 : kLengths;
    const int count = kGeometryParameters - first;
    std::array<GeometryDual, kGeometryParameters> v;
    for (int k = first; k < kGeometryParameters; ++k) {
      v[k] = GeometryDual::variable(x[k - first], k);
    }
    if (given_ != nullptr) v = set_lengths(v);
    const Foot2dGeometry<GeometryDual> g{v[0], v[1], v[2], v[3]};
    int row = 0;
    const auto put = [&](const GeometryDual& value) {
      r[row] = value.a;
      for (int k = 0; jacobian != nullptr && k < count; ++k) {
        jacobian[row * count + k] = value.v[first + k];
      }
      ++row;
    };
    for (size_t n = 0; n < known_.size(); ++n) {
      const size_t f = known_[n];
      const Foot2dPose& q = stance_.poses[f];
      const GeometryDual phi = calc_toe_angle(waves_[n], v.data() + kLengths);
      const auto points = calc_foot2d_points(g, q.x, q.y, q.theta, phi);
      const auto put_point = [&](const Point2<GeometryDual>& p, const Point2<double>& marker) {
        put((p.x - marker.x) / kMarkerUnit);
        put((p.y - marker.y) / kMarkerUnit);
      };
      put_point(points.H, stance_.H[f]);
      put_point(points.P, stance_.P[f]);
      put_point(points.T_, stance_.T[f]);
    }
    for (int k = 0; k < kToeCoefficients; ++k) put(v[kLengths + k] * kToeRidge);
  }
  std::array<GeometryDual, kGeometryParameters> set_lengths(
      std::array<GeometryDual, kGeometryParameters> v) const {
    v[0] = given_->AH;
    v[1] = given_->AP;
    v[2] = given_->PT;
    v[3] = given_->beta;
    return v;
  }

  void measure(Foot2dGeometryFit* fit) const {
    std::vector<double> H, P, T, all;
    for (size_t n = 0; n < known_.size(); ++n) {
      const size_t f = known_[n];
      const Foot2dPose& q = stance_.poses[f];
      const double phi = calc_toe_angle(waves_[n], fit->toe.data());
      const auto points = calc_foot2d_points(fit->geometry, q.x, q.y, q.theta, phi);
      H.push_back(distance(points.H, stance_.H[f]));
      P.push_back(distance(points.P, stance_.P[f]));
      all.insert(all.end(), {H.back(), P.back()});
      if (!stance_.toe_measured) continue;
      T.push_back(distance(points.T_, stance_.T[f]));
      all.push_back(T.back());
    }
    fit->H = summarise(H);
    fit->P = summarise(P);
    fit->T = summarise(T);
    fit->all = summarise(all);
  }

  const Foot2dStance& stance_;
  const Foot2dGeometry<double>* given_;
  std::vector<size_t> known_;
  std::vector<ToeWaves> waves_;
};

}  // namespace

Foot2dGeometryFit fit_foot2d_geometry(const Foot2dStance& stance) {
  return GeometryProblem(stance, nullptr).solve();
}

Foot2dGeometryFit fit_foot2d_toe(const Foot2dStance& stance,
                                 const Foot2dGeometry<double>& geometry) {
  return GeometryProblem(stance, &geometry).solve();
}

std::vector<Foot2dPose> apply_toe(const Foot2dStance& stance,
                                  const std::array<double, kToeCoefficients>& toe) {
  std::vector<Foot2dPose> poses = stance.poses;
  for (size_t f = 0; f < poses.size(); ++f) {
    const ToeWaves w = calc_toe_waves(stance.times[f] - stance.times.front(), stance.period);
    poses[f].phi = poses[f].toe_spin = 0;
    for (int k = 0; k < kToeCoefficients; ++k) {
      poses[f].phi += toe[static_cast<size_t>(k)] * w.value[static_cast<size_t>(k)];
      poses[f].toe_spin += toe[static_cast<size_t>(k)] * w.rate[static_cast<size_t>(k)];
    }
  }
  return poses;
}

}  // namespace vesica
