#include <fmt/format.h>

#include "vesica/identification/suggest.h"

namespace vesica {
namespace {

ElasticMaterial read_material(const InputNode& modulus, const InputNode& ratio) {
  ElasticMaterial m{modulus.positive(dimension::kPressure), ratio.number(dimension::kNumber)};
  if (!(m.poisson_ratio > -1 && m.poisson_ratio <= 0.5)) ratio.fail("lies between -1 and 0.5");
  return m;
}

std::optional<ElasticMaterial> find_material(const InputNode& root, const char* modulus_key,
                                             const char* ratio_key) {
  const auto modulus = root.find(modulus_key), ratio = root.find(ratio_key);
  if (!modulus && !ratio) return std::nullopt;
  if (!ratio) modulus->fail(fmt::format("goes with '{}', which is missing", ratio_key));
  if (!modulus) ratio->fail(fmt::format("goes with '{}', which is missing", modulus_key));
  return read_material(*modulus, *ratio);
}

std::optional<double> find_positive(const InputNode& root, const char* key,
                                    const Dimension& dimension) {
  const auto node = root.find(key);
  return node ? std::optional(node->positive(dimension)) : std::nullopt;
}

void read_body(const InputNode& root, KnownFacts* facts) {
  const auto gravity = root.find("gravity"), weight = root.find("weight"), mass = root.find("mass");
  if (gravity) facts->gravity = gravity->non_negative(dimension::kAcceleration);
  if (weight && mass) weight->fail("give either 'mass' or 'weight', not both");
  if (weight) {
    if (facts->gravity == 0) weight->fail("there is none without gravity; give 'mass'");
    facts->mass = weight->positive(dimension::kForce) / facts->gravity;
  } else {
    facts->mass = root.at("mass").positive(dimension::kMass);
  }
  const auto radius = root.find("radius"), box = root.find("box");
  if (radius && box) box->fail("give either 'radius' (a ball) or 'box', not both");
  if (box) {
    facts->box = box->vector(dimension::kLength);
    for (size_t k = 0; k < 3; ++k) box->at(k).positive(dimension::kLength);
  } else {
    facts->radius = root.at("radius").positive(dimension::kLength);
  }
}

void read_normal(const InputNode& root, KnownFacts* facts) {
  if (const auto law = root.find("law")) {
    facts->volumetric = law->choice({"volumetric", "point"}) == 0;
    if (!facts->volumetric && !facts->is_ball()) {
      law->fail("a flat box touches over its face, not at a point; use volumetric, or a 'radius'");
    }
  }
  facts->force = find_positive(root, "force", dimension::kForce);
  facts->depth = find_positive(root, "depth", dimension::kLength);
  facts->material_i = find_material(root, "young_modulus", "poisson_ratio");
  facts->material_j = find_material(root, "young_modulus_j", "poisson_ratio_j");
  if (facts->material_j && !facts->material_i) {
    root.at("young_modulus_j").fail("is that of the ground; give the body's 'young_modulus' too");
  }
  if (facts->depth && facts->material_i) {
    root.at("depth").fail("follows from the materials; give either 'depth' or 'young_modulus'");
  }
  if (!facts->depth && !facts->material_i) {
    root.fail(
        "a stiffness needs either 'depth' (how deep the expected force may go) or the materials "
        "('young_modulus', 'poisson_ratio')");
  }
  if (facts->material_i && !facts->is_ball()) {
    root.at("young_modulus").fail("Hertz's formula is for a ball; for a flat box give 'depth'");
  }
  if (!facts->force && facts->gravity == 0) {
    root.fail("without gravity nothing presses: give 'force', the normal force expected in use");
  }
  const double size = facts->is_ball() ? facts->radius : facts->box.minCoeff();
  if (facts->depth && *facts->depth >= size) {
    root.at("depth").fail(fmt::format("must be below the body's size ({:g} m)", size));
  }
}

void read_impact(const InputNode& root, KnownFacts* facts) {
  if (const auto speeds = root.find("impact_speed")) {
    if (speeds->is_list()) {
      speeds->expect_list(2);
      facts->slowest_impact = speeds->at(size_t{0}).positive(dimension::kSpeed);
      facts->fastest_impact = speeds->at(1).positive(dimension::kSpeed);
      if (*facts->slowest_impact > *facts->fastest_impact) {
        speeds->fail("the slowest comes first");
      }
    } else {
      facts->slowest_impact = facts->fastest_impact = speeds->positive(dimension::kSpeed);
    }
  }
  const auto e = root.find("restitution"), slope = root.find("restitution_slope");
  if (e && slope) slope->fail("give either 'restitution' or 'restitution_slope', not both");
  if (e) {
    facts->restitution = e->positive(dimension::kNumber);
    if (*facts->restitution > 1) e->fail("a rebound is not faster than the impact: at most 1");
    if (*facts->restitution < 0.01) {
      e->fail("below 0.01 the damping grows without limit; 0.01 returns 0.01 % of the energy");
    }
  }
  if (slope) {
    facts->restitution_slope = slope->positive(dimension::kContactDamping);
    if (!facts->fastest_impact) slope->fail("goes with 'impact_speed', which is missing");
    if (*facts->restitution_slope * *facts->fastest_impact > 0.99) {
      slope->fail("e = 1 - a c falls below 0.01 at the fastest impact");
    }
  }
}

void read_friction(const InputNode& root, KnownFacts* facts) {
  facts->mu_C = root.at("mu_C").positive(dimension::kNumber);
  facts->mu_S = find_positive(root, "mu_S", dimension::kNumber);
  if (facts->mu_S && *facts->mu_S < facts->mu_C) root.at("mu_S").fail("must not be below mu_C");
  facts->presliding = find_positive(root, "presliding", dimension::kLength);
  facts->sliding_speed = find_positive(root, "sliding_speed", dimension::kSpeed);
  if (const auto s = root.find("sigma_2")) {
    facts->sigma_2 = s->non_negative(dimension::kContactDamping);
  }
  facts->tau_dw = find_positive(root, "tau_dw", dimension::kTime);
  if (facts->tau_dw && (!facts->mu_S || *facts->mu_S == facts->mu_C)) {
    root.at("tau_dw").fail("has no effect where mu_S is mu_C; give a 'mu_S' above mu_C");
  }
  facts->small_force = find_positive(root, "small_force", dimension::kForce);
}

}  // namespace

const std::vector<FactKey>& fact_keys() {
  static const std::vector<FactKey> kKeys = {
      {"mass", "kg", "of the body"},
      {"weight", "N", "instead of the mass"},
      {"gravity", "m/s^2", "9.80665 unless given"},
      {"radius", "m", "of a ball, or of the rounded tip that touches"},
      {"box", "m", "a box on its flat face: '[x, y, z]'"},
      {"law", "", "volumetric (unless given) or point"},
      {"force", "N", "normal force expected in use; the weight unless given"},
      {"depth", "m", "how deep that force may go"},
      {"young_modulus", "Pa", "of the body, instead of a depth: Hertz"},
      {"poisson_ratio", "", "goes with it"},
      {"young_modulus_j", "Pa", "of the ground; rigid unless given"},
      {"poisson_ratio_j", "", "goes with it"},
      {"impact_speed", "m/s", "expected closing speed, or '[slowest, fastest]'"},
      {"restitution", "", "wanted e, 0.01 to 1"},
      {"restitution_slope", "s/m", "instead: a of e = 1 - a c"},
      {"mu_C", "", "Coulomb friction: nothing can stand in for it"},
      {"mu_S", "", "static friction; mu_C unless given"},
      {"presliding", "m", "displacement before it slides; 0.1 mm unless given"},
      {"sliding_speed", "m/s", "expected slip"},
      {"sigma_2", "s/m", "viscous friction; none unless given"},
      {"tau_dw", "s", "dwell time; 10 tau_br unless given"},
      {"small_force", "N", "a force too small to matter; F/10^4 unless given"},
  };
  return kKeys;
}

KnownFacts read_facts(const InputFile& file) {
  const InputNode root = file.root();
  std::vector<std::string_view> allowed = {"vesica"};
  for (const FactKey& key : fact_keys()) allowed.emplace_back(key.key);
  root.allow(allowed);
  KnownFacts facts;
  read_body(root, &facts);
  read_normal(root, &facts);
  read_impact(root, &facts);
  read_friction(root, &facts);
  return facts;
}

}  // namespace vesica
