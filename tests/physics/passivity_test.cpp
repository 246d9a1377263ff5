// Contacts are passive: over a whole run of a random scene the energy grows by no more than the
// non-potential work that the ledger reports, plus what the integrator errs; and pairs with a
// potential under friction of the slip alone report none of it.
//
// Every pair of shapes and method, every normal law and friction law that fits it, random sizes,
// poses and speeds, as text through the reader. A scene follows from its number alone:
//   VESICA_PASSIVITY_SCENES=100000 build/bin/test_physics --gtest_filter='*Passivity*'
//   VESICA_PASSIVITY_SCENE=4711    ...   that one only, printed
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>

#include "tests/simulation/loaded_scene.h"
#include "tests/support/support.h"

namespace vesica::passivity_test {
namespace {

using Random = std::mt19937_64;

// Of the scale of the run's energies (RunResult::energy_scale): what the integrator may err in a
// run of one impact or two. rk4 takes its step from the monitor, a fifth of the fastest time
// constant; what is left comes from steps across a kink (touchdown, lift-off, a new face). There
// half a step is made with the wrong stiffness, at worst that of a depth by which the bodies move
// in it: (0.2)^2/2 of the energy in one step, and a tenth of that where stiffness grows with the
// depth. Measured in 10,000 scenes: see the table that VESICA_PASSIVITY_SCENES prints. A normal
// that jumps (`plane`, `eigenvector`) leaves an error of first order, five times as much.
constexpr double kBound = 2e-3;
constexpr double kStepRate = 0.2;

double between(Random& r, double low, double high) { return test::random_between(r, low, high); }
int pick(Random& r, int count) { return std::uniform_int_distribution<int>(0, count - 1)(r); }
template <class T>
const T& any_of(Random& r, const std::vector<T>& list) {
  return list[static_cast<size_t>(pick(r, static_cast<int>(list.size())))];
}

enum class Body {
  kSphere,
  kEllipsoid,
  kBox,
  kHull,
  kMesh,
  kCylinder,
  kCone,
  kCapsule,
  kTorus,
  kPlateWithHole,
  kDumbbell,
  kTwoBoxes,
  kPoint,
  kEdge,
  kHollow,
  kPeak,
  kHalfSpace
};

// About `r` large.
std::string make_shape(Random& random, Body body, double r, const std::string& mesh) {
  auto size = [&] { return r * between(random, 0.5, 1); };
  switch (body) {
    case Body::kSphere:
      return fmt::format("shape: {{type: sphere, radius: {}}}", r);
    case Body::kEllipsoid:
      return fmt::format("shape: {{type: ellipsoid, radii: [{}, {}, {}]}}", size(), size(), size());
    case Body::kBox:
      return fmt::format("shape: {{type: box, size: [{}, {}, {}]}}", 2 * size(), 2 * size(),
                         2 * size());
    case Body::kHull: {
      std::string vertices;
      for (int k = 0; k < 8; ++k) {
        const Vec3d p = test::random_rotation(random).col(0) * size();
        vertices += fmt::format("{}[{}, {}, {}]", k ? ", " : "", p.x(), p.y(), p.z());
      }
      return fmt::format("shape: {{type: convex, vertices: [{}], pose: {{position: [0, 0, {}]}}}}",
                         vertices, 0.1 * size());
    }
    case Body::kMesh:
      return fmt::format("shape: {{type: mesh, file: {}, scale: {}}}", mesh, size());
    case Body::kCylinder:
      return fmt::format("shape: {{type: cylinder, radius: {}, length: {}}}", size(), 2 * size());
    case Body::kCone:
      return fmt::format(
          "shape: {{type: cone, angle: {}, height: {}, pose: {{position: [0, 0, {}]}}}}",
          between(random, 0.6, 1.5), 1.5 * r, -1.1 * r);
    case Body::kCapsule:
      return fmt::format("shape: {{type: capsule, radius: {}, length: {}}}", 0.6 * size(), size());
    case Body::kTorus:
      return fmt::format("shape: {{type: torus, radius: {}, tube_radius: {}}}", 0.7 * r,
                         0.6 * size());
    case Body::kPlateWithHole:
      return fmt::format(
          "shape: {{type: solid, cells: [{{intersect: [{{type: box, size: [{}, {}, {}]}}, {{type: "
          "cylinder, radius: {}, complement: true}}]}}]}}",
          2 * size(), 2 * size(), 0.4 * r, 0.3 * size());
    case Body::kDumbbell:
      return fmt::format(
          "shapes: [{{type: sphere, radius: {}, pose: {{position: [0, 0, {}]}}}}, {{type: sphere, "
          "radius: {}, pose: {{position: [0, 0, {}]}}}}]",
          0.5 * size(), 0.6 * r, 0.5 * size(), -0.6 * r);
    case Body::kTwoBoxes:
      return fmt::format(
          "shapes: [{{type: box, size: [{}, {}, {}], pose: {{position: [0, 0, {}]}}}}, {{type: "
          "box, "
          "size: [{}, {}, {}], pose: {{position: [0, 0, {}]}}}}]",
          2 * size(), size(), 0.8 * r, 0.5 * r, size(), 2 * size(), 0.8 * r, -0.5 * r);
    case Body::kPoint:
      return "shape: {type: point}";
    case Body::kEdge:
      return fmt::format("shape: {{type: edge, normals: [[{}, 0, 1], [{}, 0.2, 1]]}}",
                         -between(random, 0.3, 1), between(random, 0.3, 1));
    case Body::kHollow:
      return fmt::format("shape: {{type: cylinder_surface, radius: {}, side: inside}}", 3 * r);
    case Body::kPeak:
      return fmt::format("shape: {{type: cone_surface, angle: {}}}", between(random, 1, 2.5));
    case Body::kHalfSpace:
      break;
  }
  return "shape: {type: half_space}";
}

// What a pair takes.
enum Trait : unsigned {
  kPointOnly = 1,  // laws of the depth
  kPatch = 2,      // laws that integrate over the patch
  kGeneral = 4,    // a choice of the normal: two general solids
  kPlanes = 8,     // a conservative one too
  kDear = 16,      // slices: fewer and shorter
};
struct Pair {
  const char* name;
  std::vector<Body> i, j;
  unsigned traits = 0;
  bool has(Trait t) const { return (traits & t) != 0; }
};

const std::vector<Pair>& pairs() {
  using B = Body;
  static const std::vector<Pair> list = {
      {"sphere on half-space", {B::kSphere}, {B::kHalfSpace}, kPatch},
      {"ellipsoid on half-space", {B::kEllipsoid}, {B::kHalfSpace}, kPatch},
      {"torus on half-space", {B::kTorus}, {B::kHalfSpace}},
      {"polyhedron on half-space", {B::kBox, B::kHull}, {B::kHalfSpace}, kPatch},
      {"mesh on half-space", {B::kMesh}, {B::kHalfSpace}, kPatch},
      {"quadrics on half-space", {B::kCylinder, B::kCone, B::kCapsule}, {B::kHalfSpace}, kDear},
      {"solid on half-space", {B::kPlateWithHole}, {B::kHalfSpace}, kDear},
      {"parts on half-space", {B::kDumbbell, B::kTwoBoxes}, {B::kHalfSpace}},
      {"sphere on sphere", {B::kSphere}, {B::kSphere}, kPatch},
      {"polyhedra", {B::kBox, B::kHull}, {B::kBox, B::kHull}, kGeneral | kPlanes | kPatch},
      {"quadric on planes",
       {B::kSphere, B::kCylinder, B::kCapsule},
       {B::kBox},
       kGeneral | kPlanes | kDear},
      {"quadrics",
       {B::kSphere, B::kEllipsoid, B::kCylinder, B::kCapsule},
       {B::kEllipsoid, B::kCylinder, B::kCapsule},
       kGeneral | kDear},
      {"parts on a box", {B::kDumbbell, B::kTwoBoxes}, {B::kBox}, kDear},
      {"points",
       {B::kSphere},
       {B::kHalfSpace, B::kSphere, B::kEdge, B::kHollow, B::kPeak},
       kPointOnly},
      {"point on half-space", {B::kPoint}, {B::kHalfSpace}, kPointOnly},
  };
  return list;
}

struct Laws {
  std::string normal, friction, more;  // more: keys of the contact
  std::string normal_name, friction_name;
  bool of_slip_alone = true;  // friction without states
  bool jumps = false;         // a normal that does
};

// Such that an impact of `speed` is about `depth` deep; lengths of the size of `r`.
Laws make_laws(Random& random, const Pair& pair, double mass, double r, double speed,
               double depth) {
  Laws laws;
  const double force = mass * speed * speed / depth, volume = kPi * r * depth * depth;
  std::vector<std::string> normals = {"hunt_crossley", "lankarani_nikravesh", "hertz",
                                      "kelvin_voigt"};
  if (!pair.has(kPointOnly)) {
    normals.insert(normals.end(),
                   {"volumetric", "volumetric", "volumetric", "volumetric", "volume_power"});
  }
  const bool patch = pair.has(kPatch) && pick(random, 3) == 0;  // takes long
  if (patch) normals.insert(normals.end(), {"hyper_volumetric", "foundation"});
  laws.normal_name = any_of(random, normals);
  const std::string& name = laws.normal_name;
  const std::string damping = std::array<std::string, 3>{
      "", fmt::format(", damping: {}", between(random, 0, 1) / speed),
      fmt::format(", restitution: {}, v_small: {}", between(random, 0.2, 1),
                  0.05 * speed)}[static_cast<size_t>(pick(random, 3))];
  if (name == "volumetric") {
    laws.normal = fmt::format("stiffness: {}{}", force / volume, damping);
  } else if (name == "volume_power") {
    const double H = between(random, 0.7, 1.3);
    laws.normal = fmt::format("stiffness: {}, exponent: {}, damping: {}",
                              force / std::pow(volume, H), H, 0.3 * force / volume / speed);
  } else if (name == "hyper_volumetric") {
    const double eta = between(random, 0.7, 1.5);
    laws.normal = fmt::format("stiffness: {}, exponent: {}{}",
                              force / (volume * std::pow(0.5 * depth, eta - 1)), eta, damping);
  } else if (name == "foundation") {
    laws.normal = fmt::format("curve: logarithmic, thickness: {}, modulus: {}{}", 2 * r,
                              2 * r * force / volume, damping);
  } else if (name == "hunt_crossley") {
    const double p = between(random, 1, 2);
    laws.normal =
        fmt::format("stiffness: {}, exponent: {}{}", force / std::pow(depth, p), p, damping);
  } else if (name == "lankarani_nikravesh") {
    laws.normal = fmt::format("stiffness: {}, restitution: {}, v_small: {}",
                              force / std::pow(depth, 1.5), between(random, 0.3, 1), 0.05 * speed);
  } else if (name == "hertz") {
    // F = 4/3 sqrt(R) E*/2 d^1.5 for two equal materials without Poisson's ratio.
    const double young = 1.5 * force / (std::sqrt(r) * std::pow(depth, 1.5));
    laws.normal = fmt::format(
        "material_i: {{young_modulus: {0}, poisson_ratio: 0}}, material_j: {{young_modulus: {0}, "
        "poisson_ratio: 0}}, radius: {1}{2}",
        young, r, damping);
  } else {
    laws.normal = fmt::format("stiffness: {}, damping: {}", force / depth,
                              between(random, 0, 0.5) * force / speed);
  }
  laws.normal = fmt::format("{{law: {}, {}}}", name, laws.normal);

  std::vector<std::string> frictions = {"none",    "coulomb_arctan",    "andersson",
                                        "hollars", "specker",           "brown_mcphee",
                                        "bristle", "volumetric_bristle"};
  const bool integrates =
      name == "volumetric" || name == "hyper_volumetric" || name == "foundation";
  if (integrates && patch) frictions.emplace_back("patch");
  laws.friction_name = any_of(random, frictions);
  const double mu = between(random, 0.1, 1), v = (pair.has(kDear) ? 1 : 0.3) * speed;
  auto slip_law = [&](const std::string& law) {
    if (law == "none") return std::string("law: none");
    if (law == "coulomb_arctan") return fmt::format("law: {}, mu_f: {}, v_s: {}", law, mu, v);
    if (law == "andersson") {
      return fmt::format("law: {}, mu_s: {}, mu_d: {}, v_s: {}, k_tanh: {}", law, mu, 0.8 * mu, v,
                         3 / v);
    }
    return fmt::format("law: {}, mu_s: {}, mu_d: {}, v_t: {}", law, mu, 0.8 * mu, v);
  };
  if (laws.friction_name == "patch") {
    laws.friction =
        fmt::format("law: patch, of: {{{}}}",
                    slip_law(any_of(random, std::vector<std::string>{"coulomb_arctan", "hollars",
                                                                     "specker", "brown_mcphee"})));
  } else if (laws.friction_name.ends_with("bristle")) {
    laws.of_slip_alone = false;
    const double bend = 0.3 * depth;
    laws.friction =
        fmt::format("law: {}, mu_C: {}, mu_S: {}, sigma_0: {}, sigma_1: {}, v_S: {}{}",
                    laws.friction_name, 0.8 * mu, mu, mu / bend, 0.5 * mu / bend * depth / speed, v,
                    pick(random, 2) ? fmt::format(", tau_dw: {}", 20 * depth / speed)
                                    : std::string(", dwell: false"));
  } else {
    laws.friction = slip_law(laws.friction_name);
  }
  laws.friction = fmt::format("{{{}}}", laws.friction);
  // How it is computed: the normals that two general solids have, a source's own ways, relaxation.
  std::vector<std::string> interference;
  if (pair.has(kGeneral)) {
    std::vector<std::string> choices = {"area_vector", "eigenvector", "plane"};
    if (pair.has(kPlanes) && name == "volumetric" && laws.friction_name != "patch")
      choices.insert(choices.end(), 3, "conservative");
    const std::string& choice = any_of(random, choices);
    interference.push_back(fmt::format("normal: {}", choice));
    laws.jumps = choice == "eigenvector" || choice == "plane";
  }
  if (pair.has(kDear)) interference.emplace_back("tolerance: 1.0e-6");
  if (!interference.empty()) {
    laws.more += fmt::format("    interference: {{{}}}\n", fmt::join(interference, ", "));
  }
  if (!pair.has(kGeneral) && !patch && pick(random, 6) == 0) {
    laws.more += fmt::format("    preset: {}\n", pick(random, 2) ? "gonthier2007" : "brown2017");
  }
  const bool conserves = !interference.empty() && interference[0] == "normal: conservative";
  if (!integrates && !conserves && pick(random, 8) == 0) {
    laws.more += "    relaxation: {time: 1}\n";
  }
  return laws;
}

struct Case {
  const Pair* pair = nullptr;
  Laws laws;
  std::string bodies, contact, run;
  Vec3d p_WI = Vec3d::Zero();
  double step = 0;
  bool adaptive = false;

