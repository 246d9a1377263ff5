#include "vesica/contact/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "vesica/error.h"
#include "vesica/math/pack.h"

namespace vesica {

// For lifted_patch.h, which finds it by its argument.
inline Pack calc_lift_integral(const Pack& q) {
  Pack r;
  for (int k = 0; k < Pack::kLanes; ++k) r.set(k, detail::calc_lift_moment(q[k]));
  return r;
}

namespace {

constexpr std::size_t kLanes = Pack::kLanes;

// Laws without states, of functions that packs have.
template <class Friction>
constexpr bool kInBatches =
    std::is_same_v<Friction, NoFriction<double>> || std::is_same_v<Friction, BrownMcPhee<double>> ||
    std::is_same_v<Friction, Hollars<double>>;

Pack load(const double* from) {
  Pack p;
  __builtin_memcpy(&p.lanes, from, sizeof(p.lanes));
  return p;
}
void store(const Pack& p, double* to) { __builtin_memcpy(to, &p.lanes, sizeof(p.lanes)); }

Vec3<Pack> load(const std::array<const double*, 3>& arrays, std::size_t at) {
  return {load(arrays[0] + at), load(arrays[1] + at), load(arrays[2] + at)};
}
void store(const Vec3<Pack>& v, const std::array<double*, 3>& arrays, std::size_t at) {
  for (int k = 0; k < 3; ++k) store(v[k], arrays[k] + at);
}

// Everything that stays the same over a batch.
template <class Pair, class Friction>
struct Constants {
  Pair pair;
  VolumetricNormal<double> normal;
  Friction friction;
  ContactOptions options;
  bool shape_at_origin;  // of body i
  Pose<double> X_Ii;
  Motion<double> j;
  Pose<double> X_Wj;  // of the half-space itself
};

// `count` motions, a multiple of four. The constants come by value, so that no store to the results
// can change them and what follows from them alone leaves the loop; flattened, so that results
// which only calc_contact's callers read are dropped.
template <class Pair, class Friction>
__attribute__((flatten, noinline)) void calc_packs(const Constants<Pair, Friction> c,
                                                   const BatchMotions m, const BatchWrenches out,
                                                   const std::size_t count) {
  for (std::size_t at = 0; at < count; at += kLanes) {
    const Quaternion<Pack> q{load(m.q_WI[0] + at), load(m.q_WI[1] + at), load(m.q_WI[2] + at),
                             load(m.q_WI[3] + at)};
    const Motion<Pack> i{make_pose(q, load(m.p_WI, at)), {load(m.w_WI, at), load(m.v_WI, at)}};
    ContactMemory<Pack> memory{Pack(0.0)};
    if (c.normal.damping.needs_impact_speed()) memory.impact_speed = load(m.impact_speed + at);
    const Overlap<Pack> overlap =
        c.shape_at_origin ? calc_overlap(c.pair, i.X_WB, c.X_Wj)
                          : calc_overlap(c.pair, calc_shape_pose(i.X_WB, c.X_Ii), c.X_Wj);
    const ContactForces<Pack> forces =
        calc_contact_forces(overlap, i, c.j, c.normal, c.friction, c.options, memory);
    const Wrench<Pack> F_Io_W = shift_wrench(forces.F_Ic_W, Vec3<Pack>(i.X_WB.p_WB - forces.p_WC));
    store(F_Io_W.f_W, out.f_W, at);
    store(F_Io_W.tau_W, out.tau_Io_W, at);
  }
}

// The motions that do not fill a pack, copied into arrays that do: the last one is repeated.
struct Tail {
  static constexpr int kInputs = 14, kOutputs = 6;
  alignas(32) double in[kInputs][kLanes] = {};
  alignas(32) double out[kOutputs][kLanes] = {};

