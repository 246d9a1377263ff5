#include "vesica/markers/marker_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/markers/confidence.h"
#include "vesica/markers/dense.h"
#include "vesica/markers/joint_terms.h"
#include "vesica/markers/long_run.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/math/parallel.h"

namespace vesica::markers {
namespace {

// Prior of log tau: a factor of 3 in the standard deviation.
const double kPriorVariance = std::pow(2 * std::log(3.0), 2);
// Noise is taken within this factor of the markers' mean.
constexpr double kMostUnlike = 10;
constexpr int kMaxRounds = 60;
// Step of every log tau, over its own standard error, that ends it.
constexpr double kSettled = 0.02;
// A variance changes by at most this factor a round: the step is that of a linear model.
constexpr double kLargestStep = 2.5;
// A step longer than this part of the one before halves the share of it that is taken where it goes
// back, and doubles it where it goes on with at least that cosine.
constexpr double kShorter = 0.5, kAhead = 0.8, kLargestShare = 8;
// Correlation times are those of this round from then on, so that steps aim at one point.
constexpr int kTimesOfRound = 4;
constexpr int kFramesPerNoiseSum = 64;

// How the segments move: Z by the frame's own degrees of freedom, E by the constants. Six rows a
// body, (dp, theta).
struct FrameMotion {
  Eigen::MatrixXd Z, E;
};
FrameMotion calc_frame_motion(const Plan& plan, const Geometry& geometry, const Frame& frame,
                              const SegmentPose* poses) {
  if (plan.dense()) {
    const DenseFrame dense =
        calc_dense_frame(plan, geometry, frame, poses, Curvature::kGaussNewton);
    return {dense.rows.null_space, -multiply(dense.rows.pseudo_inverse, dense.J_d)};
  }
  const auto& bodies = plan.bodies();
  const auto rows = static_cast<Eigen::Index>(6 * bodies.size());
  FrameMotion out{Eigen::MatrixXd::Zero(rows, plan.dof()),
                  Eigen::MatrixXd::Zero(rows, plan.parameter_count())};
  Eigen::Index column = 0;
  for (size_t k = 0; k < bodies.size(); ++k) {
    const Plan::Body& body = bodies[k];
    const auto at = static_cast<Eigen::Index>(6 * k);
    if (body.joint < 0) {
      out.Z.block<6, 6>(at, column).setIdentity();
      column += 6;
      continue;
    }
    const bool grounded = body.parent == kGround;
    const SegmentPose parent = grounded ? SegmentPose{} : poses[bodies[body.parent].segment];
    const SegmentPose& child = poses[body.segment];
    const detail::JointTerms t =
        detail::calc_joint_terms(geometry.joints[body.joint], as_rotation(parent.q_WS), parent.p_WS,
                                 as_rotation(child.q_WS), child.p_WS);
    if (!grounded) {
      const Mat3d shift = skew<double>(t.a_C - t.a_P);  // theta x (a_P - a_C)
      const Eigen::Index from = 6 * static_cast<Eigen::Index>(body.parent);
      for (Eigen::MatrixXd* M : {&out.Z, &out.E}) {
        M->middleRows<6>(at) = M->middleRows<6>(from);
        M->middleRows<3>(at) += shift * M->middleRows<3>(from + 3);
      }
    }
    for (int i = 0; i < t.free_count; ++i) {
      out.Z.col(column++).segment<6>(at) += stack(t.a_C.cross(t.N[i]), t.N[i]);
    }
    for (int i = 0; i < t.parameter_count; ++i) {
      out.E.col(t.parameter[i]).segment<6>(at) +=
          detail::calc_parameter_motion(t, t.d_position[i], t.d_row[i]);
    }
  }
  return out;
}

struct NoiseSums {
  Eigen::VectorXd y, redundancy, seen;  // a marker
  Eigen::MatrixXd Q;                    // marker by marker
};

// One frame's part; `residuals` gets what the markers are off, in units of weight 1.
void add_frame_noise(const Plan& plan, const Geometry& geometry, const Frame& frame,
                     const SegmentPose* poses, const Eigen::MatrixXd& W, NoiseSums& sums,
                     double* residuals) {
  const Model& model = plan.model();
  const auto markers = static_cast<int>(model.markers.size());
  std::vector<int> seen;
  for (int m = 0; m < markers; ++m) {
    if (frame.weights[m] > 0) seen.push_back(m);
  }
  const FrameMotion motion = calc_frame_motion(plan, geometry, frame, poses);
  const auto rows = static_cast<Eigen::Index>(3 * seen.size());
  Eigen::MatrixXd B(rows, motion.Z.cols()), B_d(rows, motion.E.cols());
  for (size_t i = 0; i < seen.size(); ++i) {
    const int m = seen[i];
    const SegmentPose& pose = poses[model.markers[m].segment];
    const Mat3d R = as_rotation(pose.q_WS);
    const LocalVector& u = geometry.markers[m];
    const Vec3d a = R * u.value, psi = pose.p_WS + a - frame.positions[m];
    const double pulled = calc_loss(model.loss, psi.squaredNorm()).first;
    const double root = std::sqrt(frame.weights[m] * pulled);
    const Mat3d lever = skew<double>(-a);  // theta x a
    const auto at = static_cast<Eigen::Index>(3 * i);
    const Eigen::Index body = 6 * static_cast<Eigen::Index>(plan.body_of(model.markers[m].segment));
    B.middleRows<3>(at) =
        root * (motion.Z.middleRows<3>(body) + lever * motion.Z.middleRows<3>(body + 3));
    B_d.middleRows<3>(at) =
        root * (motion.E.middleRows<3>(body) + lever * motion.E.middleRows<3>(body + 3));
    for (int k = 0; k < u.count; ++k) {
      B_d.col(u.parameter[k]).segment<3>(at) += root * (R * u.first[k]);
    }
    // Where a robust loss has pulled a residual back it counts as pulled back.
    const Vec3d r = std::sqrt(frame.weights[m]) * pulled * psi;
    for (int k = 0; k < 3; ++k) residuals[3 * m + k] = r[k];
    sums.y[m] += r.squaredNorm();
    sums.seen[m] += 1;
  }
  // The hat matrix is F F' + K K'.
  const SymmetricEigen eigen = calc_eigen(multiply_transposed(B, B));
  const double least = 1e-10 * (eigen.values.size() > 0 ? eigen.values.maxCoeff() : 0);
  Eigen::VectorXd inverse_root(eigen.values.size());
  for (Eigen::Index k = 0; k < inverse_root.size(); ++k) {
    inverse_root[k] = eigen.values[k] > least ? 1 / std::sqrt(eigen.values[k]) : 0;
  }
  const Eigen::MatrixXd F = multiply(B, eigen.vectors * inverse_root.asDiagonal());
  const Eigen::MatrixXd K = multiply(B_d - multiply(F, multiply_transposed(F, B_d)), W);
  Eigen::MatrixXd P = -multiply(F, F.transpose()) - multiply(K, K.transpose());
  P.diagonal().array() += 1;
  for (size_t i = 0; i < seen.size(); ++i) {
    const auto at_i = static_cast<Eigen::Index>(3 * i);
    sums.redundancy[seen[i]] += P.block<3, 3>(at_i, at_i).trace();
    for (size_t j = 0; j < seen.size(); ++j) {
      sums.Q(seen[i], seen[j]) +=
          P.block<3, 3>(at_i, static_cast<Eigen::Index>(3 * j)).squaredNorm();
    }
  }
}

struct NoiseOfFrames {
  NoiseSums sums;
  Eigen::VectorXd square_times;  // correlation time of each marker's squares, frames
};
NoiseOfFrames add_noise(Identification& id, const std::vector<Trial>& trials) {
  const Model& model = id.frames.model();
  const Plan plan(model, true);
  const Geometry geometry = plan.calc_geometry(id.d);
  const Eigen::MatrixXd W = calc_covariance_root(id);
  const auto n = static_cast<Eigen::Index>(model.markers.size());
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd residuals = Eigen::MatrixXd::Zero(3 * n, id.frames.frame_count());
  NoiseOfFrames out;
  out.sums = reduce_in_order(
      id.frames.frame_count(), kFramesPerNoiseSum, id.frames.threads(),
      NoiseSums{none, none, none, Eigen::MatrixXd::Zero(n, n)},
      [&](int k, int, NoiseSums& sums) {
        add_frame_noise(plan, geometry, id.frames.frame(k), id.frames.poses(k), W, sums,
                        residuals.col(k).data());
      },
      [](NoiseSums& total, const NoiseSums& more) {
        total.y += more.y;
        total.redundancy += more.redundancy;
        total.seen += more.seen;
        total.Q += more.Q;
      });
  std::vector<int> lengths;
  for (const Trial& trial : trials) lengths.push_back(trial.frame_count());
  const Eigen::VectorXd times = calc_correlation_times(residuals.transpose(), lengths);
  out.square_times.resize(n);
  for (Eigen::Index m = 0; m < n; ++m) {
    const double time = times.segment<3>(3 * m).mean(), r = (time - 1) / (time + 1);
    out.square_times[m] = (1 + r * r) / (1 - r * r);  // r^2 a frame for squares
  }
  return out;
}

// One round: log tau of the markers that are seen, its step by Fisher's scoring of likelihood and
// prior, and the variance that it is left with. Steps are limited, the point where they vanish is
// not touched by that.
struct VarianceStep {
  std::vector<int> seen;
  Eigen::VectorXd log_tau, step, variance;
  std::vector<bool> at_bound;
};
VarianceStep calc_variance_step(const NoiseOfFrames& noise, const Eigen::VectorXd& tau, double c) {
  VarianceStep out;
  for (int m = 0; m < tau.size(); ++m) {
    if (noise.sums.seen[m] > 0) out.seen.push_back(m);
  }
  const auto n = static_cast<Eigen::Index>(out.seen.size());
  out.log_tau = tau(out.seen).array().log();
  const double mean = out.log_tau.mean(), reach = 2 * std::log(kMostUnlike);
  // Score and information of the likelihood, with as many residuals as are independent, then those
  // of the prior, whose mean is the markers' own.
  const Eigen::VectorXd times = noise.square_times(out.seen);
  const Eigen::VectorXd more = noise.sums.y(out.seen) / c - noise.sums.redundancy(out.seen);
  const Eigen::VectorXd root = times.cwiseSqrt().cwiseInverse();
  Eigen::VectorXd score = 0.5 * more.cwiseQuotient(times);
  score.array() -= (out.log_tau.array() - mean) / kPriorVariance;
  Eigen::MatrixXd A =
      0.5 * (root.asDiagonal() * noise.sums.Q(out.seen, out.seen).eval() * root.asDiagonal());
  A.array() -= 1 / (kPriorVariance * static_cast<double>(n));
  A.diagonal().array() += 1 / kPriorVariance;
  out.variance = invert_symmetric(A).diagonal();
  // Markers that would pass the bound stop there, and the others step knowing that.
  out.step = Eigen::VectorXd::Zero(n);
  out.at_bound.assign(n, false);
  for (bool again = true; again;) {
    again = false;
    std::vector<Eigen::Index> open;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!out.at_bound[i]) open.push_back(i);
    }
    if (open.empty()) break;
    Eigen::VectorXd stopped = out.step;
    for (const Eigen::Index i : open) stopped[i] = 0;
    const Eigen::VectorXd rest = score - A * stopped;
    const Eigen::VectorXd steps = solve_symmetric(A(open, open), rest(open));
    for (size_t k = 0; k < open.size(); ++k) {
      const Eigen::Index i = open[k];
      const double target = out.log_tau[i] + steps[static_cast<Eigen::Index>(k)];
      const double kept = std::clamp(target, mean - reach, mean + reach);
      out.step[i] = kept - out.log_tau[i];
      if (kept != target) out.at_bound[i] = again = true;
    }
  }
  // A variance that only its own squares tell is linear in tau, and 1 + step then is exact.
  const double most = std::log(kLargestStep);
  for (Eigen::Index i = 0; i < n; ++i) {
    double& step = out.step[i];
    if (!out.at_bound[i]) step = std::log1p(std::max(step, 1 / kLargestStep - 1));
    step = std::clamp(step, -most, most);
  }
  return out;
}

