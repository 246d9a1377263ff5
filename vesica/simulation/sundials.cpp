// Adaptive integration by SUNDIALS: CVODES (BDF, for stiff contact) and ARKODE (explicit
// Runge-Kutta). Touchdown and lift-off are located as roots of the contacts' distances, not stepped
// over.
#include <arkode/arkode_erkstep.h>
#include <cvodes/cvodes.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <utility>

#include "vesica/error.h"
#include "vesica/simulation/driver.h"
#include "vesica/simulation/switch_times.h"

namespace vesica::detail {
namespace {

// What the callbacks need.
struct Problem {
  const System<double>* system;
  RunStatistics* statistics;
  Evaluation<double>* data;
  Memory<double> memory;
  JacobianEvaluator jacobian;
  std::exception_ptr error;  // exceptions must not cross the library's C frames
  const std::atomic<bool>* stop;
};

// Runs what a callback does; an exception is kept and stops the solver.
template <class Action>
int guarded(void* user, const Action& action) {
  auto* p = static_cast<Problem*>(user);
  try {
    if (p->stop && p->stop->load(std::memory_order_relaxed)) throw Interrupted("within a step");
    return action(p);
  } catch (...) {
    p->error = std::current_exception();
    return -1;
  }
}

int rates(double t, N_Vector y, N_Vector f, void* user) {
  return guarded(user, [&](Problem* p) {
    p->system->calc_rates(t, N_VGetArrayPointer(y), p->memory, N_VGetArrayPointer(f), p->data);
    ++p->statistics->evaluations;
    const double* values = N_VGetArrayPointer(f);
    for (int k = 0; k < p->system->layout().size(); ++k) {
      if (!std::isfinite(values[k])) return 1;  // recoverable: a shorter step may do
    }
    return 0;
  });
}

int jacobian(double t, N_Vector y, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector,
             N_Vector) {
  return guarded(user, [&](Problem* p) {
    p->jacobian.evaluate(t, N_VGetArrayPointer(y), p->memory, *p->data, SUNDenseMatrix_Data(J));
    ++p->statistics->jacobians;
    return 0;
  });
}

int distances(double t, N_Vector y, double* g, void* user) {
  return guarded(user, [&](Problem* p) {
    p->data->locates_events = true;  // gaps cost more than forces, and only events need them
    p->system->calc_motions(t, N_VGetArrayPointer(y), p->data);
    p->system->calc_overlaps(p->memory, p->data);
    p->data->locates_events = false;
    for (size_t k = 0; k < p->data->overlaps.size(); ++k) g[k] = p->data->overlaps[k].distance;
    return 0;
  });
}

void ignore_messages(int, const char*, const char*, char*, void*) {}

// The two libraries behind one face.
struct Solver {
  void* memory = nullptr;
  int (*advance)(void*, double, N_Vector, double*, int) = nullptr;
  int (*root_info)(void*, int*) = nullptr;
  std::function<int(double, N_Vector)> restart;
  std::function<int(double, N_Vector)> interpolate;  // the state at a time within the last step
  std::function<int(double)> set_stop_time;
  std::function<int(double)> set_max_step;
  std::function<void(long*, long*, double*)> statistics;  // steps, failed steps, last step
  const char* name = "";
};

std::string explain(int flag, const char* name, double t, double step) {
  const char* cause = "stopped for a reason of its own";
  const char* remedy = "report it with the scene";
  if (flag == CV_TOO_MUCH_WORK) {
    cause = "took too many steps between two outputs";
    remedy = "loosen solver.tolerance, soften the contact, or use cvode for a stiff scene";
  } else if (flag == CV_TOO_MUCH_ACC) {
    cause = "was asked for more accuracy than doubles have";
    remedy = "loosen solver.tolerance (1e-12 is about the tightest)";
  } else if (flag == CV_ERR_FAILURE) {
    cause = "could not meet the tolerance with the shortest step";
    remedy = "look for a kink: a law that jumps, a flat face landing; or use a fixed-step method";
  } else if (flag == CV_CONV_FAILURE) {
    cause = "did not converge in its Newton iteration";
    remedy = "use a smaller solver.max_step, or arkode";
  } else if (flag == CV_RHSFUNC_FAIL || flag == CV_REPTD_RHSFUNC_ERR ||
             flag == CV_FIRST_RHSFUNC_ERR) {
    cause = "met forces that are not finite";
    remedy = "check masses, stiffnesses and start positions";
  }
  return fmt::format("{} {} at t = {:.6g} s (last step {:.2e} s, code {}); {}", name, cause, t,
                     step, flag, remedy);
}

struct SunFree {
  void operator()(N_Vector v) const { N_VDestroy(v); }
};

constexpr long kMaxStepsBetweenOutputs = 2000000;
constexpr double kNextOutput = 1;  // s; says no more than which way time goes
// The solvers would guess their first step from how far it is to the end: the path would depend on
// what comes after. They grow it ten-thousandfold at once where they can.
constexpr double kFirstStep = 1e-9;  // s

// What both have in common.
class SundialsStepper : public Stepper {
 public:
  SundialsStepper(const System<double>& system, const RunOptions& options,
                  RunStatistics* statistics, const std::atomic<bool>* stop)
      : system_(system),
        longest_(std::min(options.max_step > 0 ? options.max_step : kInfinity,
                          calc_signal_step(system.scene()))),
        data_(system.make_evaluation<double>()),
        seen_(system.make_evaluation<double>()),
        rates_(static_cast<size_t>(system.layout().size())),
        y_(N_VNew_Serial(system.layout().size(), context_)),
        row_(N_VNew_Serial(system.layout().size(), context_)),
        tolerances_(N_VNew_Serial(system.layout().size(), context_)),
        problem_{&system, statistics, &data_, {}, JacobianEvaluator(system), nullptr, stop},
        statistics_(statistics) {
    const auto scales = calc_state_scales(system);
    for (size_t k = 0; k < scales.size(); ++k) {
      N_VGetArrayPointer(tolerances_.get())[k] = options.tolerance * scales[k];
    }
    const State<double> start = system.make_initial_state();
    std::copy(start.y.begin(), start.y.end(), N_VGetArrayPointer(y_.get()));
    problem_.memory = start.memory;
  }

