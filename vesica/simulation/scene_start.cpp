#include "vesica/simulation/scene_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "vesica/io/yaml.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/simulation/equilibrium.h"
#include "vesica/simulation/make_scene.h"

namespace vesica {

// Compiled where they are fast (system_dual*.cpp): the linker would keep the copies of this file.
#define VESICA_ELSEWHERE(T)                                                          \
  extern template void calc_tree_motions(const Tree<T>&, double, const T*, const T*, \
                                         TreeData<T>*);                              \
  extern template void factor_tree(const Tree<T>&, TreeData<T>*)
VESICA_ELSEWHERE(Dual<4>);
VESICA_ELSEWHERE(Dual<12>);
#undef VESICA_ELSEWHERE

namespace {

std::vector<int> find_locked(const Model& model, const System<double>& system) {
  const std::vector<std::string> names = make_lock_names(system);
  std::vector<int> locked;
  for (size_t k = 0; k < model.equilibrium->locked.size(); ++k) {
    const std::string& name = model.equilibrium->locked[k];
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      model.fail(fmt::format("equilibrium.locked.{}", k),
                 say_unknown(name, {names.begin(), names.end()}));
    }
    locked.push_back(static_cast<int>(found - names.begin()));
  }
  return locked;
}

std::vector<HeldMeasure> find_held(const Model& model, const Scene<double>& scene) {
  std::vector<std::string> names;
  for (const auto& measure : scene.measures) {
    for (const char* part : kGroodSuntayNames) {
      names.push_back(fmt::format("{}.{}", measure.name, part));
    }
  }
  std::vector<HeldMeasure> held;
  for (size_t k = 0; k < model.equilibrium->held.size(); ++k) {
    const model::Held& given = model.equilibrium->held[k];
    const std::string path = fmt::format("equilibrium.held.{}.measure", k);
    if (names.empty()) model.fail(path, "the scene has no 'measures'; add one that measures this");
    const auto found = std::find(names.begin(), names.end(), given.measure);
    if (found == names.end()) {
      model.fail(path, say_unknown(given.measure, {names.begin(), names.end()}));
    }
    const auto index = static_cast<size_t>(found - names.begin());
    held.push_back({static_cast<int>(index / kGroodSuntayNames.size()),
                    static_cast<int>(index % kGroodSuntayNames.size()), given.value});
  }
  return held;
}

// What the scene's numbers change, at the pose y, of what a held measure is and of its gradient
// along the open speeds, times what holds it: frames of the measure, poses of fixed bodies, frames
// of joints. Added to the right-hand side of the balance.
template <class P>
void add_held_measures(const System<P>& system, const std::vector<HeldMeasure>& held,
                       const EquilibriumResult& rest, const Tree<double>& tree,
                       const std::vector<double>& y, Evaluation<P>* data, Eigen::MatrixXd* right) {
  constexpr int kCount = ScalarTraits<P>::kDerivatives;
  constexpr double kStep = 1e-6;  // of central differences of exact derivatives
  const auto n = static_cast<Eigen::Index>(rest.open.size());
  const auto measure = [&](const std::vector<double>& at, const HeldMeasure& h) {
    const std::vector<P> x(at.begin(), at.end());
    system.calc_motions(0, x.data(), data);
    return calc_grood_suntay(system.scene().measures[static_cast<size_t>(h.measure)],
                             data->motions)[static_cast<size_t>(h.part)];
  };
  for (size_t h = 0; h < held.size(); ++h) {
    const P now = measure(y, held[h]);
    for (int d = 0; d < kCount; ++d) {
      (*right)(n + static_cast<Eigen::Index>(h), d) = -rest.weight * now.v[d];
    }
    for (Eigen::Index c = 0; c < n; ++c) {
      const Eigen::VectorXd step = kStep * Eigen::VectorXd::Unit(n, c);
      const P more = measure(move_coordinates(tree, rest.open, step, y), held[h]);
      const P less = measure(move_coordinates(tree, rest.open, -step, y), held[h]);
      for (int d = 0; d < kCount; ++d) {
        (*right)(c, d) -= rest.held[h] * (more.v[d] - less.v[d]) / (2 * kStep);
      }
    }
  }
}

// The derivatives that the pose of rest has by the scene's numbers: those that forces at rest and
// held measures have, through the Jacobian of the balance.
template <class P>
void answer_to_numbers(const System<double>& plain, const std::vector<HeldMeasure>& held,
                       const EquilibriumResult& rest, const std::vector<double>& y,
                       Scene<P>* scene) {
  const int nq = scene->tree.nq(), nu = scene->tree.nu();
  std::copy(y.begin(), y.begin() + nq, scene->q0.begin());
  const System<P> system(*scene, false);
  State<P> state = system.make_initial_state();
  std::fill(state.y.begin() + nq, state.y.begin() + nq + nu, P(0));
  auto data = system.template make_evaluation<P>();
  std::vector<ContactChange> unused;
  system.find_parts(&state, &data, &unused);
  std::vector<P> rates(state.y.size()), forces(static_cast<size_t>(nu));
  calc_forces_at_rest(system, state.y.data(), state.memory, rates.data(), &data, forces.data());
  const auto n = static_cast<Eigen::Index>(rest.open.size());
  constexpr int kCount = ScalarTraits<P>::kDerivatives;
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(rest.jacobian.rows(), kCount);
  for (Eigen::Index r = 0; r < n; ++r) {
    const P& f = forces[static_cast<size_t>(rest.open[static_cast<size_t>(r)])];
    for (int d = 0; d < kCount; ++d) right(r, d) = -f.v[d];
  }
  add_held_measures(system, held, rest, plain.scene().tree, y, &data, &right);
  const Eigen::MatrixXd step = solve_least_squares(rest.jacobian, right);
  std::vector<double> direction(static_cast<size_t>(nu)), turned(static_cast<size_t>(nq));
  for (int d = 0; d < kCount; ++d) {
    std::fill(direction.begin(), direction.end(), 0.0);
    for (Eigen::Index r = 0; r < n; ++r) {
      direction[static_cast<size_t>(rest.open[static_cast<size_t>(r)])] = step(r, d);
    }
    calc_tree_coordinate_rates(plain.scene().tree, y.data(), direction.data(), turned.data());
    for (size_t k = 0; k < turned.size(); ++k) scene->q0[k].v[d] = turned[k];
  }
}

}  // namespace

