// Identification: constants d and all poses together from all frames (Andersen eq. 11-17).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vesica/markers/all_frames.h"

namespace vesica::markers {

struct Branches;

struct Options {
  int threads = 0;  // 0: all cores
  int max_iterations = 60;
  // The KKT residual that ends it, relative (see Summary::kkt_relative). Newton usually lands far
  // below; round-off is near 1e-15.
  double tolerance = 1e-13;
  // Frames that the start uses to find d before all frames are solved.
  int start_frames = 120;
  bool find_start = true;  // false: start at the model's start values
  // Poses of frames with several minima are chosen over the recording (branches.h); false: each
  // frame's own, for comparison.
  bool choose_branches = true;
  // What kkt_relative is at least divided by: the residual at the user's start values. identify()
  // fills it in.
  double kkt_reference = 0;
  std::function<void(int iteration, double objective, double kkt)> progress;
  const std::atomic<bool>* stop = nullptr;  // set from outside: end with what there is
};

struct Iteration {
  double objective = 0;
  double kkt = 0;       // relative
  double step = 0;      // of the line search
  bool newton = false;  // or Gauss-Newton
  long indefinite_frames = 0;
  int negative_directions = 0;  // of the parameters
};

struct Summary {
  bool converged = false;
  bool interrupted = false;  // by Options::stop
  long branch_frames = 0;    // that took another pose because of the frames beside them
  // How clear the choice of poses was (branches.h), at the solution; null where it was not asked.
  std::shared_ptr<const Branches> branches;
  std::string message;  // cause and remedy where it did not
  std::vector<Iteration> iterations;
  double objective = 0;
  double kkt_absolute = 0;  // max norm of eq. 13, SI
  double kkt_start = 0;     // the same where the iteration began
  // Divided by the largest of: its value at the model's start values, its value where the
  // all-frames iteration began, the sum of absolute terms in L_d.
  double kkt_relative = 0;
  double constraint = 0;  // max |Phi| [m or 1]
  bool minimum = false;   // inertia of the exact KKT matrix says strict local minimum
  int undetermined = 0;   // directions of d that do not change the objective
  long undetermined_frames = 0;
  long saddle_frames = 0;    // frames that were found at saddles and left them
  int start_iterations = 0;  // on the few frames that d started from, discarded starts included
  // Of so many starts, those that ended where this one did: with less than two, other minima are
  // known and nothing says that there is no lower one.
  int starts = 0, starts_alike = 0;
  double seconds_start = 0, seconds_solve = 0;
  std::vector<std::string> warnings;
};

struct Identification {
  Eigen::VectorXd d;
  AllFrames frames;
  Evaluation gauss_newton;  // at the solution, priors included in schur
  Evaluation newton;
  Summary summary;
};

// The trials must outlive the result. Throws InputError on data that cannot be used.
Identification identify(const Model& model, const std::vector<Trial>& trials,
                        const Options& options);

// Fills `newton` and `gauss_newton` at the poses and d that `id` holds.
void evaluate_solution(Identification& id);

// Only the all-frames problem, from d and the poses that `frames` holds.
Summary solve_all_frames(AllFrames& frames, Eigen::VectorXd& d, const Options& options);

// Priors as they enter the objective: 1/2 sum (marker_sd/sd)^2 (d - mean)^2.
double calc_prior(const Model& model, const Eigen::VectorXd& d, Eigen::VectorXd* gradient,
                  Eigen::VectorXd* curvature);

}  // namespace vesica::markers