// Takes `share` of the step; returns tau (0: never seen).
Eigen::VectorXd take_variance_step(const NoiseOfFrames& noise, const VarianceStep& step,
                                   double share, MarkerNoiseEstimate& out) {
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(noise.sums.seen.size());
  out.markers.assign(tau.size(), {});
  const double most = std::log(kLargestStep);
  for (size_t k = 0; k < step.seen.size(); ++k) {
    const int m = step.seen[k];
    const auto i = static_cast<Eigen::Index>(k);
    tau[m] = std::exp(step.log_tau[i] + std::clamp(share * step.step[i], -most, most));
    MarkerSd& sd = out.markers[m];
    sd.sd = std::sqrt(tau[m]);
    sd.standard_error = 0.5 * sd.sd * std::sqrt(step.variance[i]);
    sd.redundancy = noise.sums.redundancy[m];
    sd.held = step.at_bound[k] || step.variance[i] > 0.5 * kPriorVariance;
  }
  return tau;
}

// Weights c / tau with the mean 1 over the markers that are seen; returns c.
double set_weights_of(const Eigen::VectorXd& tau, MarkerNoiseEstimate& out) {
  double sum = 0, count = 0;
  for (double t : tau) {
    if (t <= 0) continue;
    sum += 1 / t;
    ++count;
  }
  const double c = sum > 0 ? count / sum : 0;
  for (Eigen::Index m = 0; m < tau.size(); ++m) {
    out.markers[m].weight = tau[m] > 0 ? c / tau[m] : 1;
  }
  out.mean_sd = std::sqrt(c);
  return c;
}