template <class P>
void start_at_rest(const Model& model, const std::vector<std::string>& seeds, Scene<P>* scene) {
  const System<double> system(
      [&]() -> Scene<double> {
        if constexpr (std::is_same_v<P, double>) {
          return *scene;
        } else {
          Model as_given = model;
          as_given.equilibrium.reset();
          return make_scene<double>(as_given);
        }
      }(),
      false);
  const std::vector<int> locked = find_locked(model, system);
  const std::vector<HeldMeasure> held = find_held(model, system.scene());
  std::vector<double> y = system.make_initial_state().y;
  const EquilibriumResult result = find_equilibrium(system, locked, held, &y);
  if (!result.converged) model.fail("equilibrium", result.message);
  if (result.gives_way >= 0) {
    const std::string name = make_lock_names(system)[static_cast<size_t>(result.gives_way)];
    scene->notes.push_back(
        result.left_saddle
            ? fmt::format("the balance that is nearest to the start is not stable (it gives way "
                          "along {0}); the scene starts at one that is; `locked: [{0}]` keeps it",
                          name)
            : fmt::format("the scene starts at a balance that is not stable: it gives way along "
                          "{}, and no stable one was found nearby",
                          name));
  }
  if constexpr (std::is_same_v<P, double>) {
    std::copy(y.begin(), y.begin() + scene->tree.nq(), scene->q0.begin());
  } else {
    for (const std::string& seed : seeds) {
      const bool is_start =
          seed.find(".pose.") != std::string::npos || seed.find(".start") != std::string::npos;
      if (is_start && seed.rfind("bodies.", 0) == 0 && !locked.empty()) {
        model.fail("equilibrium", fmt::format("derivatives by the start of a body ({}) that has "
                                              "locked coordinates are not available; use "
                                              "differences of runs",
                                              seed));
      }
    }
    answer_to_numbers(system, held, result, y, scene);
  }
}

