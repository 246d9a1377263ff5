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
#include <memory>

#include "vesica/simulation/run.h"

namespace vesica::detail {
namespace {

// What the callbacks need.
struct Problem {
  const System<double>* system;
  Run* run;
  SystemData<double>* data;
  JacobianEvaluator jacobian;
};

int rates(double t, N_Vector y, N_Vector f, void* user) {
  auto* p = static_cast<Problem*>(user);
  p->system->calc_rates(t, N_VGetArrayPointer(y), N_VGetArrayPointer(f), p->data);
  ++p->run->result().statistics.evaluations;
  const double* values = N_VGetArrayPointer(f);
  for (int k = 0; k < p->system->layout().size(); ++k) {
    if (!std::isfinite(values[k])) return 1;  // recoverable: a shorter step may do
  }
  return 0;
}

int jacobian(double t, N_Vector y, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector,
             N_Vector) {
  auto* p = static_cast<Problem*>(user);
  p->jacobian.evaluate(t, N_VGetArrayPointer(y), *p->data, SUNDenseMatrix_Data(J));
  ++p->run->result().statistics.jacobians;
  return 0;
}

int distances(double t, N_Vector y, double* g, void* user) {
  auto* p = static_cast<Problem*>(user);
  p->system->calc_motions(t, N_VGetArrayPointer(y), p->data);
  p->system->calc_overlaps(p->data);
  for (size_t k = 0; k < p->data->overlaps.size(); ++k) g[k] = p->data->overlaps[k].distance;
  return 0;
}

void ignore_messages(int, const char*, const char*, char*, void*) {}

// The two solvers behind one face.
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

// In free flight the solvers would step right across a short contact, and a root is only seen where
// the distance changes sign between two steps: no body moves by more than a fifth of its size.
double calc_max_step(const System<double>& system, const RunOptions& options,
                     const SystemData<double>& data) {
  double h = options.max_step > 0 ? options.max_step : options.duration;
  const double g = system.scene().gravity.norm();
  for (size_t b = 0; b < system.scene().bodies.size(); ++b) {
    const auto& body = system.scene().bodies[b];
    if (!body.is_free || body.size <= 0) continue;
    const Vec3d& v = data.motions[b].V_WB.v_WB;
    const double reach = 0.2 * body.size;
    if (v.norm() > 0) h = std::min(h, reach / v.norm());
    if (g > 0) h = std::min(h, std::sqrt(reach / g));
  }
  // Parts are looked for between steps, no further than a margin.
  for (const auto& contact : system.scene().contacts) {
    if (!contact.parts) continue;
    const double reach = contact.parts->finder.margin();
    const double v =
        system.calc_rim_speed(contact.body_i, data) + system.calc_rim_speed(contact.body_j, data);
    if (v > 0) h = std::min(h, 0.5 * reach / v);
    if (g > 0) h = std::min(h, std::sqrt(reach / g));
  }
  return h;
}

// Contacts that touch when they are first seen: at the start, and pairs of parts that have another
// place than `before`. They remember the speed they have.
void begin_new_contacts(const System<double>& system, double t, const std::vector<int>& before,
                        double* state, SystemData<double>* data, Run* run) {
  system.calc_overlaps(data);
  for (size_t k = 0; k < data->overlaps.size(); ++k) {
    const bool is_new = before.empty() || before[k] != data->pair_in_slot[k];
    if (!is_new || !(data->overlaps[k].distance < 0)) continue;
    data->touching[k] = 1;
    system.begin_contact(k, state, data);
    run->add_event(t, system.layout().contact_of_slot[k], true, data->memories[k].impact_speed);
  }
}

void integrate(const System<double>& system, Run* run, SystemData<double>* data, N_Vector y,
               N_Vector row, Solver* solver) {
  const RunOptions& options = run->options();
  const StateLayout& layout = system.layout();
  std::vector<int> roots(layout.slots()), pairs;
  SystemData<double> seen = system.make_data<double>();
  std::vector<double> scratch(static_cast<size_t>(layout.size()));
  double* state = N_VGetArrayPointer(y);

  data->locates_events = true;
  // Contacts that touch at the start remember the speed they have.
  system.calc_motions(0, state, data);
  system.find_parts(0, state, data);
  begin_new_contacts(system, 0, {}, state, data, run);
  copy_memories(*data, &run->data());
  run->record_if_due(0, state);

  double t = 0;
  long steps_before = 0, failed_before = 0;
  RunStatistics& statistics = run->result().statistics;
  solver->set_stop_time(options.duration);
  system.calc_motions(0, state, &seen);
  // Step by step, so that the monitor sees every step; recorded rows are interpolated.
  while (t < options.duration) {
    solver->set_max_step(calc_max_step(system, options, seen));
    const int flag = solver->advance(solver->memory, options.duration, y, &t, CV_ONE_STEP);
    long steps = 0, failed = 0;
    double last_step = 0;
    solver->statistics(&steps, &failed, &last_step);
    if (flag < 0) {
      run->result().failure = explain(flag, solver->name, t, last_step);
      break;
    }
    statistics.steps = steps_before + steps;
    statistics.rejected = failed_before + failed;
    while (options.interval > 0 && run->next_record_time() <= t + 1e-9 * options.interval) {
      const double due = run->next_record_time();
      if (due < t) solver->interpolate(due, row);
      run->record_if_due(due, due < t ? N_VGetArrayPointer(row) : state);
    }
    copy_memories(*data, &seen);
    system.calc_rates(t, state, scratch.data(), &seen);
    run->observe(seen, last_step);
    bool restart = false;
    if (flag == CV_ROOT_RETURN) {
      solver->root_info(solver->memory, roots.data());
      for (size_t k = 0; k < layout.slots(); ++k) {
        if (roots[k] == 0) continue;
        const bool touchdown = roots[k] < 0;
        system.calc_motions(t, state, data);
        system.calc_overlaps(data);
        run->add_event(t, layout.contact_of_slot[k], touchdown, seen.forces[k].closing_speed);
        if (touchdown) {
          system.begin_contact(k, state, data);
        } else {
          system.end_contact(k, state, data);
        }
        data->touching[k] = touchdown;
        restart = true;  // either way the rates have a kink here: no step may reach across it
      }
    }
    pairs = data->pair_in_slot;
    if (system.find_parts(t, state, data)) {
      // A pair that touches when it is first seen has begun within the step.
      begin_new_contacts(system, t, pairs, state, data, run);
      restart = true;
    }
    copy_memories(*data, &run->data());
    if (restart) {
      steps_before = statistics.steps;  // a restart clears the solver's counts
      failed_before = statistics.rejected;
      solver->restart(t, y);
    }
    if (!run->has_room(t, *data) || run->check_in(t)) break;
  }
  run->result().end_time = t;
  std::copy(state, state + layout.size(), run->state().begin());
}

struct SunFree {
  void operator()(N_Vector v) const { N_VDestroy(v); }
};

// Contexts, vectors and data that both solvers need.
struct Workspace {
  sundials::Context context;
  SystemData<double> data;
  std::unique_ptr<_generic_N_Vector, SunFree> y, row, tolerances;
  Problem problem;

