#include <algorithm>
#include <cmath>

#include "vesica/identification/foot_residuals.h"

namespace vesica::foot_detail {
namespace {

constexpr int kNine = FootOrder::kPerEllipsoid;

Eigen::Matrix<double, kNine, 1> spreads_of(const FootPriors& priors) {
  Eigen::Matrix<double, kNine, 1> s;
  s << priors.radii, priors.position, priors.angles;
  return s;
}

Eigen::Matrix<double, kNine, 1> numbers_of(const FootEllipsoid& e) {
  Eigen::Matrix<double, kNine, 1> n;
  n << e.radii, e.position, e.angles;
  return n;
}

}  // namespace

FootUnknowns::FootUnknowns(const FootModel& start, const std::vector<FootStance>& stances,
                           const FootFitSettings& settings)
    : start_(start), settings_(settings), joints_(static_cast<int>(start.joints.size())) {
  using Toe = FootFitSettings::Toe;
  contact_ = settings.contact ? FootOrder(start).contact() : 0;
  toe_ = settings.toe == Toe::kMeasured ? 0 : joints_ * settings.knots;
  shared_ = settings.toe == Toe::kShared || settings.toe == Toe::kPitch;
  correction_ = settings.corrections ? 6 * settings.knots : 0;
  for (const FootStance& s : stances) {
    plates_.push_back(settings.plate_offsets ? s.plate : -1);
    plate_count_ = std::max(plate_count_, plates_.back() + 1);
  }
  own_ = (shared_ ? 0 : toe_) + correction_;
  first_plate_ = contact_ + (shared_ ? toe_ : 0);
  first_own_ = first_plate_ + 3 * plate_count_;
  size_ = first_own_ + own_ * static_cast<int>(stances.size());
}

int FootUnknowns::toe_of(size_t stance) const {
  if (toe_ == 0) return -1;
  return shared_ ? contact_ : first_own_ + own_ * static_cast<int>(stance);
}

int FootUnknowns::correction_of(size_t stance) const {
  if (correction_ == 0) return -1;
  return first_own_ + own_ * static_cast<int>(stance + 1) - correction_;
}

int FootUnknowns::plate_of(size_t stance) const {
  return plates_[stance] < 0 ? -1 : first_plate_ + 3 * plates_[stance];
}

FootModel FootUnknowns::make_foot(const double* x) const {
  FootModel foot = start_;
  if (contact_ == 0) return foot;
  const FootPriors& s = settings_.priors;
  foot.stiffness *= std::exp(s.log_stiffness * x[0]);
  foot.damping *= std::exp(s.log_damping * x[1]);
  for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
    const Eigen::Map<const Eigen::Matrix<double, kNine, 1>> own(x + 2 + kNine * e);
    FootEllipsoid& one = foot.ellipsoids[e];
    one.radii += s.radii.cwiseProduct(own.head<3>());
    one.position += s.position.cwiseProduct(own.segment<3>(3));
    one.angles += s.angles.cwiseProduct(own.tail<3>());
  }
  return foot;
}

Eigen::VectorXd FootUnknowns::make_x(const FootModel& foot) const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(size_);
  if (contact_ == 0) return x;
  const FootPriors& s = settings_.priors;
  x[0] = std::log(foot.stiffness / start_.stiffness) / s.log_stiffness;
  x[1] = std::log(foot.damping / start_.damping) / s.log_damping;
  for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
    x.segment<kNine>(2 + kNine * static_cast<Eigen::Index>(e)) =
        (numbers_of(foot.ellipsoids[e]) - numbers_of(start_.ellipsoids[e]))
            .cwiseQuotient(spreads_of(s));
  }
  return x;
}

Eigen::VectorXd FootUnknowns::contact_units(const FootModel& foot) const {
  Eigen::VectorXd units(contact_);
  if (contact_ == 0) return units;
  units[0] = foot.stiffness * settings_.priors.log_stiffness;
  units[1] = foot.damping * settings_.priors.log_damping;
  for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
    units.segment<kNine>(2 + kNine * static_cast<Eigen::Index>(e)) = spreads_of(settings_.priors);
  }
  return units;
}

double FootUnknowns::correction_unit(int channel) const {
  return channel < 3 ? settings_.shift_limit : settings_.turn_limit;
}

FootCurves FootUnknowns::make_curves(const double* x, size_t stance) const {
  FootCurves curves;
  const int knots = settings_.knots;
  curves.toe_over_pitch = settings_.toe == FootFitSettings::Toe::kPitch;
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

FootPlates FootUnknowns::make_plates(const double* x) const {
  FootPlates plates;
  if (plate_count_ == 0) return plates;
  std::vector<bool> used(static_cast<size_t>(plate_count_), false);
  for (const int plate : plates_) {
    if (plate >= 0) used[static_cast<size_t>(plate)] = true;
  }
  const auto count = std::count(used.begin(), used.end(), true);
  for (int k = 0; k < plate_count_; ++k) {
    const Eigen::Map<const Vec3d> at(x + first_plate_ + 3 * k);
    plates.offsets.push_back(plate_units().cwiseProduct(at));
    if (used[static_cast<size_t>(k)]) {
      plates.mean += plates.offsets.back() / static_cast<double>(count);
    }
  }
  for (size_t k = 0; k < used.size(); ++k) {
    if (!used[k]) plates.offsets[k] = plates.mean;
  }
  return plates;
}

void FootUnknowns::set_bounds(Eigen::VectorXd* lower, Eigen::VectorXd* upper) const {
  *lower = Eigen::VectorXd::Constant(size_, -kInfinity);
  *upper = Eigen::VectorXd::Constant(size_, kInfinity);
  if (contact_ > 0) {
    lower->head(contact_).setConstant(-4);  // four spreads, and sizes that stay sizes
    upper->head(contact_).setConstant(4);
    for (size_t e = 0; e < start_.ellipsoids.size(); ++e) {
      for (int k = 0; k < 3; ++k) {
        double& low = (*lower)[2 + kNine * static_cast<int>(e) + k];
        const double smallest = 0.3 * start_.ellipsoids[e].radii[k];
        low = std::max(low, (smallest - start_.ellipsoids[e].radii[k]) / settings_.priors.radii[k]);
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

}  // namespace vesica::foot_detail