double calc_rest_residual(const Model& model, const System<double>& system) {
  constexpr double kStep = 1e-6;  // of central differences
  const Tree<double>& tree = system.scene().tree;
  State<double> state = system.make_initial_state();
  std::fill_n(state.y.begin() + tree.nq(), tree.nu(), 0.0);
  auto data = system.make_evaluation<double>();
  std::vector<ContactChange> unused;
  system.find_parts(&state, &data, &unused);
  std::vector<double> rates(state.y.size()), forces(static_cast<size_t>(tree.nu()));
  calc_forces_at_rest(system, state.y.data(), state.memory, rates.data(), &data, forces.data());
  const std::vector<int> locked = find_locked(model, system);
  std::vector<int> open;
  for (int k = 0; k < tree.nu(); ++k) {
    if (std::find(locked.begin(), locked.end(), k) == locked.end()) open.push_back(k);
  }
  const auto n = static_cast<Eigen::Index>(open.size());
  Eigen::MatrixXd left(n, 1);
  for (Eigen::Index r = 0; r < n; ++r) {
    left(r, 0) = forces[static_cast<size_t>(open[static_cast<size_t>(r)])];
  }
  const std::vector<HeldMeasure> held = find_held(model, system.scene());
  Eigen::MatrixXd gradients(n, static_cast<Eigen::Index>(held.size()));
  for (size_t h = 0; h < held.size(); ++h) {
    const auto measure = [&](const Eigen::VectorXd& step) {
      const std::vector<double> y = move_coordinates(tree, open, step, state.y);
      system.calc_motions(0, y.data(), &data);
      return calc_grood_suntay(system.scene().measures[static_cast<size_t>(held[h].measure)],
                               data.motions)[static_cast<size_t>(held[h].part)];
    };
    for (Eigen::Index c = 0; c < n; ++c) {
      const Eigen::VectorXd step = kStep * Eigen::VectorXd::Unit(n, c);
      gradients(c, static_cast<Eigen::Index>(h)) = (measure(step) - measure(-step)) / (2 * kStep);
    }
  }
  if (!held.empty()) left -= gradients * solve_least_squares(gradients, left);
  return n > 0 ? left.cwiseAbs().maxCoeff() : 0;
}

namespace {

// What closing the loops changed at the start, the most first; empty where it is less than what is
// left when a file has six digits.
std::string explain_assembly(const Scene<double>& scene, const std::vector<double>& q,
                             const std::vector<double>& u) {
  constexpr double kRounding = 1e-6;
  constexpr size_t kShown = 6;
  struct Change {
    double size;
    std::string text;
  };
  std::vector<Change> changes;
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto& link = scene.tree.bodies()[b];
    if (link.nu == 0) continue;
    const auto speeds = speeds_of(link.joint.type);
    const std::string name = scene.bodies[b].name + (scene.bodies[b].has_joint ? ".joint." : ".");
    const auto add = [&](const std::string& what, double change, const char* unit) {
      changes.push_back(
          {std::abs(change), fmt::format("{}{} by {:.4g} {}", name, what, change, unit)});
    };
    const int place = quaternion_place(link.joint.type);
    const size_t plain = place >= 0 ? static_cast<size_t>(place) : speeds.size();
    const auto q_start = static_cast<size_t>(link.q_start);
    for (size_t k = 0; k < plain; ++k) {
      add(std::string(speeds[k].name), scene.q0[q_start + k] - q[q_start + k],
          speeds[k].turns ? "rad" : "m");
    }
    if (place >= 0) {
      double along = 0;
      for (size_t k = 0; k < 4; ++k)
        along += scene.q0[q_start + plain + k] * q[q_start + plain + k];
      add("turn", 2 * std::acos(std::min(1.0, std::abs(along))), "rad");
    }
    for (size_t k = 0; k < speeds.size(); ++k) {
      const size_t at = static_cast<size_t>(link.u_start) + k;
      add(std::string(speeds[k].rate), scene.u0[at] - u[at], speeds[k].turns ? "rad/s" : "m/s");
    }
  }
  std::erase_if(changes, [&](const Change& c) { return c.size < kRounding; });
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.size > b.size; });
  if (changes.empty()) return "";
  std::string list;
  for (size_t k = 0; k < std::min(changes.size(), kShown); ++k) {
    list += fmt::format("{}{}", k > 0 ? ", " : "", changes[k].text);
  }
  const size_t more = changes.size() - std::min(changes.size(), kShown);
  if (more > 0) list += fmt::format(", and {} more by less", more);
  return fmt::format("the start does not close the loops and was moved onto them: {}", list);
}

}  // namespace