  void restart(const State<double>& state) override {
    steps_before_ = statistics_->steps;  // a restart clears the solver's counts
    rejected_before_ = statistics_->rejected;
    std::copy(state.y.begin(), state.y.end(), N_VGetArrayPointer(y_.get()));
    problem_.memory = state.memory;
    solver_.restart(state.t, y_.get());
    system_.calc_motions(state.t, state.y.data(), &seen_);
  }

  void step(double until, State<double>* state, StepReport* report) override {
    const double limit = calc_max_step(system_, longest_, seen_);
    solver_.set_max_step(std::isfinite(limit) ? limit : 0);  // 0: none
    solver_.set_stop_time(until);
    double t = state->t;
    const int flag = solver_.advance(solver_.memory, t + kNextOutput, y_.get(), &t, CV_ONE_STEP);
    long steps = 0, rejected = 0;
    solver_.statistics(&steps, &rejected, &report->step);
    if (flag < 0) {
      if (problem_.error) std::rethrow_exception(std::exchange(problem_.error, nullptr));
      throw RunError(explain(flag, solver_.name, t, report->step));
    }
    statistics_->steps = steps_before_ + steps;
    statistics_->rejected = rejected_before_ + rejected;
    state->t = t;
    const double* y = N_VGetArrayPointer(y_.get());
    std::copy(y, y + state->y.size(), state->y.begin());
    if (flag == CV_ROOT_RETURN) {
      report->roots.resize(system_.layout().slots());
      solver_.root_info(solver_.memory, report->roots.data());
    }
    seen_.after = data_.after;
    seen_.before = data_.before;
    system_.calc_rates(t, y, state->memory, rates_.data(), &seen_);
  }

  void interpolate(double t, double* y) override {
    solver_.interpolate(t, row_.get());
    const double* row = N_VGetArrayPointer(row_.get());
    std::copy(row, row + system_.layout().size(), y);
  }

  bool locates_events() const override { return true; }
  Evaluation<double>& evaluation() override { return data_; }
  const Evaluation<double>& last_step() const override { return seen_; }

