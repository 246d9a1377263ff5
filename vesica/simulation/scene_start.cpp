#include "vesica/simulation/scene_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "vesica/io/yaml.h"
#include "vesica/simulation/equilibrium.h"

namespace vesica {

// Compiled where they are fast (system_dual*.cpp): the linker would keep the copies of this file.
#define VESICA_ELSEWHERE(T)                                                          \
  extern template void calc_tree_motions(const Tree<T>&, double, const T*, const T*, \
                                         TreeData<T>*);                              \
  extern template void factor_tree(const Tree<T>&, TreeData<T>*)
VESICA_ELSEWHERE(Dual<4>);
VESICA_ELSEWHERE(Dual<12>);
#undef VESICA_ELSEWHERE

template <class P>
void start_at_rest(const Model& model, Scene<P>* scene) {
  if constexpr (std::is_same_v<P, double>) {
    const System<double> system(*scene, false);
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
    std::vector<double> y = system.make_initial_state().y;
    const EquilibriumResult result = find_equilibrium(system, locked, &y);
    if (!result.converged) model.fail("equilibrium", result.message);
    std::copy(y.begin(), y.begin() + scene->tree.nq(), scene->q0.begin());
  } else {
    model.fail("equilibrium",
               "derivatives need a start that is given; run once and enter the pose found");
  }
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

#define VESICA_INSTANTIATE(P)                           \
  template void start_at_rest(const Model&, Scene<P>*); \
  template void prepare_start(const Model&, Scene<P>*)
VESICA_INSTANTIATE(double);
VESICA_INSTANTIATE(Dual<4>);
VESICA_INSTANTIATE(Dual<12>);
#undef VESICA_INSTANTIATE

}  // namespace vesica
