// One contact evaluation: what it costs, next to hand-written code, to its own derivatives and to
// Simbody's contact elements on the same motions.
#include <fmt/format.h>

#include <random>

#include "bench/allocations.h"
#include "bench/contact_with_jets.h"
#include "bench/hand_written_ellipsoid.h"
#include "bench/meshes.h"
#include "bench/simbody_contacts.h"
#include "bench/timing.h"
#include "vesica/contact/batch.h"

namespace vesica::bench {
namespace {

// A heel: Brown & McPhee's ellipsoid of the foot.
const Vec3d kRadii(0.0354, 0.054, 0.0226);
constexpr double kRadius = 0.04;
constexpr double kStiffness = 1.6e7, kDamping = 0.565;
constexpr double kMuS = 0.8, kMuD = 0.6, kTransition = 0.05;
constexpr double kDepth = 0.002;
const Motion<double> kGround;

using Motions = std::vector<Motion<double>>;

ContactForces<double> evaluate(const Contact<double>& contact, const Motion<double>& m)
    __attribute__((noinline));
ContactForces<double> evaluate(const Contact<double>& contact, const Motion<double>& m) {
  return calc_contact(contact, m, kGround, ContactMemory<double>{});
}
ContactForces<Dual<12>> differentiate(const Contact<double>& contact, const Motion<double>& m)
    __attribute__((noinline));
ContactForces<Dual<12>> differentiate(const Contact<double>& contact, const Motion<double>& m) {
  return calc_contact(contact, seed_motion(m), kGround, ContactMemory<Dual<12>>{Dual<12>(0.0)});
}

Contact<double> make_contact(const decltype(ShapePair<double>::shapes)& shapes) {
  Contact<double> contact;
  contact.pair.shapes = shapes;
  contact.normal = VolumetricNormal<double>{.stiffness = kStiffness, .damping = kDamping};
  contact.friction = BrownMcPhee<double>{.mu_s = kMuS, .mu_d = kMuD, .v_t = kTransition};
  return contact;
}

// Tilts up to 20 degrees, any heading, speeds of a foot at landing; every motion has its lowest
// point `depth` below the ground.
Motions make_motions(const Contact<double>& contact, std::size_t count, double depth) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  Motions motions(count);
  for (auto& m : motions) {
    const double heading = kPi * unit(random), tilt = 0.35 * unit(random);
    const double axis = kPi * unit(random);
    const auto turn = quaternion_from_rotation_vector(Vec3d(0, 0, heading));
    const auto lean =
        quaternion_from_rotation_vector(tilt * Vec3d(std::cos(axis), std::sin(axis), 0));
    m.X_WB = make_pose(lean * turn, Vec3d(unit(random), unit(random), 0));
    m.V_WB.v_WB = Vec3d(0.5 * unit(random), 0.5 * unit(random), -0.2 + 0.2 * unit(random));
    m.V_WB.w_WB = Vec3d(2 * unit(random), 2 * unit(random), 2 * unit(random));
    m.X_WB.p_WB.z() = -calc_overlap(contact, m.X_WB, kGround.X_WB).distance - depth;
  }
  return motions;
}

Motion<Jet> as_jets(const Motion<double>& motion) {
  const Motion<Dual<12>> seeded = seed_motion(motion);
  const auto convert = [](const Dual<12>& x) {
    Jet jet(x.a);
    for (int k = 0; k < 12; ++k) jet.v[k] = x.v[k];
    return jet;
  };
  return {{seeded.X_WB.R_WB.unaryExpr(convert), seeded.X_WB.p_WB.unaryExpr(convert)},
          {seeded.V_WB.w_WB.unaryExpr(convert), seeded.V_WB.v_WB.unaryExpr(convert)}};
}

HandWrittenMotion as_hand_written(const Motion<double>& m) {
  HandWrittenMotion h;
  std::copy_n(m.X_WB.R_WB.data(), 9, h.R);
  std::copy_n(m.X_WB.p_WB.data(), 3, h.p);
  std::copy_n(m.V_WB.w_WB.data(), 3, h.w);
  std::copy_n(m.V_WB.v_WB.data(), 3, h.v);
  return h;
}

// The motions as calc_contact_batch wants them.
struct BatchArrays {
  explicit BatchArrays(const Motions& motions) : count(motions.size()) {
    values.assign(19, std::vector<double>(count));
    for (std::size_t k = 0; k < count; ++k) {
      const Motion<double>& m = motions[k];
      const Eigen::Quaterniond q(m.X_WB.R_WB);
      const double row[] = {m.X_WB.p_WB.x(), m.X_WB.p_WB.y(), m.X_WB.p_WB.z(), q.w(),
                            q.x(),           q.y(),           q.z(),           m.V_WB.v_WB.x(),
                            m.V_WB.v_WB.y(), m.V_WB.v_WB.z(), m.V_WB.w_WB.x(), m.V_WB.w_WB.y(),
                            m.V_WB.w_WB.z()};
      for (int c = 0; c < 13; ++c) values[c][k] = row[c];
    }
  }
  const double* in(int c) const { return values[c].data(); }
  double* out(int c) { return values[13 + c].data(); }
  BatchMotions motions() const {
    return {count,
            {in(0), in(1), in(2)},
            {in(3), in(4), in(5), in(6)},
            {in(7), in(8), in(9)},
            {in(10), in(11), in(12)}};
  }
  BatchWrenches wrenches() { return {{out(0), out(1), out(2)}, {out(3), out(4), out(5)}}; }