void multiply_weights(const Eigen::VectorXd& factor, std::vector<Trial>& trials) {
  for (Trial& trial : trials) {
    for (size_t i = 0; i < trial.weights.size(); ++i) {
      trial.weights[i] *= factor[static_cast<Eigen::Index>(i % trial.marker_count)];
    }
  }
}

// What the weights of the trials stand for at first: one noise, divided by the model's weights.
Eigen::VectorXd calc_first_variances(const Identification& id, double c) {
  const Model& model = id.frames.model();
  Eigen::VectorXd tau(static_cast<Eigen::Index>(model.markers.size()));
  for (Eigen::Index m = 0; m < tau.size(); ++m) tau[m] = c / model.markers[m].weight;
  return tau;
}

double calc_common_variance(const NoiseSums& sums) {
  const double redundancy = sums.redundancy.sum();
  return redundancy > 0 ? sums.y.sum() / redundancy : 0;
}

}  // namespace

MarkerNoiseEstimate calc_marker_noise(Identification& id, const std::vector<Trial>& trials) {
  MarkerNoiseEstimate out;
  const NoiseOfFrames noise = add_noise(id, trials);
  const double c = calc_common_variance(noise.sums);
  out.markers.resize(id.frames.model().markers.size());
  if (!(c > 0)) return out;
  const VarianceStep step = calc_variance_step(noise, calc_first_variances(id, c), c);
  set_weights_of(take_variance_step(noise, step, 1, out), out);
  return out;
}

