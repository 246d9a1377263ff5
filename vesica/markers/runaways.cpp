#include "vesica/markers/runaways.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "vesica/markers/functional.h"
#include "vesica/markers/start.h"

namespace vesica::markers {
namespace {

constexpr int kFunctionalFrames = 120;  // as the start takes

double calc_farthest(Unit unit) {
  switch (unit) {
    case Unit::kMeter:
      return 0.2;
    case Unit::kRadian:
      return 60 * kPi / 180;
    case Unit::kRatio:
      return 1;
  }
  return 0;
}

// Start values after the functional fits.
Eigen::VectorXd calc_first_values(const Model& model, const std::vector<Trial>& trials) {
  long count = 0;
  for (const Trial& trial : trials) count += trial.frame_count();
  std::vector<Trial> few;
  const int stride = std::max(1, static_cast<int>(count / kFunctionalFrames));
  for (const Trial& trial : trials) few.push_back(thin_trial(trial, stride));
  Model fitted = model;
  fit_joints(AllFrames(model, few, 1), fitted);
  return fitted.start_values();
}

void collect_point(const Point& point, std::set<int>& list) {
  for (const Affine& a : point.coordinate) {
    if (a.parameter >= 0) list.insert(a.parameter);
  }
}

}  // namespace

std::vector<int> find_runaways(const Identification& id, const std::vector<Trial>& trials) {
  const Model& model = id.frames.model();
  const auto has_left = [&](int k, double first) {
    const Parameter& p = model.parameters[k];
    return !std::isfinite(p.prior_sd) && std::abs(id.d[k] - first) > calc_farthest(p.unit);
  };
  const Eigen::VectorXd start = model.start_values();
  bool any = false;  // the functional fits are only worth their time where they decide
  for (int k = 0; k < id.d.size(); ++k) any = any || has_left(k, start[k]);
  if (!any) return {};
  const Eigen::VectorXd first = calc_first_values(model, trials);
  std::set<int> list;
  const auto take = [&](const std::set<int>& group) {
    const bool left = std::any_of(group.begin(), group.end(), [&](int k) {
      return has_left(k, first[k]) && has_left(k, start[k]);
    });
    if (left) list.insert(group.begin(), group.end());
  };
  for (const Joint& joint : model.joints) {
    std::set<int> group;
    collect_point(joint.parent_center, group);
    collect_point(joint.child_center, group);
    take(group);
  }
  for (const Marker& marker : model.markers) {
    std::set<int> group;
    collect_point(marker.position, group);
    take(group);
  }
  std::vector<int> held;
  for (const int k : list) {
    if (!std::isfinite(model.parameters[k].prior_sd)) held.push_back(k);
  }
  return held;
}

void hold_parameters(const std::vector<int>& parameters, const std::vector<Trial>& trials,
                     Model& model) {
  const Eigen::VectorXd first = calc_first_values(model, trials);
  for (const int k : parameters) {
    Parameter& p = model.parameters[k];
    p.prior_mean = std::abs(first[k] - p.start) < calc_farthest(p.unit) ? first[k] : p.start;
    p.prior_sd = p.unit == Unit::kMeter ? 0.05 : 0.3;
  }
}

}  // namespace vesica::markers
