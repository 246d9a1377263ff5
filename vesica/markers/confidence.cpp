#include "vesica/markers/confidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/long_run.h"
#include "vesica/markers/parameter_step.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/math/parallel.h"
#include "vesica/math/quantiles.h"

namespace vesica::markers {
namespace {

// Directions that relations, active bounds and parameters that nothing depends on leave free.
Eigen::MatrixXd calc_free_basis(const Model& model, const Eigen::VectorXd& d,
                                const std::vector<int>& unused) {
  Model fixed = model;
  for (int k = 0; k < d.size(); ++k) {
    const Parameter& p = model.parameters[k];
    const double reach = 1e-9 * (1 + std::abs(d[k]));
    const bool is_unused = std::find(unused.begin(), unused.end(), k) != unused.end();
    if (is_unused || d[k] <= p.lower + reach || d[k] >= p.upper - reach) {
      fixed.relations.push_back({p.name, {{k, 1.0}}, d[k]});
    }
  }
  return calc_free_directions(fixed, nullptr);
}

std::string as_text(const Model& model, const std::vector<std::pair<int, double>>& terms) {
  constexpr size_t kMaxTerms = 8;
  std::string text;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (i == kMaxTerms) return text + fmt::format(" and {} more terms", terms.size() - i);
    const auto& [k, c] = terms[i];
    const double size = std::abs(c);
    text += text.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
    if (std::abs(size - 1) > 0.005) text += fmt::format("{:.2f} ", size);
    text += model.parameters[k].name;
  }
  return text;
}

Combination make_combination(const Model& model, const Eigen::VectorXd& direction, double error) {
  Combination out;
  // In units of what would be useful to know, so that metres and radians compare.
  Eigen::VectorXd scaled = direction;
  for (int k = 0; k < scaled.size(); ++k) scaled[k] /= calc_useful_error(model.parameters[k].unit);
  Eigen::Index top;
  const double largest = scaled.cwiseAbs().maxCoeff(&top);
  for (int k = 0; k < direction.size(); ++k) {
    if (std::abs(scaled[k]) > 0.05 * largest) {
      out.terms.emplace_back(k, direction[k] / direction[top]);
    }
  }
  std::sort(out.terms.begin(), out.terms.end(), [&](const auto& a, const auto& b) {
    return std::abs(scaled[a.first]) > std::abs(scaled[b.first]);
  });
  out.standard_error = error;
  out.text = as_text(model, out.terms);
  return out;
}

// Which joint motion would determine a combination. Tries each alone: a sweep of +-40 deg about a
// pose in the middle of the recording, with all markers, as many frames as the recording has. The
// best is the one after which the combination is known best.
class RemedyFinder {
 public:
  RemedyFinder(const Identification& id, const Eigen::MatrixXd& Z) : id_(id), Z_(Z) {}

  std::string find(const Eigen::VectorXd& direction) {
    if (id_.frames.model().has_loops()) return "";
    if (sweeps_.empty()) try_sweeps();
    const Eigen::VectorXd free = Z_.transpose() * direction;
    double best = 0.1 * calc_variance(sweeps_[0], free);
    std::string name;
    for (const Sweep& sweep : sweeps_) {
      const double after = calc_variance(sweep, free);
      if (!(after < best)) continue;
      best = after;
      name = sweep.name;
    }
    if (name.empty()) {
      return "no motion of a single joint would determine it: fix one of these parameters, or "
             "measure it otherwise";
    }
    return fmt::format("a recording that moves {} through +-40 deg would determine it", name);
  }

 private:
  // What would be known with it, in the free directions.
  struct Sweep {
    std::string name;
    SymmetricEigen<> information;
  };

  static double calc_variance(const Sweep& sweep, const Eigen::VectorXd& direction) {
    const Eigen::VectorXd u = sweep.information.vectors.transpose() * direction;
    const double floor = 1e-10 * sweep.information.values.maxCoeff();
    return (u.array().square() / sweep.information.values.array().max(floor)).sum();
  }

