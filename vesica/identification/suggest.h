// A full set of contact parameters from what an engineer knows, by the rules of Gonthier's sections
// 3.3 and 4.5. Every figure carries the rule that made it and where the rule comes from.
//
// Normal law: `volumetric`, k_V = F/V(d) so that the expected force F goes d deep; `point`, Hertz
// (2.2-2.4) or k = F/d^1.5. The depth is given, or Hertz's under F from the materials. Friction:
// the bristle law of the same kind. The sources give no rule for k_V ("must be found
// experimentally"), for the step of an explicit method, nor for the peak of an impact: those are
// ours, and say so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vesica/io/yaml.h"
#include "vesica/math/gravity.h"

namespace vesica {

struct ElasticMaterial {
  double young_modulus, poisson_ratio;
};

// What is known; nothing here is NaN. Lengths in m, SI throughout.
struct KnownFacts {
  double mass = 0;
  double gravity = kStandardGravity;
  // The body: a ball, or a box that lies on its flat face.
  double radius = 0;
  Vec3d box = Vec3d::Zero();
  bool volumetric = true;
  std::optional<double> force, depth;
  std::optional<ElasticMaterial> material_i, material_j;
  std::optional<double> slowest_impact, fastest_impact;
  std::optional<double> restitution, restitution_slope;
  double mu_C = 0;
  std::optional<double> mu_S, presliding, sliding_speed, sigma_2, tau_dw, small_force;

  bool is_ball() const { return radius > 0; }
};

// A key of the facts, for files and command lines.
struct FactKey {
  const char* key;
  const char* unit;
  const char* what;
};
const std::vector<FactKey>& fact_keys();

// InputError naming the key for what is missing, contradictory or impossible.
KnownFacts read_facts(const InputFile& file);

struct SuggestedValue {
  std::string name;
  double value;
  std::string unit;
  std::string rule;    // how it was made, in symbols
  std::string source;  // an equation or section of the sources, "given", or "ours"
  bool assumed;        // nothing that was given bears on it
};

struct Suggestion {
  std::vector<SuggestedValue> values;
  std::vector<std::string> warnings;

  // The value of that name; it must exist.
  double at(const std::string& name) const;
  bool has(const std::string& name) const;
};

Suggestion suggest_parameters(const KnownFacts& facts);

// A scene that `vesica simulate` runs: the body comes down with the fastest expected impact and
// slides with the expected speed, pressed by the expected force.
std::string make_suggested_scene(const KnownFacts& facts, const Suggestion& suggestion);

}  // namespace vesica