MarkerNoiseEstimate fit_marker_weights(Identification& id, std::vector<Trial>& trials,
                                       const Options& options) {
  MarkerNoiseEstimate out;
  out.markers.resize(id.frames.model().markers.size());
  NoiseOfFrames noise = add_noise(id, trials);
  double c = calc_common_variance(noise.sums);
  if (!(c > 0)) return out;  // markers that fit exactly have no noise to weigh by
  Eigen::VectorXd tau = calc_first_variances(id, c);
  Options again = options;
  again.kkt_reference = std::max(options.kkt_reference, id.summary.kkt_start);
  again.progress = nullptr;
  double share = 1;
  Eigen::VectorXd last_step;
  for (out.rounds = 1; out.rounds <= kMaxRounds; ++out.rounds) {
    const VarianceStep step = calc_variance_step(noise, tau, c);
    if (!step.step.allFinite()) break;
    const double change = step.step.cwiseAbs().cwiseQuotient(step.variance.cwiseSqrt()).maxCoeff();
    // Steps to and fro go past the point they aim at; steps on and on have it far ahead.
    if (last_step.size() == step.step.size()) {
      const double a = step.step.norm(), b = last_step.norm(),
                   cosine = step.step.dot(last_step) / (a * b);
      if (cosine < 0 && a > kShorter * b) share /= 2;
      if (cosine > kAhead && a > kShorter * b) share = std::min(2 * share, kLargestShare);
    }
    last_step = step.step;
    const Eigen::VectorXd next = take_variance_step(noise, step, share, out);
    const double next_c = set_weights_of(next, out);
    Eigen::VectorXd factor = Eigen::VectorXd::Ones(tau.size());
    for (Eigen::Index m = 0; m < tau.size(); ++m) {
      if (next[m] > 0) factor[m] = (next_c / next[m]) / (c / tau[m]);
    }
    multiply_weights(factor, trials);
    tau = next;
    c = next_c;
    const Summary before = id.summary;
    id.summary = solve_all_frames(id.frames, id.d, again);
    // One account of the whole: what the start took, and all iterations.
    id.summary.seconds_start = before.seconds_start;
    id.summary.seconds_solve += before.seconds_solve;
    id.summary.start_iterations = before.start_iterations;
    id.summary.starts = before.starts;
    id.summary.starts_alike = before.starts_alike;
    id.summary.saddle_frames += before.saddle_frames;
    id.summary.warnings = before.warnings;
    id.summary.iterations.insert(id.summary.iterations.begin(), before.iterations.begin(),
                                 before.iterations.end());
    evaluate_solution(id);
    out.converged = change < kSettled;
    if (out.converged || !id.summary.converged) break;
    const Eigen::VectorXd times = noise.square_times;
    noise = add_noise(id, trials);
    if (out.rounds > kTimesOfRound) noise.square_times = times;
  }
  out.rounds = std::min(out.rounds, kMaxRounds);
  return out;
}

