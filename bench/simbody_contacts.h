// A free body over a fixed half-space in Simbody, with one contact element or none.
//
// Simbody does not evaluate a contact by itself: the element's cost is the time to realize a state
// to Stage::Dynamics less the time that the same system takes without the element.
#pragma once

#include <memory>
#include <vector>

#include "bench/meshes.h"
#include "vesica/math/pose.h"

namespace vesica::bench {

struct SimbodyMaterial {
  double stiffness;  // in the element's own unit
  double dissipation;
  double mu_s, mu_d, v_t;
};

class SimbodyContact {
 public:
  static SimbodyContact without_contact();
  static SimbodyContact hunt_crossley(const Vec3d& radii, const SimbodyMaterial& material);
  static SimbodyContact smooth_sphere(double radius, const SimbodyMaterial& material);
  static SimbodyContact elastic_foundation(const MeshData& mesh, const SimbodyMaterial& material);

  // Converts the motions to Simbody's coordinates, which is not timed.
  void set_motions(const std::vector<Motion<double>>& motions);
  // The wrench on the body about its origin.
  Wrench<double> realize(std::size_t motion);

  SimbodyContact(SimbodyContact&&) noexcept;
  ~SimbodyContact();

 private:
  struct World;
  explicit SimbodyContact(std::unique_ptr<World> world);
  std::unique_ptr<World> world_;
};

}  // namespace vesica::bench