  Workspace(const System<double>& system, Run* run)
      : data(system.make_data<double>()),
        y(N_VNew_Serial(system.layout().size(), context)),
        row(N_VNew_Serial(system.layout().size(), context)),
        tolerances(N_VNew_Serial(system.layout().size(), context)),
        problem{&system, run, &data, JacobianEvaluator(system)} {
    std::copy(run->state().begin(), run->state().end(), N_VGetArrayPointer(y.get()));
    const auto scales = calc_state_scales(system);
    for (size_t k = 0; k < scales.size(); ++k) {
      N_VGetArrayPointer(tolerances.get())[k] = run->options().tolerance * scales[k];
    }
  }
};

constexpr long kMaxStepsBetweenOutputs = 2000000;

}  // namespace

void run_cvode(const System<double>& system, Run* run) {
  Workspace w(system, run);
  const RunOptions& options = run->options();
  const int n = system.layout().size();
  void* memory = CVodeCreate(CV_BDF, w.context);
  const SUNMatrix A = SUNDenseMatrix(n, n, w.context);
  const SUNLinearSolver linear = SUNLinSol_Dense(w.y.get(), A, w.context);
  CVodeInit(memory, rates, 0, w.y.get());
  CVodeSVtolerances(memory, options.tolerance, w.tolerances.get());
  CVodeSetUserData(memory, &w.problem);
  CVodeSetErrHandlerFn(memory, ignore_messages, nullptr);
  CVodeSetLinearSolver(memory, linear, A);
  CVodeSetJacFn(memory, jacobian);
  CVodeSetMaxNumSteps(memory, kMaxStepsBetweenOutputs);
  const int slots = static_cast<int>(system.layout().slots());
  if (slots > 0) {
    CVodeRootInit(memory, slots, distances);
    CVodeSetNoInactiveRootWarn(memory);
  }
  Solver solver{memory,
                CVode,
                CVodeGetRootInfo,
                [&](double t, N_Vector y) { return CVodeReInit(memory, t, y); },
                [&](double t, N_Vector y) { return CVodeGetDky(memory, t, 0, y); },
                [&](double t) { return CVodeSetStopTime(memory, t); },
                [&](double h) { return CVodeSetMaxStep(memory, h); },
                [&](long* steps, long* failed, double* last) {
                  CVodeGetNumSteps(memory, steps);
                  CVodeGetNumErrTestFails(memory, failed);
                  CVodeGetLastStep(memory, last);
                },
                "cvode"};
  integrate(system, run, &w.data, w.y.get(), w.row.get(), &solver);
  CVodeFree(&memory);
  SUNLinSolFree(linear);
  SUNMatDestroy(A);
}

void run_arkode(const System<double>& system, Run* run) {
  Workspace w(system, run);
  const RunOptions& options = run->options();
  void* memory = ERKStepCreate(rates, 0, w.y.get(), w.context);
  // Not higher: states at events and outputs are interpolated with degree five, and a run restarts
  // from the former (order 8 leaves 3e-4 in the ledger of a bouncing ball, order 5 below 1e-6).
  ERKStepSetOrder(memory, 5);
  ERKStepSVtolerances(memory, options.tolerance, w.tolerances.get());
  ERKStepSetUserData(memory, &w.problem);
  ERKStepSetErrHandlerFn(memory, ignore_messages, nullptr);
  ERKStepSetMaxNumSteps(memory, kMaxStepsBetweenOutputs);
  // Touchdown is a kink: a step across one that lies between two roots may have to shrink often.
  ERKStepSetMaxErrTestFails(memory, 60);
  const int slots = static_cast<int>(system.layout().slots());
  if (slots > 0) {
    ERKStepRootInit(memory, slots, distances);
    ERKStepSetNoInactiveRootWarn(memory);
  }
  Solver solver{memory,
                ERKStepEvolve,
                ERKStepGetRootInfo,
                [&](double t, N_Vector y) { return ERKStepReInit(memory, rates, t, y); },
                [&](double t, N_Vector y) { return ERKStepGetDky(memory, t, 0, y); },
                [&](double t) { return ERKStepSetStopTime(memory, t); },
                [&](double h) { return ERKStepSetMaxStep(memory, h); },
                [&](long* steps, long* failed, double* last) {
                  ERKStepGetNumSteps(memory, steps);
                  ERKStepGetNumErrTestFails(memory, failed);
                  ERKStepGetLastStep(memory, last);
                },
                "arkode"};
  integrate(system, run, &w.data, w.y.get(), w.row.get(), &solver);
  ERKStepFree(&memory);
}

}  // namespace vesica::detail