  // The first one without any sweep.
  void try_sweeps() {
    const Model& model = id_.frames.model();
    const auto coordinates = list_joint_coordinates(model);
    const int middle = id_.frames.frame_count() / 2;
    const std::vector<double> q = calc_joint_coordinates(model, id_.d, id_.frames.poses(middle));
    const Plan plan(model, true);
    const Geometry geometry = plan.calc_geometry(id_.d);
    Workspace work(plan);
    std::vector<SegmentPose> poses(model.segments.size());
    std::vector<Vec3d> positions(model.markers.size());
    // Only markers that the recordings show.
    std::vector<double> weights(model.markers.size(), 0.0);
    for (int k = 0; k < id_.frames.frame_count(); ++k) {
      for (size_t m = 0; m < weights.size(); ++m) {
        if (id_.frames.frame(k).weights[m] > 0) weights[m] = 1;
      }
    }
    const Eigen::MatrixXd& S = id_.gauss_newton.schur;
    const auto add = [&](const std::string& name, const Eigen::MatrixXd& information) {
      sweeps_.push_back({name, calc_eigen(multiply_transposed(Z_, multiply(information, Z_)))});
    };
    add("", S);
    for (size_t c = 0; c < coordinates.size(); ++c) {
      if (!coordinates[c].angle || model.tree_joint[coordinates[c].segment] < 0) continue;
      Sums sums(plan);
      constexpr int kPoses = 9;
      for (int k = 0; k < kPoses; ++k) {
        constexpr int kMiddle = kPoses / 2;
        std::vector<double> moved = q;
        moved[c] += (k - kMiddle) * 10 * kPi / 180;
        place_segments(model, id_.d, moved, poses.data());
        for (size_t m = 0; m < positions.size(); ++m) {
          positions[m] = calc_marker(geometry, model, static_cast<int>(m), poses.data());
        }
        eliminate_frame(plan, geometry, {positions.data(), weights.data()}, poses.data(),
                        Curvature::kGaussNewton, 0, work, sums, work.scratch_gains.data());
      }
      add(coordinates[c].name,
          S + sums.calc_schur(plan) * (id_.frames.frame_count() / double(kPoses)));
    }
  }

  const Identification& id_;
  const Eigen::MatrixXd& Z_;
  std::vector<Sweep> sweeps_;
};

}  // namespace

double calc_useful_error(Unit unit) {
  switch (unit) {
    case Unit::kMeter:
      return 0.05;
    case Unit::kRadian:
      return 20 * kPi / 180;
    case Unit::kRatio:
      return 0.3;
  }
  return 1;
}

Eigen::MatrixXd calc_correlation(const Eigen::MatrixXd& covariance) {
  Eigen::VectorXd scale(covariance.rows());
  for (Eigen::Index k = 0; k < scale.size(); ++k) {
    scale[k] = covariance(k, k) > 0 ? 1 / std::sqrt(covariance(k, k)) : 0;
  }
  return scale.asDiagonal() * covariance * scale.asDiagonal();
}

