#include "vesica/markers/all_frames.h"

#include <algorithm>
#include <cmath>

#include "vesica/math/parallel.h"

namespace vesica::markers {
namespace {
// Frames that share one partial sum. Fixed, so that sums do not depend on threads; small enough for
// the sums' memory, large enough that adding them up costs nothing.
constexpr int kFramesPerSum = 64;
}  // namespace

struct AllFrames::Parts {
  const Model* model;
  Plan plan;
  int threads;
  std::vector<Frame> frames;
  std::vector<char> begins;  // a trial
  size_t segments;
  std::vector<SegmentPose> poses, trial_poses;
  std::vector<double> gains;
  Geometry geometry;  // where evaluate() was last called
  std::vector<Workspace> work;

  Parts(const Model& m, const std::vector<Trial>& trials, int thread_count)
      : model(&m),
        plan(m, true),
        threads(calc_thread_count(thread_count)),
        segments(m.segments.size()) {
    for (const Trial& trial : trials) {
      for (int k = 0; k < trial.frame_count(); ++k) {
        frames.push_back(trial.frame(k));
        begins.push_back(k == 0);
      }
    }
    poses.resize(frames.size() * segments);
    trial_poses.resize(poses.size());
    for (int k = 0; k < threads; ++k) work.emplace_back(plan);
  }
  int count() const { return static_cast<int>(frames.size()); }

  // f(frame, worker) over all frames.
  template <class F>
  void each(F f) {
    for_each_index((count() + kFramesPerSum - 1) / kFramesPerSum, threads,
                   [&](int stretch, int worker) {
                     const int end = std::min(count(), (stretch + 1) * kFramesPerSum);
                     for (int k = stretch * kFramesPerSum; k < end; ++k) f(k, worker);
                   });
  }
  // Sum of f(frame, worker) over all frames.
  template <class F>
  double add(F f) {
    return reduce_in_order(
        count(), kFramesPerSum, threads, 0.0,
        [&](int k, int worker, double& sum) { sum += f(k, worker); },
        [](double& total, double sum) { total += sum; });
  }
};

AllFrames::AllFrames(const Model& model, const std::vector<Trial>& trials, int threads)
    : parts_(std::make_unique<Parts>(model, trials, threads)) {}
AllFrames::~AllFrames() = default;
AllFrames::AllFrames(AllFrames&&) noexcept = default;

int AllFrames::frame_count() const { return parts_->count(); }
const Model& AllFrames::model() const { return *parts_->model; }
Frame AllFrames::frame(int k) const { return parts_->frames[k]; }
SegmentPose* AllFrames::poses(int k) { return &parts_->poses[k * parts_->segments]; }
const SegmentPose* AllFrames::poses(int k) const { return &parts_->poses[k * parts_->segments]; }
int AllFrames::threads() const { return parts_->threads; }
bool AllFrames::begins_trial(int k) const { return parts_->begins[k] != 0; }

void AllFrames::project(const Eigen::VectorXd& d) {
  Parts& p = *parts_;
  const Geometry geometry = p.plan.calc_geometry(d);
  p.each([&](int k, int) { project_poses(p.plan, geometry, poses(k)); });
}

double AllFrames::calc_objective(const Eigen::VectorXd& d) const {
  Parts& p = *parts_;
  const Geometry geometry = p.plan.calc_geometry(d);
  return p.add(
      [&](int k, int) { return markers::calc_objective(p.plan, geometry, p.frames[k], poses(k)); });
}

Evaluation AllFrames::evaluate(const Eigen::VectorXd& d, Curvature curvature, double damping) {
  Parts& p = *parts_;
  p.geometry = p.plan.calc_geometry(d);
  p.gains.resize(p.frames.size() * p.plan.gain_count());
  const Sums total = reduce_in_order(
      p.count(), kFramesPerSum, p.threads, Sums(p.plan),
      [&](int k, int worker, Sums& sums) {
        eliminate_frame(p.plan, p.geometry, p.frames[k], poses(k), curvature, damping,
                        p.work[worker], sums, &p.gains[k * p.plan.gain_count()]);
      },
      [](Sums& sum, const Sums& more) { sum.add(more); });

  Evaluation out;
  out.objective = total.objective;
  out.schur = total.calc_schur(p.plan);
  out.gradient = total.calc_gradient(p.plan);
  out.L_d = total.L_d;
  out.L_d_size = total.L_d_size.size() > 0 ? total.L_d_size.maxCoeff() : 0;
  out.kkt_frames = total.kkt_frames;
  out.constraint = total.constraint;
  for (const auto& D : total.D) out.frame_slope += D(D.rows() - 1, D.rows() - 1);
  out.indefinite_frames = total.indefinite_frames;
  out.undetermined_frames = total.undetermined_frames;
  return out;
}

double AllFrames::try_step(const Eigen::VectorXd& d, const Eigen::VectorXd& dd, double step) {
  Parts& p = *parts_;
  const Geometry target = p.plan.calc_geometry(d + step * dd);
  return p.add([&](int k, int worker) {
    SegmentPose* to = &p.trial_poses[k * p.segments];
    back_substitute(p.plan, p.geometry, poses(k), &p.gains[k * p.plan.gain_count()], dd,
                    p.work[worker]);
    move_poses(p.plan, target, poses(k), step, p.work[worker], to);
    return markers::calc_objective(p.plan, target, p.frames[k], to);
  });
}

void AllFrames::accept_step() { parts_->poses.swap(parts_->trial_poses); }

Eigen::MatrixXd AllFrames::calc_scores(const Eigen::VectorXd& d) {
  Parts& p = *parts_;
  const Geometry geometry = p.plan.calc_geometry(d);
  Eigen::MatrixXd scores(p.count(), p.plan.parameter_count());
  std::vector<Sums> sums(p.threads, Sums(p.plan));
  p.each([&](int k, int worker) {
    Sums& s = sums[worker];
    s.L_d.setZero();
    eliminate_frame(p.plan, geometry, p.frames[k], poses(k), Curvature::kGaussNewton, 0,
                    p.work[worker], s, p.work[worker].scratch_gains.data());
    scores.row(k) = s.L_d.transpose();
  });
  return scores;
}

std::vector<Eigen::MatrixXd> AllFrames::calc_information(const Eigen::VectorXd& d,
                                                         const std::vector<int>& ends) {
  Parts& p = *parts_;
  const Geometry geometry = p.plan.calc_geometry(d);
  std::vector<Eigen::MatrixXd> information(ends.size());
  for_each_index(static_cast<int>(ends.size()), p.threads, [&](int g, int worker) {
    Sums sums(p.plan);
    for (int k = g == 0 ? 0 : ends[g - 1]; k < ends[g]; ++k) {
      eliminate_frame(p.plan, geometry, p.frames[k], poses(k), Curvature::kGaussNewton, 0,
                      p.work[worker], sums, p.work[worker].scratch_gains.data());
    }
    information[g] = sums.calc_schur(p.plan);
  });
  return information;
}

std::vector<FrameResult> AllFrames::inspect(const Eigen::VectorXd& d, Curvature curvature) {
  Parts& p = *parts_;
  const Geometry geometry = p.plan.calc_geometry(d);
  std::vector<FrameResult> results(p.count());
  std::vector<Sums> sums(p.threads, Sums(p.plan));
  p.each([&](int k, int worker) {
    results[k] = eliminate_frame(p.plan, geometry, p.frames[k], poses(k), curvature, 0,
                                 p.work[worker], sums[worker], p.work[worker].scratch_gains.data());
  });
  return results;
}

}  // namespace vesica::markers
