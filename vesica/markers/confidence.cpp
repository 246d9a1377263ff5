#include "vesica/markers/confidence.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/parameter_step.h"

namespace vesica::markers {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

// Tries each joint motion alone: a sweep of +-40 deg about a pose in the middle of the recording,
// with all markers, as many frames as the recording has. The best is the one after which the
// combination is known best.
std::string find_remedy(Identification& id, const Eigen::MatrixXd& S, const Eigen::MatrixXd& Z,
                        const Eigen::VectorXd& direction) {
  const Model& model = id.frames.model();
  if (model.has_loops()) return "";
  const auto coordinates = list_joint_coordinates(model);
  const int middle = id.frames.frame_count() / 2;
  const std::vector<double> q = calc_joint_coordinates(model, id.d, id.frames.poses(middle));
  const Plan plan(model, true);
  const Geometry geometry = plan.calc_geometry(id.d);
  Workspace work(plan);
  std::vector<SegmentPose> poses(model.segments.size());
  std::vector<Vec3d> positions(model.markers.size());
  // Only markers that the recordings show.
  std::vector<double> weights(model.markers.size(), 0.0);
  for (int k = 0; k < id.frames.frame_count(); ++k) {
    for (size_t m = 0; m < weights.size(); ++m) {
      if (id.frames.frame(k).weights[m] > 0) weights[m] = 1;
    }
  }
  const auto variance_with = [&](const Eigen::MatrixXd& extra) {
    Eigen::MatrixXd R = Z.transpose() * (S + extra) * Z;
    R.diagonal().array() += 1e-10 * R.diagonal().maxCoeff();
    const Eigen::VectorXd u = Z.transpose() * direction;
    return u.dot(R.ldlt().solve(u));
  };
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(S.rows(), S.cols());
  const double before = variance_with(none);
  double best = 0.1 * before;
  std::string name;
  for (size_t c = 0; c < coordinates.size(); ++c) {
    if (!coordinates[c].angle || model.tree_joint[coordinates[c].segment] < 0) continue;
    Sums sums(plan);
    constexpr int kPoses = 9;
    for (int k = 0; k < kPoses; ++k) {
      std::vector<double> moved = q;
      moved[c] += (k - kPoses / 2) * 10 * kPi / 180;
      place_segments(model, id.d, moved, poses.data());
      for (size_t m = 0; m < positions.size(); ++m) {
        positions[m] = calc_marker(geometry, model, static_cast<int>(m), poses.data());
      }
      eliminate_frame(plan, geometry, {positions.data(), weights.data()}, poses.data(),
                      Curvature::kGaussNewton, 0, work, sums, work.scratch_gains.data());
    }
    const Eigen::MatrixXd extra =
        sums.calc_schur(plan) * (id.frames.frame_count() / double(kPoses));
    const double after = variance_with(extra);
    if (after < best) {
      best = after;
      name = coordinates[c].name;
    }
  }
  if (name.empty()) {
    return "no motion of a single joint would determine it: fix one of these parameters, or "
           "measure "
           "it otherwise";
  }
  return fmt::format("a recording that moves {} through +-40 deg would determine it", name);
}

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

double calc_t_975(double dof) {
  constexpr double z = 1.959964;
  const double n = std::max(3.0, dof);
  constexpr double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n) +
         (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * n * n * n * n);
}

namespace {

// Lag-one correlation of each column, pairs within a trial only.
Eigen::VectorXd calc_lag_correlation(const Eigen::MatrixXd& s, const std::vector<int>& lengths) {
  Eigen::VectorXd rho(s.cols());
  for (Eigen::Index c = 0; c < s.cols(); ++c) {
    double lagged = 0, total = 0;
    Eigen::Index begin = 0;
    for (int length : lengths) {
      const auto part = s.col(c).segment(begin, length);
      total += part.squaredNorm();
      if (length > 1) lagged += part.head(length - 1).dot(part.tail(length - 1));
      begin += length;
    }
    // Nearer to one, whitening would divide by noise.
    rho[c] = total > 0 ? std::clamp(lagged / total, -0.97, 0.97) : 0;
  }
  return rho;
}

// Sum over lags with Parzen's weights.
Eigen::MatrixXd add_lags(const Eigen::MatrixXd& scores, const std::vector<int>& lengths, double b) {
  const Eigen::Index p = scores.cols();
  // A bandwidth of many frames is as well served by sums of a few neighbouring scores.
  const int batch = std::max(1, static_cast<int>(b / 40));
  const int lags = static_cast<int>(b / batch);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(p, p);
  Eigen::Index begin = 0;
  for (int length : lengths) {
    const int count = (length + batch - 1) / batch;
    Eigen::MatrixXd s = Eigen::MatrixXd::Zero(count, p);
    for (int k = 0; k < length; ++k) s.row(k / batch) += scores.row(begin + k);
    begin += length;
    M += s.transpose() * s;
    for (int lag = 1; lag <= lags && lag < count; ++lag) {
      const double x = lag * batch / b;
      const double k = x < 0.5 ? 1 - 6 * x * x * (1 - x) : x < 1 ? 2 * std::pow(1 - x, 3) : 0;
      const Eigen::MatrixXd G = s.topRows(count - lag).transpose() * s.bottomRows(count - lag);
      M += k * (G + G.transpose());
    }
  }
  return M;
}

}  // namespace