namespace {

// Parameters that no frame depends on, such as coordinates of markers that were never seen.
std::vector<int> find_unused(const Identification& id) {
  std::vector<int> unused;
  for (int k = 0; k < id.d.size(); ++k) {
    if (!(id.gauss_newton.schur(k, k) > 1e-12)) unused.push_back(k);
  }
  return unused;
}

// Noise of a marker coordinate: every frame spends the degrees of freedom that its markers fix.
void set_noise(Identification& id, double free_parameters, Confidence& out) {
  const Model& model = id.frames.model();
  int dof = Plan(model, false).dof();
  for (int j : model.loop_joints) dof -= calc_constraint_count(model.joints[j].type);
  const auto results = id.frames.inspect(id.d, Curvature::kGaussNewton);
  out.unknowns = free_parameters;
  for (int k = 0; k < id.frames.frame_count(); ++k) {
    const Frame f = id.frames.frame(k);
    for (size_t m = 0; m < model.markers.size(); ++m) out.equations += f.weights[m] > 0 ? 3 : 0;
    out.unknowns += dof - results[k].undetermined;
  }
  const double squares = id.newton.objective - calc_prior(model, id.d, nullptr, nullptr);
  const double spare = out.equations - out.unknowns;
  out.sigma = spare > 0 ? std::sqrt(2 * std::max(0.0, squares) / spare) : 0;
}

// Directions of d, columns, by whether the frames determine them.
struct Directions {
  Eigen::MatrixXd determined, open;
};
Directions find_directions(const Eigen::MatrixXd& S, const Eigen::MatrixXd& Z) {
  const Eigen::MatrixXd R = multiply_transposed(Z, multiply(S, Z));
  const double top = R.size() > 0 ? R.diagonal().maxCoeff() : 0;
  const Eigen::VectorXd scale =
      R.diagonal().cwiseMax(1e-14 * top + 1e-300).cwiseSqrt().cwiseInverse();
  const SymmetricEigen eigen = calc_eigen(scale.asDiagonal() * R * scale.asDiagonal());
  const Eigen::MatrixXd all = multiply(Z, scale.asDiagonal() * eigen.vectors);
  const auto open = std::count_if(eigen.values.begin(), eigen.values.end(),
                                  [](double value) { return value <= 1e-9; });
  return {all.rightCols(all.cols() - open), all.leftCols(open)};
}

// W with W W' the inverse of eq. 17's matrix over the determined directions: the exact matrix where
// it is positive, otherwise Gauss-Newton's.
Eigen::MatrixXd calc_inverse_root(const Identification& id, const Eigen::MatrixXd& V) {
  SymmetricEigen eigen = calc_eigen(multiply_transposed(V, multiply(id.newton.schur, V)));
  if (eigen.values.size() > 0 && eigen.values[0] <= 0) {
    eigen = calc_eigen(multiply_transposed(V, multiply(id.gauss_newton.schur, V)));
  }
  return multiply(V, eigen.vectors * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal());
}

// (I - H)^-1 with eigenvalues of H cut at 0.9: what one stretch alone determines has no scatter to
// learn from.
Eigen::MatrixXd calc_without(const Eigen::MatrixXd& H) {
  constexpr double kMost = 0.9;
  // No eigenvalue is beyond the norm, and an inverse takes a tenth of the time of eigenvectors.
  if (H.norm() < kMost) return invert_symmetric(Eigen::MatrixXd::Identity(H.rows(), H.cols()) - H);
  const SymmetricEigen eigen = calc_eigen(H);
  const Eigen::VectorXd f = (1 - eigen.values.array().min(kMost)).inverse();
  return multiply(eigen.vectors * f.asDiagonal(), eigen.vectors.transpose());
}

// Influence of every frame on every parameter. The fit has already bent towards each stretch of
// correlated frames, by its share H of the information, so that scores there are too small; what
// counts is how d would change had the stretch been left out, (I - H)^-1 times as much (jackknife).
Eigen::MatrixXd calc_influence(Identification& id, const Eigen::MatrixXd& W,
                               const std::vector<int>& lengths) {
  Eigen::MatrixXd scores = multiply(id.frames.calc_scores(id.d), W);
  const Eigen::MatrixXd W_transposed = W.transpose();
  const Eigen::VectorXd times = calc_correlation_times(multiply(scores, W_transposed), lengths);
  const int stretch = static_cast<int>(std::ceil(times.size() > 0 ? times.mean() : 1));
  std::vector<int> ends;
  int begin = 0;
  for (int length : lengths) {
    for (int k = std::min(stretch, length); k < length; k += stretch) ends.push_back(begin + k);
    begin += length;
    ends.push_back(begin);
  }
  const std::vector<Eigen::MatrixXd> information = id.frames.calc_information(id.d, ends);
  for_each_index(static_cast<int>(ends.size()), id.frames.threads(), [&](int g, int) {
    const Eigen::MatrixXd H = multiply_transposed(W, multiply(information[g], W));
    // A share of a few percent in total changes nothing that shows.
    if (!(H.trace() > 0.02)) return;
    const int first = g == 0 ? 0 : ends[g - 1];
    auto of_stretch = scores.middleRows(first, ends[g] - first);
    of_stretch = multiply(of_stretch, calc_without(H));
  });
  return multiply(scores, W_transposed);
}

void set_robust(Identification& id, const Eigen::MatrixXd& W, const std::vector<Trial>& trials,
                Confidence& out) {
  std::vector<int> lengths;
  for (const Trial& trial : trials) lengths.push_back(trial.frame_count());
  const Eigen::MatrixXd influence = calc_influence(id, W, lengths);
  const LongRun run = calc_long_run_covariance(influence, lengths);
  const Eigen::VectorXd times = calc_correlation_times(influence, lengths);
  out.robust_covariance = run.M;
  out.bandwidth = run.bandwidth;
  const double frames = id.frames.frame_count();
  out.effective_frames = frames / (times.size() > 0 ? times.mean() : 1);
  // Frames that really inform a parameter (Kish), each counted once per correlation time.
  out.robust_dof.resize(times.size());
  for (Eigen::Index k = 0; k < times.size(); ++k) {
    const double squares = influence.col(k).squaredNorm();
    const double fourth = influence.col(k).array().square().square().sum();
    const double informing = fourth > 0 ? squares * squares / fourth : frames;
    // For Gaussian influences the ratio is a third of the number of frames.
    out.robust_dof[k] = std::max(3.0, std::min(frames, 3 * informing) / times[k] - 1);
  }
}

void set_errors(Confidence& out) {
  out.standard_error = out.covariance.diagonal().cwiseMax(0).cwiseSqrt();
  // Errors that alternate, as a periodic motion's misfit does, cancel over whole cycles and would
  // make the robust error smaller than the usual one; another recording need not cancel them.
  const Eigen::VectorXd robust = out.robust_covariance.diagonal().cwiseMax(0).cwiseSqrt();
  out.robust_standard_error = robust.cwiseMax(out.standard_error);
  for (Eigen::Index k = 0; k < robust.size(); ++k) {
    out.at_floor.push_back(robust[k] < out.standard_error[k]);
  }
  out.half_width = calc_normal_quantile(0.975) * out.standard_error;
  out.robust_half_width = out.robust_standard_error;
  for (Eigen::Index k = 0; k < out.robust_dof.size(); ++k) {
    out.robust_half_width[k] *= calc_student_t_quantile(0.975, out.robust_dof[k]);
  }
}

// Nothing is known about the combination's parameters.
void add_open(Combination combination, Confidence& out) {
  combination.standard_error = kInfinity;
  for (const auto& term : combination.terms) {
    const int k = term.first;
    out.identifiable[k] = false;
    out.standard_error[k] = out.robust_standard_error[k] = kInfinity;
    out.half_width[k] = out.robust_half_width[k] = kInfinity;
  }
  out.undetermined.push_back(std::move(combination));
}

void add_unused(const Model& model, const std::vector<int>& unused, Confidence& out) {
  if (unused.empty()) return;
  Combination c;
  for (int k : unused) {
    c.terms.emplace_back(k, 1.0);
    c.text += (c.text.empty() ? "" : ", ") + model.parameters[k].name;
  }
  c.remedy = "nothing that was recorded depends on these; record their markers, or fix them";
  add_open(std::move(c), out);
}

// Parameters known worse than is useful, each with what it trades against: its column of the
// covariance.
void add_weak(const Model& model, RemedyFinder& remedies, Confidence& out) {
  const Eigen::Index p = out.standard_error.size();
  std::vector<char> done(p, 0);
  while (true) {
    int worst = -1;
    double ratio = 1;
    for (int k = 0; k < p; ++k) {
      const double r = out.standard_error[k] / calc_useful_error(model.parameters[k].unit);
      if (!done[k] && out.identifiable[k] && r > ratio) {
        worst = k;
        ratio = r;
      }
    }
    if (worst < 0) break;
    const Eigen::VectorXd direction =
        out.covariance.col(worst) / std::sqrt(out.covariance(worst, worst));
    Combination c = make_combination(model, direction, out.standard_error[worst]);
    for (const auto& term : c.terms) done[term.first] = 1;
    done[worst] = 1;
    c.remedy = remedies.find(direction);
    out.undetermined.push_back(std::move(c));
  }
  for (int k = 0; k < p; ++k) {
    if (out.standard_error[k] > calc_useful_error(model.parameters[k].unit)) {
      out.identifiable[k] = false;
    }
  }
}

}  // namespace