  std::size_t count;
  std::vector<std::vector<double>> values;
};

void line(const std::string& what, double value, const std::string& unit, double bound,
          bool at_least = false) {
  const bool met = at_least ? value >= bound : value <= bound;
  fmt::print("  {:<58}{:>9.3g} {:<2} {} {:<6g} {}\n", what, value, unit,
             at_least ? ">=" : "<=", bound, met ? "met" : "MISSED");
}

struct Case {
  std::string name;
  Contact<double> contact;
  Motions motions;
};

Contact<double> make_mesh_contact(const MeshData& mesh) {
  return make_contact(MeshOnHalfSpace{
      {std::make_shared<TriangleMesh>(mesh.vertices, mesh.triangles, "ellipsoid mesh")}});
}

std::vector<Case> make_cases() {
  const auto add = [](const std::string& name, const Contact<double>& contact,
                      std::size_t count = 256) {
    return Case{name, contact, make_motions(contact, count, kDepth)};
  };
  const MeshData mesh = make_ellipsoid_mesh(kRadii, 23);
  return {
      add("sphere", make_contact(SphereOnHalfSpace<double>{{kRadius}})),
      add("ellipsoid", make_contact(EllipsoidOnHalfSpace<double>{{kRadii}})),
      add("box", make_contact(BoxOnHalfSpace<double>{{2 * kRadii}})),
      add(fmt::format("mesh, {} triangles", mesh.triangles.size()), make_mesh_contact(mesh), 16)};
}

// Largest difference of the hand-written wrench from ours, of the largest force.
double check_hand_written(const HandWrittenContact& hand, const Case& ellipsoid) {
  double error = 0;
  for (const auto& m : ellipsoid.motions) {
    HandWrittenWrench h;
    calc_hand_written(hand, as_hand_written(m), as_hand_written(kGround), &h);
    const auto ours = evaluate(ellipsoid.contact, m);
    const double f = ours.F_Ic_W.f_W.norm(), tau = ours.F_Ic_W.tau_W.norm();
    for (int k = 0; k < 3; ++k) {
      error = std::max(error, std::abs(h.f[k] - ours.F_Ic_W.f_W[k]) / f);
      error = std::max(error, std::abs(h.tau[k] - ours.F_Ic_W.tau_W[k]) / tau);
    }
  }
  return error;
}

// The share of motions whose patch comes near lifting, which takes longer (lifted_patch.h).
double calc_lifting_share(const Case& c) {
  std::size_t count = 0;
  for (const auto& m : c.motions) {
    const auto forces = evaluate(c.contact, m);
    const auto o = calc_overlap(c.contact, m.X_WB, kGround.X_WB);
    const Vec3d u = o.n_W.cross(forces.w);
    const Vec3d Mu = o.M_W * u;
    count += is_near_lifting(forces.normal.factor, forces.normal.alpha, u.dot(Mu), 1 / o.volume);
  }
  return static_cast<double>(count) / static_cast<double>(c.motions.size());
}

void print_kernels(const std::vector<Case>& cases) {
  Rounds rounds;
  long allocations = 0;
  const auto counted = [&](auto&& run) {
    const long before = allocation_count();
    run();
    allocations += allocation_count() - before;
  };
  const auto add_case = [&](const Case& c) {
    const auto plain = [&c] {
      for (const auto& m : c.motions) keep(evaluate(c.contact, m));
    };
    const auto with_derivatives = [&c] {
      for (const auto& m : c.motions) keep(differentiate(c.contact, m));
    };
    rounds.add(c.name, c.motions.size(), plain);
    rounds.add(c.name + " d", c.motions.size(), with_derivatives);
    counted(plain);
    counted(with_derivatives);
  };
  const Case& sphere = cases[0];
  const Case& ellipsoid = cases[1];

  const HandWrittenContact hand{kRadii.x(), kRadii.y(), kRadii.z(), kStiffness,
                                kDamping,   kMuS,       kMuD,       kTransition};
  const HandWrittenMotion ground = as_hand_written(kGround);
  std::vector<HandWrittenMotion> hand_motions;
  std::vector<Motion<Jet>> jet_motions;
  for (const auto& m : ellipsoid.motions) {
    hand_motions.push_back(as_hand_written(m));
    jet_motions.push_back(as_jets(m));
  }
  // What is held against each other runs one after the other, away from the mesh and its memory.
  add_case(cases[2]);
  add_case(cases[3]);
  rounds.add("jets", jet_motions.size(), [&] {
    for (const auto& m : jet_motions) keep(calc_with_jets(ellipsoid.contact, m, kGround));
  });
  add_case(sphere);
  add_case(ellipsoid);
  rounds.add("ellipsoid, hand-written", hand_motions.size(), [&] {
    HandWrittenWrench result;
    for (const auto& m : hand_motions) {
      calc_hand_written(hand, m, ground, &result);
      keep(result);
    }
  });
  constexpr std::size_t kBatch = 1024;
  BatchArrays sphere_arrays(make_motions(sphere.contact, kBatch, kDepth));
  BatchArrays ellipsoid_arrays(make_motions(ellipsoid.contact, kBatch, kDepth));
  const auto batch = [](const Contact<double>& contact, BatchArrays& arrays) {
    calc_contact_batch(contact, arrays.motions(), kGround, arrays.wrenches());
    keep(arrays);
  };
  rounds.add("sphere, batch", sphere_arrays.count, [&] { batch(sphere.contact, sphere_arrays); });
  rounds.add("ellipsoid, batch", ellipsoid_arrays.count,
             [&] { batch(ellipsoid.contact, ellipsoid_arrays); });
  counted([&] { batch(ellipsoid.contact, ellipsoid_arrays); });
  rounds.measure(401);

  fmt::print("One contact: pose and velocity to wrench, damping, rolling, friction, spin [ns]\n");
  fmt::print("  {:<26}{:>19}{:>30}{:>8}\n", "shape on half-space", "median     least",
             "with 12 derivatives   median", "ratio");
  const auto row = [&](const std::string& name, const std::string& key) {
    fmt::print("  {:<26}{:>9.1f}{:>10.1f}", name, rounds.time(key), rounds.least_time(key));
  };
  for (const auto& c : cases) {
    row(c.name, c.name);
    fmt::print("{:>30.1f}{:>8.1f}\n", rounds.time(c.name + " d"),
               rounds.ratio(c.name + " d", c.name));
  }
  fmt::print("  {:<26}{:>49.1f}{:>8.1f}\n", "ellipsoid, ceres::Jet", rounds.time("jets"),
             rounds.ratio("jets", "ellipsoid"));
  for (const auto* name : {"ellipsoid, hand-written", "sphere, batch", "ellipsoid, batch"}) {
    row(name, name);
    fmt::print("\n");
  }
  fmt::print("  motions that lift, or come near it:");
  for (const auto& c : cases) {
    fmt::print("{} {} {:g} %", &c == &cases[0] ? "" : ",", c.name, 100 * calc_lifting_share(c));
  }
  fmt::print("\n");
  fmt::print("\n");

  fmt::print("  {:<58}{:>9}    target\n", "", "here");
  line("ellipsoid / sphere", rounds.ratio("ellipsoid", "sphere"), "x", 1.5);
  line("ellipsoid / hand-written", rounds.ratio("ellipsoid", "ellipsoid, hand-written"), "x", 1.7);
  line("ellipsoid, 12 derivatives / wrench", rounds.ratio("ellipsoid d", "ellipsoid"), "x", 8);
  line("ellipsoid in a batch", rounds.time("ellipsoid, batch"), "ns", 40);
  line("allocations", static_cast<double>(allocations), "", 0);
  line("hand-written differs from ours by", check_hand_written(hand, ellipsoid), "", 1e-12);
  fmt::print("\n");
}

// A Simbody element on the motions of one of our contacts.
struct Peer {
  std::string name;
  SimbodyContact element;
  const Contact<double>* exact;  // what its force is held against
  std::string ours;              // the evaluation that its time is held against
  std::string ours_on_mesh;      // and ours of the same mesh, if it has one
};

// Root mean square of the relative error of the normal force [%].
double calc_force_error(Peer& peer, double depth) {
  const Motions motions = make_motions(*peer.exact, 64, depth);
  peer.element.set_motions(motions);
  double sum = 0;
  for (std::size_t k = 0; k < motions.size(); ++k) {
    const double exact = evaluate(*peer.exact, motions[k]).normal.force;
    sum += square(peer.element.realize(k).f_W.z() / exact - 1);
  }
  return 100 * std::sqrt(sum / static_cast<double>(motions.size()));
}

// The stiffness for which Hertz' law, whose force is proportional to it, gives our force in a level
// pose at rest, kDepth deep: a law of another form can agree at one depth only.
template <class Make>
double find_equal_stiffness(const Contact<double>& ours, const Make& make) {
  Motion<double> level;
  level.X_WB.p_WB.z() = -calc_overlap(ours, level.X_WB, kGround.X_WB).distance - kDepth;
  constexpr double kTrial = 1e6;
  SimbodyContact element = make(kTrial);
  element.set_motions({level});
  const double target = evaluate(ours, level).normal.force;
  return kTrial * target / element.realize(0).f_W.z();
}

void print_peers(const std::vector<Case>& cases) {
  const Contact<double>&sphere = cases[0].contact, &ellipsoid = cases[1].contact;
  // f (1 + 3/2 c v) in Hunt and Crossley's form.
  const auto hertz = [](double stiffness) {
    return SimbodyMaterial{stiffness, kDamping / 1.5, kMuS, kMuD, kTransition};
  };
  const auto hunt_crossley = [&](const Vec3d& radii) {
    return [&hertz, radii](double k) { return SimbodyContact::hunt_crossley(radii, hertz(k)); };
  };
  const auto smooth = [&](double k) { return SimbodyContact::smooth_sphere(kRadius, hertz(k)); };
  const Vec3d sphere_radii = Vec3d::Constant(kRadius);

  std::vector<Peer> peers;
  peers.push_back({"SmoothSphereHalfSpace", smooth(find_equal_stiffness(sphere, smooth)), &sphere,
                   "sphere", ""});
  peers.push_back(
      {"HuntCrossley, sphere",
       hunt_crossley(sphere_radii)(find_equal_stiffness(sphere, hunt_crossley(sphere_radii))),
       &sphere, "sphere", ""});
  peers.push_back({"HuntCrossley, ellipsoid",
                   hunt_crossley(kRadii)(find_equal_stiffness(ellipsoid, hunt_crossley(kRadii))),
                   &ellipsoid, "ellipsoid", ""});
  std::vector<Case> meshes;
  for (int f : {7, 10, 16, 18, 23, 32}) {
    const MeshData mesh = make_ellipsoid_mesh(kRadii, f);
    const std::string name = fmt::format("ElasticFoundation, {}", mesh.triangles.size());
    meshes.push_back({name + " ours", make_mesh_contact(mesh), cases[1].motions});
    peers.push_back(
        {name,
         SimbodyContact::elastic_foundation(mesh, {kStiffness, kDamping, kMuS, kMuD, kTransition}),
         &ellipsoid, "ellipsoid", meshes.back().name});
  }

  // Ours run several times over the motions that the peers take once, about as long as they do:
  // else they are timed with what the candidates before them left in caches and branch predictors.
  constexpr std::size_t kMotions = 32, kRepeats = 40, kMeshRepeats = 16;
  Rounds rounds;
  const auto add_ours = [&rounds](const Case& c, std::size_t repeats) {
    rounds.add(c.name, kMotions * repeats, [&c, repeats] {
      for (std::size_t r = 0; r < repeats; ++r) {
        for (std::size_t k = 0; k < kMotions; ++k) keep(evaluate(c.contact, c.motions[k]));
      }
    });
  };
  add_ours(cases[0], kRepeats);
  add_ours(cases[1], kRepeats);
  for (const Case& c : meshes) add_ours(c, kMeshRepeats);
  std::vector<std::array<double, 3>> errors;
  for (Peer& peer : peers) {
    errors.push_back({calc_force_error(peer, 0.001), calc_force_error(peer, kDepth),
                      calc_force_error(peer, 0.004)});
    peer.element.set_motions(make_motions(*peer.exact, kMotions, kDepth));
  }
  SimbodyContact without = SimbodyContact::without_contact();
  without.set_motions(cases[1].motions);
  rounds.add("without", kMotions * 4, [&] {
    for (int r = 0; r < 4; ++r) {
      for (std::size_t k = 0; k < kMotions; ++k) keep(without.realize(k));
    }
  });
  for (Peer& peer : peers) {
    rounds.add(peer.name, kMotions, [&peer] {
      for (std::size_t k = 0; k < kMotions; ++k) keep(peer.element.realize(k));
    });
  }
  rounds.measure(31);

  fmt::print(
      "Simbody on the same motions, {:g} mm deep; its time is that of realizing a state to\n"
      "Dynamics with the element less without. Errors: rms of the normal force against the\n"
      "exact one, 1 / 2 / 4 mm deep (Hertz' laws are made equal to it level at 2 mm).\n",
      1e3 * kDepth);
  fmt::print("  {:<26}{:>9}{:>21}{:>9}{:>13}\n", "", "us", "force error %", "x ours", "x our mesh");
  for (std::size_t k = 0; k < peers.size(); ++k) {
    const Peer& peer = peers[k];
    fmt::print("  {:<26}{:>9.2f}{:>9.2f}{:>6.2f}{:>6.2f}{:>9.1f}{:>13}\n", peer.name,
               rounds.time(peer.name, "without") * 1e-3, errors[k][0], errors[k][1], errors[k][2],
               rounds.ratio(peer.name, peer.ours, "without"),
               peer.ours_on_mesh.empty()
                   ? ""
                   : fmt::format("{:.1f}", rounds.ratio(peer.name, peer.ours_on_mesh, "without")));
  }
  fmt::print("\n  {:<58}{:>9}    target\n", "", "here");
  line("SmoothSphereHalfSpace / sphere", rounds.ratio("SmoothSphereHalfSpace", "sphere", "without"),
       "x", 1, true);
  line("SmoothSphereHalfSpace / ellipsoid",
       rounds.ratio("SmoothSphereHalfSpace", "ellipsoid", "without"), "x", 1, true);
  bool found = false;
  for (std::size_t k = 3; k < peers.size(); ++k) {
    if (!found && errors[k][1] < 1) {
      found = true;
      line(peers[k].name + " (coarsest below 1 %) / ellipsoid",
           rounds.ratio(peers[k].name, "ellipsoid", "without"), "x", 1000, true);
    }
  }
  if (!found) fmt::print("  no mesh of ElasticFoundation came below 1 % at 2 mm\n");
  for (std::size_t k = 3; k < peers.size(); ++k) {
    line(peers[k].name + " / our mesh",
         rounds.ratio(peers[k].name, peers[k].ours_on_mesh, "without"), "x", 20, true);
  }
}

}  // namespace
}  // namespace vesica::bench

int main() {
  using namespace vesica::bench;
  auto cases = make_cases();
  print_kernels(cases);
  print_peers(cases);
}