  BatchMotions load(const BatchMotions& m, std::size_t first) {
    BatchMotions tail;
    int used = 0;
    const auto copy = [&](const double* from) -> const double* {
      if (!from) return nullptr;
      double* to = in[used++];
      for (std::size_t k = 0; k < kLanes; ++k) to[k] = from[std::min(first + k, m.count - 1)];
      return to;
    };
    const auto copy_all = [&](const auto& from, auto* to) {
      std::transform(from.begin(), from.end(), to->begin(), copy);
    };
    copy_all(m.p_WI, &tail.p_WI);
    copy_all(m.q_WI, &tail.q_WI);
    copy_all(m.v_WI, &tail.v_WI);
    copy_all(m.w_WI, &tail.w_WI);
    tail.impact_speed = copy(m.impact_speed);
    return tail;
  }
  BatchWrenches wrenches() { return {{out[0], out[1], out[2]}, {out[3], out[4], out[5]}}; }
  void store(const BatchWrenches& to, std::size_t first, std::size_t count) const {
    for (int k = 0; k < 3; ++k) {
      std::copy_n(out[k], count, to.f_W[k] + first);
      std::copy_n(out[3 + k], count, to.tau_Io_W[k] + first);
    }
  }
};

template <class Pair, class Friction>
void calc_all(const Constants<Pair, Friction>& constants, const BatchMotions& motions,
              const BatchWrenches& wrenches) {
  const std::size_t whole = motions.count / kLanes * kLanes;
  calc_packs(constants, motions, wrenches, whole);
  if (whole == motions.count) return;
  Tail tail;
  calc_packs(constants, tail.load(motions, whole), tail.wrenches(), kLanes);
  tail.store(wrenches, whole, motions.count - whole);
}

template <class Arrays>
void require(const Arrays& arrays, const char* name) {
  for (const auto* array : arrays) {
    if (!array) throw InputError(std::string("contact batch: array of '") + name + "' is missing");
  }
}

}  // namespace

void calc_contact_batch(const Contact<double>& contact, const BatchMotions& motions,
                        const Motion<double>& j, const BatchWrenches& wrenches) {
  if (motions.count == 0) return;
  require(motions.p_WI, "p_WI");
  require(motions.q_WI, "q_WI");
  require(motions.v_WI, "v_WI");
  require(motions.w_WI, "w_WI");
  require(wrenches.f_W, "f_W");
  require(wrenches.tau_Io_W, "tau_Io_W");
  const auto* normal = std::get_if<VolumetricNormal<double>>(&contact.normal);
  if (!normal) throw InputError("contact batch: the normal law must be volumetric");
  if (normal->damping.needs_impact_speed() && !motions.impact_speed) {
    throw InputError(
        "contact batch: a law with restitution needs 'impact_speed', one entry per motion");
  }
  const auto with_pair = [&]<class Pair>(const Pair& pair) {
    std::visit(
        [&]<class Friction>(const Friction& friction) {
          if constexpr (!kInBatches<Friction>) {
            throw InputError(fmt::format(
                "contact batch: friction is none, brown_mcphee or hollars, not {}; call "
                "calc_contact",
                Friction::kName));
          } else {
            const bool at_origin = contact.shapes_at_origin;
            const Constants<Pair, Friction> constants{
                pair,      *normal,
                friction,  contact.options,
                at_origin, contact.X_Ii,
                j,         at_origin ? j.X_WB : calc_shape_pose(j.X_WB, contact.X_Jj)};
            calc_all(constants, motions, wrenches);
          }
        },
        contact.friction);
  };
  const auto& shapes = contact.pair.shapes;
  if (contact.pair.turned) {
    throw InputError("contact batch: the half-space must be the shape of body j, not of body i");
  }
  if (const auto* sphere = std::get_if<SphereOnHalfSpace<double>>(&shapes)) {
    with_pair(*sphere);
  } else if (const auto* ellipsoid = std::get_if<EllipsoidOnHalfSpace<double>>(&shapes)) {
    with_pair(*ellipsoid);
  } else {
    throw InputError(
        "contact batch: takes a sphere or an ellipsoid on a half-space; call calc_contact for "
        "other shapes");
  }
}

}  // namespace vesica