void set_marker_weights(const Model& model, const MarkerNoiseEstimate& estimate,
                        std::vector<Trial>& trials) {
  Eigen::VectorXd factor(static_cast<Eigen::Index>(model.markers.size()));
  for (Eigen::Index m = 0; m < factor.size(); ++m) {
    factor[m] =
        estimate.markers[m].sd > 0 ? estimate.markers[m].weight / model.markers[m].weight : 1;
  }
  multiply_weights(factor, trials);
}

std::string make_noise_table(const Model& model, const MarkerNoiseEstimate& estimate) {
  std::string out = fmt::format(
      "\n  weights from the noise of each marker, {} rounds{}\n  {:<28}{:>8}{:>12}{:>8}\n",
      estimate.rounds, estimate.converged ? "" : " (NOT settled)", "noise of a coordinate, mm",
      "sd", "std error", "weight");
  for (size_t m = 0; m < model.markers.size(); ++m) {
    const MarkerSd& sd = estimate.markers[m];
    if (sd.sd <= 0) continue;
    out += fmt::format("  {:<28}{:>8.2f}{:>12.2f}{:>8.2f}{}\n", model.markers[m].name, sd.sd * 1e3,
                       sd.standard_error * 1e3, sd.weight, sd.held ? "   held by the prior" : "");
  }
  return out;
}

}  // namespace vesica::markers