  std::string text() const {
    const std::string solver = adaptive ? std::string("{method: cvode, tolerance: 1.0e-9}")
                                        : fmt::format("{{method: rk4, step: {}}}", step);
    return fmt::format("vesica: 1\ntitle: {}, {}, {}\nbodies:\n{}", pair->name, laws.normal_name,
                       laws.friction_name,
                       fmt::format(fmt::runtime(bodies), p_WI.x(), p_WI.y(), p_WI.z()) + contact +
                           run + fmt::format("solver: {}\n", solver));
  }
};

bool is_touching(const System<double>& system, const Vec3d& p_WI) {
  State<double> state = system.make_initial_state();
  Evaluation<double> data = system.make_evaluation<double>();
  std::vector<ContactChange> unused;
  for (int k = 0; k < 3; ++k) {
    state.y[static_cast<size_t>(system.layout().position(0) + k)] = p_WI[k];
  }
  system.calc_motions(0, state.y.data(), &data);
  system.find_parts(&state, &data, &unused);
  system.calc_overlaps(state.memory, &data);
  for (const auto& o : data.overlaps) {
    if (o.volume > 0 || o.distance < 0) return true;
  }
  return false;
}

// The L of an extruded letter, closed, of size 2.
std::string save_mesh() {
  const auto path = std::filesystem::temp_directory_path() /
                    fmt::format("vesica_passivity_{}.obj", ::getpid());  // shards run side by side
  std::ofstream out(path);
  const double corners[6][2] = {{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}};
  for (const double z : {-0.5, 0.5}) {
    for (const auto& c : corners)
      out << "v " << c[0] + 0.2 << ' ' << c[1] + 0.2 << ' ' << z << '\n';
  }
  out << "f 6 4 1\nf 6 5 4\nf 4 2 1\nf 4 3 2\n";
  out << "f 7 10 12\nf 10 11 12\nf 7 8 10\nf 8 9 10\n";
  for (int k = 0; k < 6; ++k) {
    const int a = k + 1, b = (k + 1) % 6 + 1;
    out << "f " << a << ' ' << b << ' ' << b + 6 << "\nf " << a << ' ' << b + 6 << ' ' << a + 6
        << '\n';
  }
  return path.string();
}

Case make_case(std::uint64_t number, const std::string& mesh) {
  Random random(9000 + number);
  Case c;
  do {
    c.pair = &any_of(random, pairs());
  } while (c.pair->has(kDear) && pick(random, 5) > 0);
  const Body i = any_of(random, c.pair->i), j = any_of(random, c.pair->j);
  const double r = test::random_log_between(random, 0.01, 0.1);
  const double mass = 1000 * 4 * r * r * r;
  const double speed = test::random_log_between(random, 0.3, 3);
  const double depth = r * test::random_log_between(random, 0.01, 0.05);
  c.laws = make_laws(random, *c.pair, mass, r, speed, depth);
  const bool bounded =
      j != Body::kHalfSpace && j != Body::kEdge && j != Body::kHollow && j != Body::kPeak;
  const Vec3d u = bounded ? Vec3d(test::random_rotation(random).col(0)) : Vec3d::UnitZ();
  const Vec3d v = -u * speed + test::random_vector(random, speed);
  const Vec3d w = test::random_vector(random, 2 * speed / r);
  auto inertia = [&](double m) {  // any: shapes need not be uniform
    const double I = 0.4 * m * r * r;
    return fmt::format("    inertia: [{}, {}, {}]\n", I * between(random, 0.8, 1.2),
                       I * between(random, 0.8, 1.2), I * between(random, 0.8, 1.2));
  };
  auto turn = [&] {
    const Vec3d axis = test::random_rotation(random).col(0);
    return fmt::format("axis: [{}, {}, {}], angle: {}", axis.x(), axis.y(), axis.z(),
                       between(random, 0, 3));
  };
  auto braces = [](const std::string& text) {  // for fmt::runtime
    std::string out;
    for (const char ch : text) {
      out += ch;
      if (ch == '{' || ch == '}') out += ch;
    }
    return out;
  };
  c.bodies = braces(fmt::format("  first:\n    mass: {}\n{}    {}\n", mass, inertia(mass),
                                make_shape(random, i, r, mesh))) +
             fmt::format("    pose: {{{{position: [{{}}, {{}}, {{}}], {}}}}}\n", turn()) +
             braces(fmt::format("    velocity: {{linear: [{}, {}, {}], angular: [{}, {}, {}]}}\n",
                                v.x(), v.y(), v.z(), w.x(), w.y(), w.z()));
  const std::string other = make_shape(random, j, r, mesh);
  if (bounded && pick(random, 2)) {
    const double other_mass = mass * between(random, 0.5, 3);
    c.bodies += braces(fmt::format("  second:\n    mass: {}\n{}    {}\n    pose: {{{}}}\n",
                                   other_mass, inertia(other_mass), other, turn()));
  } else {
    c.bodies +=
        braces(fmt::format("  second:\n    fixed: true\n    {}\n{}", other,
                           bounded              ? fmt::format("    pose: {{{}}}\n", turn())
                           : j == Body::kHollow ? "    pose: {axis: [1, 0, 0], angle: 1.5707963}\n"
                                                : ""));
  }
  c.contact =
      fmt::format("contacts:\n  - between: [first, second]\n    normal: {}\n    friction: {}\n{}",
                  c.laws.normal, c.laws.friction, c.laws.more);
  c.run = fmt::format("duration: {}\noutput: {{interval: 0}}\n",
                      (c.pair->has(kDear) ? 5 : 12) * depth / speed);
  c.step = 0.1 * depth / speed;
  c.adaptive = !c.pair->has(kDear) && pick(random, 4) == 0;

  // Where it just touches, then apart by what it flies in a tenth of the run at most.
  double far = 6 * r, near = 0;
  if (j == Body::kHollow) {  // touches from within
    far = 0, near = -6 * r;
  }
  const System<double> system = test::load_scene(c.text()).system;
  for (int k = 0; k < 30; ++k) {
    const double middle = 0.5 * (near + far);
    (is_touching(system, u * middle) ? near : far) = middle;
  }
  c.p_WI = u * (far + (c.pair->has(kDear) ? 0.1 : 1.0) * depth * between(random, 0, 1));
  return c;
}

// Runs it; a fixed step that the monitor or the ledger finds too long is shortened, as the warnings
// say.
RunResult run_case(Case* c, std::vector<std::string>* warnings = nullptr) {
  constexpr int kMostKinks = 4;  // times that the step is quartered for a law by depth
  for (int kinks = 0;;) {
    const auto s = test::load_scene(c->text());
    RunResult result = simulate(s.system, s.options);
    const double rate = result.monitors[0].max_step_rate;
    const bool is_long = rate > kStepRate;
    // A law by depth pushes at the lowest corner: its torque jumps where another becomes the
    // lowest, which costs the integrator a part of the step each time.
    const bool is_kinked = kinks < kMostKinks &&
                           s.system.scene().contacts[0].contact.measure() == Measure::kDepth &&
                           !(std::abs(result.residual) <= kBound * result.energy_scale);
    if (c->adaptive || !(is_long || is_kinked) || !(c->step > 1e-9)) {
      if (warnings) *warnings = make_warnings(s.system, s.options, result);
      return result;
    }
    c->step *= !is_long ? 0.25 : std::isfinite(rate) ? std::max(0.05, 0.8 * kStepRate / rate) : 0.1;
  }
}

struct Finding {
  std::uint64_t number = 0;
  std::string pair, what;
  double size = 0;
};

long count_of(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

class Passivity : public ::testing::TestWithParam<int> {};
constexpr int kBlocks = 8;  // so that shards have something each

TEST_P(Passivity, EnergyGrowsByNoMoreThanNonPotentialWork) {
  const std::string mesh = save_mesh();
  const long only = count_of("VESICA_PASSIVITY_SCENE", -1);
  const long scenes = only >= 0 ? only + 1 : count_of("VESICA_PASSIVITY_SCENES", 2000);
  std::map<std::string, std::vector<double>> residuals;  // by pair
  std::map<std::string, double> seconds;
  std::map<std::string, std::pair<double, long>> made;  // most, of the scale, and where
  std::vector<Finding> findings;
  long touched = 0, count = 0;
  for (long k = only >= 0 ? only : GetParam(); k < scenes; k += kBlocks) {
    if (only >= 0 && GetParam() != 0) break;
    const auto number = static_cast<std::uint64_t>(k);
    std::string name, text;
    auto add = [&](const std::string& what, double size) {
      findings.push_back({number, name, what, size});
    };
    try {
      Case c = make_case(number, mesh);
      name = fmt::format("{}, {}, {}", c.pair->name, c.laws.normal_name, c.laws.friction_name);
      std::vector<std::string> warnings;
      const std::clock_t begin = std::clock();
      const RunResult result = run_case(&c, &warnings);
      const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      seconds[c.pair->name] += took;
      const auto s = test::load_scene(c.text());
      if (only >= 0) {
        fmt::print(
            "{}\n{}\nscale {:.4g} J, gain {:.4g} J, non-potential {:.4g} J, residual "
            "{:.3g} J, steps {}\n",
            c.text(), fmt::join(warnings, "\n"), result.energy_scale,
            result.end_energy - result.start_energy, result.non_potential_work, result.residual,
            result.statistics.steps);
      }
      ++count;
      if (!result.failure.empty()) {
        add(result.failure, 1);
        continue;
      }
      if (result.monitors[0].steps_in_contact > 0) ++touched;
      const double scale = result.energy_scale, bound = (c.laws.jumps ? 5 : 1) * kBound;
      const double gain = result.end_energy - result.start_energy;
      made[c.pair->name] =
          std::max(made[c.pair->name], std::pair{result.non_potential_work / scale, k});
      residuals[c.pair->name].push_back(std::abs(result.residual) / scale);
      if (!(gain - result.non_potential_work <= bound * scale)) {
        add("gained more than is reported", (gain - result.non_potential_work) / scale);
      } else if (!(std::abs(result.residual) <= bound * scale)) {
        add("the ledger does not close", std::abs(result.residual) / scale);
      }
      if (c.laws.of_slip_alone && s.system.contact_has_potential(0) &&
          result.non_potential_work != 0) {
        add("has a potential, and non-potential work", result.non_potential_work / scale);
      }
      // What a contact makes beyond its bound is said.
      const ContactMonitor& m = result.monitors[0];
      if (m.non_potential_work - m.uncertain_work > kMadeBound * scale &&
          std::none_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
            return warning.find("made") != std::string::npos;
          })) {
        add("makes energy without a word", m.non_potential_work / scale);
      }
      const double* ledger = result.state.data() + s.system.layout().ledger_start();
      for (const LedgerEntry e : kDissipation) {
        if (ledger[e] < -bound * scale) {
          add(fmt::format("dissipates less than nothing, entry {}", static_cast<int>(e)),
              -ledger[e] / scale);
        }
      }
    } catch (const std::exception& error) {
      add(error.what(), 1);
    }
  }
  std::filesystem::remove(mesh);
  std::sort(findings.begin(), findings.end(),
            [](const Finding& a, const Finding& b) { return a.size > b.size; });
  for (auto& [pair, values] : residuals) {
    std::sort(values.begin(), values.end());
    std::string key = pair;
    for (char& ch : key) ch = ch == ' ' || ch == '-' ? '_' : ch;
    RecordProperty(key, fmt::format("{} scenes, residual {:.1e} median, {:.1e} worst",
                                    values.size(), values[values.size() / 2], values.back()));
  }
  if (std::getenv("VESICA_PASSIVITY_SCENES")) {
    for (auto& [pair, values] : residuals) {
      fmt::print(
          "{:<26}{:>7} scenes {:>8.2f} s   residual {:.1e} {:.1e} {:.1e}   made {:.1e} ({})\n",
          pair, values.size(), seconds[pair], values[values.size() / 2],
          values[values.size() * 99 / 100], values.back(), made[pair].first, made[pair].second);
    }
  }
  std::string list;
  for (const Finding& f : findings) {
    list += fmt::format("VESICA_PASSIVITY_SCENE={}: {}: {} ({:.2g})\n", f.number, f.pair, f.what,
                        f.size);
  }
  EXPECT_TRUE(findings.empty()) << findings.size() << " of " << count << " scenes:\n" << list;
  if (only < 0) {
    EXPECT_GT(touched, 0.9 * static_cast<double>(count));
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Passivity, ::testing::Range(0, kBlocks));

}  // namespace
}  // namespace vesica::passivity_test