LongRun calc_long_run_covariance(const Eigen::MatrixXd& scores,
                                 const std::vector<int>& trial_lengths) {
  LongRun out;
  const Eigen::VectorXd rho = calc_lag_correlation(scores, trial_lengths);
  out.correlation_times = ((1 + rho.array()) / (1 - rho.array())).max(1.0);
  Eigen::MatrixXd white = scores;
  Eigen::Index begin = 0;
  for (int length : trial_lengths) {
    for (int k = length; k-- > 1;) {
      white.row(begin + k) -=
          (scores.row(begin + k - 1).array() * rho.transpose().array()).matrix();
    }
    // The first frame stands for what came before it.
    if (length > 0) {
      white.row(begin).array() *= (1 - rho.array().square()).sqrt().transpose();
    }
    begin += length;
  }
  // Andrews' plug-in bandwidth from what correlation is left.
  const Eigen::VectorXd left = calc_lag_correlation(white, trial_lengths);
  double numerator = 0, denominator = 0;
  for (double r : left) {
    numerator += 4 * r * r / std::pow(1 - r, 8);
    denominator += 1 / std::pow(1 - r, 4);
  }
  const int longest = *std::max_element(trial_lengths.begin(), trial_lengths.end());
  const double alpha = denominator > 0 ? numerator / denominator : 0;
  out.bandwidth =
      std::clamp(2.6614 * std::pow(alpha * longest, 0.2), 1.0, std::max(1.0, longest / 2.0));
  const Eigen::VectorXd colour = 1 / (1 - rho.array());
  out.M = colour.asDiagonal() * add_lags(white, trial_lengths, out.bandwidth) * colour.asDiagonal();
  return out;
}