Eigen::MatrixXd calc_covariance_root(const Identification& id) {
  const Eigen::MatrixXd Z = calc_free_basis(id.frames.model(), id.d, find_unused(id));
  return calc_inverse_root(id, find_directions(id.gauss_newton.schur, Z).determined);
}

Confidence calc_confidence(Identification& id, const std::vector<Trial>& trials) {
  Confidence out;
  const Model& model = id.frames.model();
  const std::vector<int> unused = find_unused(id);
  const Eigen::MatrixXd Z = calc_free_basis(model, id.d, unused);
  set_noise(id, static_cast<double>(Z.cols()), out);
  const Directions directions = find_directions(id.gauss_newton.schur, Z);
  const Eigen::MatrixXd W = calc_inverse_root(id, directions.determined);
  out.covariance = out.sigma * out.sigma * multiply(W, W.transpose());
  set_robust(id, W, trials, out);
  set_errors(out);

  RemedyFinder remedies(id, Z);
  out.identifiable.assign(id.d.size(), true);
  add_unused(model, unused, out);
  for (Eigen::Index k = 0; k < directions.open.cols(); ++k) {
    Combination c = make_combination(model, directions.open.col(k), kInfinity);
    c.remedy = remedies.find(directions.open.col(k));
    add_open(std::move(c), out);
  }
  add_weak(model, remedies, out);
  return out;
}

}  // namespace vesica::markers