 protected:
  const System<double>& system_;
  double longest_;
  sundials::Context context_;
  Evaluation<double> data_;  // of the solver's trials
  Evaluation<double> seen_;  // of accepted steps
  std::vector<double> rates_;
  std::unique_ptr<_generic_N_Vector, SunFree> y_, row_, tolerances_;
  Problem problem_;
  Solver solver_;
  RunStatistics* statistics_;
  long steps_before_ = 0, rejected_before_ = 0;
};

class CvodeStepper final : public SundialsStepper {
 public:
  CvodeStepper(const System<double>& system, const RunOptions& options, RunStatistics* statistics,
               const std::atomic<bool>* stop)
      : SundialsStepper(system, options, statistics, stop) {
    const int n = system.layout().size();
    memory_ = CVodeCreate(CV_BDF, context_);
    matrix_ = SUNDenseMatrix(n, n, context_);
    linear_ = SUNLinSol_Dense(y_.get(), matrix_, context_);
    CVodeInit(memory_, rates, 0, y_.get());
    CVodeSVtolerances(memory_, options.tolerance, tolerances_.get());
    CVodeSetUserData(memory_, &problem_);
    CVodeSetErrHandlerFn(memory_, ignore_messages, nullptr);
    CVodeSetLinearSolver(memory_, linear_, matrix_);
    CVodeSetJacFn(memory_, jacobian);
    CVodeSetMaxNumSteps(memory_, kMaxStepsBetweenOutputs);
    // A body that rocks with little damping where it lies is outside of the stability of the higher
    // orders: without this the solver crawls there.
    CVodeSetStabLimDet(memory_, SUNTRUE);
    const int slots = static_cast<int>(system.layout().slots());
    if (slots > 0) {
      CVodeRootInit(memory_, slots, distances);
      CVodeSetNoInactiveRootWarn(memory_);
    }
    solver_ = {memory_,
               CVode,
               CVodeGetRootInfo,
               [this](double t, N_Vector y) {
                 CVodeReInit(memory_, t, y);
                 return CVodeSetInitStep(memory_, kFirstStep);
               },
               [this](double t, N_Vector y) { return CVodeGetDky(memory_, t, 0, y); },
               [this](double t) { return CVodeSetStopTime(memory_, t); },
               [this](double h) { return CVodeSetMaxStep(memory_, h); },
               [this](long* steps, long* failed, double* last) {
                 CVodeGetNumSteps(memory_, steps);
                 CVodeGetNumErrTestFails(memory_, failed);
                 CVodeGetLastStep(memory_, last);
               },
               "cvode"};
  }
  ~CvodeStepper() override {
    CVodeFree(&memory_);
    SUNLinSolFree(linear_);
    SUNMatDestroy(matrix_);
  }
  CvodeStepper(const CvodeStepper&) = delete;
  CvodeStepper& operator=(const CvodeStepper&) = delete;

 private:
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
};

class ArkodeStepper final : public SundialsStepper {
 public:
  ArkodeStepper(const System<double>& system, const RunOptions& options, RunStatistics* statistics,
                const std::atomic<bool>* stop)
      : SundialsStepper(system, options, statistics, stop) {
    memory_ = ERKStepCreate(rates, 0, y_.get(), context_);
    // Not higher: states at events and outputs are interpolated with degree five, and a run
    // restarts from the former (order 8 leaves 3e-4 in the ledger of a bouncing ball, order 5 below
    // 1e-6).
    ERKStepSetOrder(memory_, 5);
    ERKStepSVtolerances(memory_, options.tolerance, tolerances_.get());
    ERKStepSetUserData(memory_, &problem_);
    ERKStepSetErrHandlerFn(memory_, ignore_messages, nullptr);
    ERKStepSetMaxNumSteps(memory_, kMaxStepsBetweenOutputs);
    // Touchdown is a kink: a step across one that lies between two roots may have to shrink often.
    ERKStepSetMaxErrTestFails(memory_, 60);
    const int slots = static_cast<int>(system.layout().slots());
    if (slots > 0) {
      ERKStepRootInit(memory_, slots, distances);
      ERKStepSetNoInactiveRootWarn(memory_);
    }
    solver_ = {memory_,
               ERKStepEvolve,
               ERKStepGetRootInfo,
               [this](double t, N_Vector y) {
                 ERKStepReInit(memory_, rates, t, y);
                 return ERKStepSetInitStep(memory_, kFirstStep);
               },
               [this](double t, N_Vector y) { return ERKStepGetDky(memory_, t, 0, y); },
               [this](double t) { return ERKStepSetStopTime(memory_, t); },
               [this](double h) { return ERKStepSetMaxStep(memory_, h); },
               [this](long* steps, long* failed, double* last) {
                 ERKStepGetNumSteps(memory_, steps);
                 ERKStepGetNumErrTestFails(memory_, failed);
                 ERKStepGetLastStep(memory_, last);
               },
               "arkode"};
  }
  ~ArkodeStepper() override { ERKStepFree(&memory_); }
  ArkodeStepper(const ArkodeStepper&) = delete;
  ArkodeStepper& operator=(const ArkodeStepper&) = delete;

 private:
  void* memory_ = nullptr;
};

}  // namespace

std::unique_ptr<Stepper> make_cvode_stepper(const System<double>& system, const RunOptions& options,
                                            RunStatistics* statistics,
                                            const std::atomic<bool>* stop) {
  return std::make_unique<CvodeStepper>(system, options, statistics, stop);
}

std::unique_ptr<Stepper> make_arkode_stepper(const System<double>& system,
                                             const RunOptions& options, RunStatistics* statistics,
                                             const std::atomic<bool>* stop) {
  return std::make_unique<ArkodeStepper>(system, options, statistics, stop);
}

}  // namespace vesica::detail