Confidence calc_confidence(Identification& id, const std::vector<Trial>& trials) {
  Confidence out;
  const Model& model = id.frames.model();
  const Eigen::Index p = id.d.size();
  // Coordinates of markers that were never seen have no curvature at all.
  std::vector<int> unused;
  for (int k = 0; k < p; ++k) {
    if (!(id.gauss_newton.schur(k, k) > 1e-12)) unused.push_back(k);
  }
  const Eigen::MatrixXd Z = calc_free_basis(model, id.d, unused);
  const Plan plan(model, false);
  int loop_rows = 0;
  for (int j : model.loop_joints) loop_rows += calc_constraint_count(model.joints[j].type);
  const auto results = id.frames.inspect(id.d, Curvature::kGaussNewton);
  for (int k = 0; k < id.frames.frame_count(); ++k) {
    const Frame f = id.frames.frame(k);
    for (size_t m = 0; m < model.markers.size(); ++m) out.equations += f.weights[m] > 0 ? 3 : 0;
    out.unknowns += plan.dof() - loop_rows - results[k].undetermined;
  }
  out.unknowns += static_cast<double>(Z.cols());
  const double prior = calc_prior(model, id.d, nullptr, nullptr);
  const double spare = out.equations - out.unknowns;
  out.sigma = spare > 0 ? std::sqrt(2 * std::max(0.0, id.newton.objective - prior) / spare) : 0;

  // Reduced, scaled information matrix; the exact one where it is positive.
  const Eigen::MatrixXd R = Z.transpose() * id.gauss_newton.schur * Z;
  Eigen::VectorXd scale(R.rows());
  const double top = R.size() > 0 ? R.diagonal().maxCoeff() : 0;
  for (Eigen::Index k = 0; k < R.rows(); ++k) {
    scale[k] = 1 / std::sqrt(std::max(R(k, k), 1e-14 * top + 1e-300));
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      (scale.asDiagonal() * R * scale.asDiagonal()).eval());
  const Eigen::MatrixXd directions = Z * scale.asDiagonal() * eigen.eigenvectors();
  const auto determined = [&](Eigen::Index k) { return eigen.eigenvalues()[k] > 1e-9; };

  std::vector<Eigen::Index> keep;
  for (Eigen::Index k = 0; k < directions.cols(); ++k) {
    if (determined(k)) keep.push_back(k);
  }
  const Eigen::MatrixXd V = directions(Eigen::all, keep);
  const Eigen::MatrixXd exact = V.transpose() * id.newton.schur * V;
  const Eigen::LLT<Eigen::MatrixXd> factor(exact);
  const bool positive = keep.empty() || factor.info() == Eigen::Success;
  const Eigen::MatrixXd information =
      positive ? exact : Eigen::MatrixXd(V.transpose() * id.gauss_newton.schur * V);
  const Eigen::MatrixXd inverse =
      information.ldlt().solve(Eigen::MatrixXd::Identity(information.rows(), information.cols()));
  out.covariance = out.sigma * out.sigma * V * inverse * V.transpose();

  std::vector<int> lengths;
  for (const Trial& trial : trials) lengths.push_back(trial.frame_count());
  // Influence of every frame on every parameter: its score through the inverse.
  const Eigen::MatrixXd influence = id.frames.calc_scores(id.d) * (V * inverse * V.transpose());
  const LongRun run = calc_long_run_covariance(influence, lengths);
  out.robust_covariance = run.M;
  out.bandwidth = run.bandwidth;
  const double frames = id.frames.frame_count();
  out.effective_frames = frames / (p > 0 ? run.correlation_times.mean() : 1);
  // Frames that really inform a parameter (Kish), each counted once per correlation time.
  out.robust_dof.resize(p);
  for (Eigen::Index k = 0; k < p; ++k) {
    const double squares = influence.col(k).squaredNorm();
    const double fourth = influence.col(k).array().square().square().sum();
    const double informing = fourth > 0 ? squares * squares / fourth : frames;
    // For Gaussian influences the ratio is a third of the number of frames.
    out.robust_dof[k] =
        std::max(3.0, std::min(frames, 3 * informing) / run.correlation_times[k] - 1);
  }

  out.identifiable.assign(p, true);
  out.standard_error = out.covariance.diagonal().cwiseMax(0).cwiseSqrt();
  // Errors that alternate, as a periodic motion's misfit does, cancel over whole cycles and would
  // make the robust error smaller than the usual one; another recording need not cancel them.
  out.robust_standard_error =
      out.robust_covariance.diagonal().cwiseMax(0).cwiseSqrt().cwiseMax(out.standard_error);
  out.half_width = 1.959964 * out.standard_error;
  out.robust_half_width = out.robust_standard_error;
  for (Eigen::Index k = 0; k < p; ++k) out.robust_half_width[k] *= calc_t_975(out.robust_dof[k]);
  if (!unused.empty()) {
    Combination c;
    c.standard_error = kInfinity;
    for (int k : unused) {
      c.terms.emplace_back(k, 1.0);
      c.text += (c.text.empty() ? "" : ", ") + model.parameters[k].name;
      out.identifiable[k] = false;
      out.standard_error[k] = out.robust_standard_error[k] = kInfinity;
      out.half_width[k] = out.robust_half_width[k] = kInfinity;
    }
    c.remedy = "nothing that was recorded depends on these; record their markers, or fix them";
    out.undetermined.push_back(std::move(c));
  }
  for (Eigen::Index k = 0; k < directions.cols(); ++k) {
    if (determined(k)) continue;
    Combination c = make_combination(model, directions.col(k), kInfinity);
    for (const auto& [parameter, coefficient] : c.terms) {
      out.identifiable[parameter] = false;
      out.standard_error[parameter] = out.robust_standard_error[parameter] = kInfinity;
      out.half_width[parameter] = out.robust_half_width[parameter] = kInfinity;
    }
    c.remedy = find_remedy(id, id.gauss_newton.schur, Z, directions.col(k));
    out.undetermined.push_back(std::move(c));
  }
  // Weak directions: parameters known worse than is useful, grouped by what they trade against.
  std::vector<char> done(p, 0);
  for (int round = 0; round < p; ++round) {
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
    // The direction in which this parameter's uncertainty lies: its column of the covariance.
    const Eigen::VectorXd direction =
        out.covariance.col(worst) / std::sqrt(out.covariance(worst, worst));
    Combination c = make_combination(model, direction, out.standard_error[worst]);
    for (const auto& term : c.terms) done[term.first] = 1;
    done[worst] = 1;
    c.remedy = find_remedy(id, id.gauss_newton.schur, Z, direction);
    out.undetermined.push_back(std::move(c));
  }
  for (int k = 0; k < p; ++k) {
    if (out.standard_error[k] > calc_useful_error(model.parameters[k].unit)) {
      out.identifiable[k] = false;
    }
  }
  return out;
}

}  // namespace vesica::markers