template <class P>
std::vector<Motion<P>> calc_start_motions(const Scene<P>& scene) {
  auto data = make_tree_data<P>(scene.tree);
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!scene.bodies[b].is_free) data.motions[b] = scene.bodies[b].prescribed.at(0);
  }
  calc_tree_motions(scene.tree, 0, scene.q0.data(), scene.u0.data(), &data);
  return data.motions;
}

template <class P>
void prepare_start(const Model& model, Scene<P>* scene) {
  const Tree<P>& tree = scene->tree;
  auto data = make_tree_data<P>(tree);
  for (size_t b = 0; b < scene->bodies.size(); ++b) {
    if (!scene->bodies[b].is_free) data.motions[b] = scene->bodies[b].prescribed.at(0);
  }
  if (!scene->loops.empty()) {
    auto loops = make_loop_data<P>(tree, scene->loops);
    calc_tree_motions(tree, 0, scene->q0.data(), scene->u0.data(), &data);
    calc_loop_rows(scene->loops, data, &loops);
    if constexpr (std::is_same_v<P, double>) {
      double worst = 0;
      const std::vector<double> q = scene->q0, u = scene->u0;
      if (!assemble(tree, scene->loops, 0, scene->q0.data(), scene->u0.data(), &data, &loops,
                    &worst)) {
        model.fail(
            "loops",
            fmt::format(
                "the loops do not close from this start: {:.3g} m or rad are left; start closer",
                worst));
      }
      if (std::string moved = explain_assembly(*scene, q, u); !moved.empty()) {
        scene->notes.push_back(std::move(moved));
      }
    } else {
      for (const auto& row : loops.rows) {
        if (std::abs(value_of(row.error)) > 1e-9 || std::abs(value_of(row.rate)) > 1e-9) {
          model.fail("loops", "derivatives need a start at which the loops are closed");
        }
      }
    }
  }
  calc_tree_motions(tree, 0, scene->q0.data(), scene->u0.data(), &data);
  factor_tree(tree, &data);
  for (size_t b = 0; b < scene->bodies.size(); ++b) {
    const auto& link = tree.bodies()[b];
    if (link.is_lone) continue;
    for (int k = 0; k < link.nu; ++k) {
      const double inverse = value_of(data.L[b][static_cast<size_t>(k * kMaxSpeeds + k)]);
      if (inverse > 0 && inverse < 1e12) continue;
      model.fail(join_path("bodies", scene->bodies[b].name),
                 "its joint moves no mass or inertia at the start; give the body an inertia, or "
                 "place the joint off its mass centre");
    }
  }
}

#define VESICA_INSTANTIATE(P)                                                            \
  template void start_at_rest(const Model&, const std::vector<std::string>&, Scene<P>*); \
  template std::vector<Motion<P>> calc_start_motions(const Scene<P>&);                   \
  template void prepare_start(const Model&, Scene<P>*)
VESICA_INSTANTIATE(double);
VESICA_INSTANTIATE(Dual<4>);
VESICA_INSTANTIATE(Dual<12>);
#undef VESICA_INSTANTIATE

}  // namespace vesica
