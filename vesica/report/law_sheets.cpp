#include "vesica/report/law_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vesica/error.h"
#include "vesica/io/unknown_word.h"
#include "vesica/model/law_tables.h"

namespace vesica {
namespace {

using Kind = LawSheet::Kind;

std::vector<LawSheet> make_normal_sheets() {
  return {
      {.name = "volumetric",
       .kind = Kind::kNormal,
       .summary = "force proportional to the shared volume, with rolling resistance",
       .equation = {"F = k V (1 + alpha c)"},
       .source = "Gonthier 4.62; Brown-McPhee 44 with alpha = -a_V; two bodies: Gonthier 4.178",
       .smoothness = "that of V (C1 at touchdown); C0 where 1 + alpha c reaches zero",
       .cannot = "adhesion, plastic set, stiffening with depth",
       .example = "{law: volumetric, stiffness: 2.0e9 N/m^3, restitution: 0.7, v_small: 0.02 m/s}"},
      {.name = "volume_power",
       .kind = Kind::kNormal,
       .summary = "force as a power of the shared volume",
       .equation = {"F = max(0, k V^H + a V c)"},
       .source = "Shourijeh 13",
       .smoothness = "that of V^H; C0 where the force reaches zero",
       .cannot =
           "an elastic energy (its work is reported as non-potential), rolling resistance; the "
           "friction law patch has no pressure to go with it",
       .example = "{law: volume_power, stiffness: 8.0e7 N/m^2.4, exponent: 0.8, damping: 5.0e8 "
                  "N s/m^4}"},
      {.name = "hyper_volumetric",
       .kind = Kind::kNormal,
       .summary = "pressure as a power of the depth, integrated over the patch",
       .equation = {"p(s) = k f(s)^eta (1 + alpha c(s)), zero where it would pull",
                    "F = integral of p over the patch"},
       .source = "Shourijeh 8-11",
       .smoothness = "that of the patch; C0 in the velocity where a part of it would pull",
       .cannot = "coupling between neighbouring points (a Winkler foundation has none)",
       .example = "{law: hyper_volumetric, stiffness: 8.0e10 N/m^3.5, exponent: 1.5, damping: 0.3 "
                  "s/m}"},
      {.name = "foundation",
       .kind = Kind::kNormal,
       .summary = "any pressure over depth: bonded layer, table or formula",
       .equation = {"p(s) = p(f(s)) (1 + alpha c(s)), zero where it would pull",
                    "logarithmic: p(d) = -K ln(1 - d/h), K = (1 - nu) E/((1 + nu)(1 - 2 nu))",
                    "table: cubic between the points, monotone where they are; last slope beyond",
                    "formula: p(d) as written"},
       .source = "logarithmic: Blankevoort et al. 1991; table: Fritsch-Carlson",
       .smoothness = "that of the curve (table: C1) and of the patch; the logarithm continues with "
                     "its tangent from 0.99 h on",
       .cannot = "coupling between neighbouring points",
       .example =
           "{law: foundation, curve: logarithmic, young_modulus: 5 MPa, poisson_ratio: 0.45, "
           "thickness: 3 mm, damping: 0.3 s/m}"},
      {.name = "hunt_crossley",
       .kind = Kind::kNormal,
       .summary = "force as a power of the depth",
       .equation = {"F = k d^p (1 + alpha c)"},
       .source = "Hunt & Crossley; Brown 2.2; Gonthier 3.11, 3.19",
       .smoothness = "C1 in the pose at touchdown for p > 1, C0 for p = 1; C0 where 1 + alpha c "
                     "reaches zero",
       .cannot = "patches that are flat or conform, rolling resistance, spin torque (a point has "
                 "no size)",
       .example =
           "{law: hunt_crossley, stiffness: 7.0e6 N/m^1.5, restitution: 0.7, v_small: 0.02 m/s}"},
      {.name = "lankarani_nikravesh",
       .kind = Kind::kNormal,
       .summary = "hunt_crossley with Lankarani and Nikravesh's damping",
       .equation = {"F = k d^p (1 + alpha c), alpha = 3/4 (1 - e^2)/c_impact"},
       .source = "Gonthier 3.16-3.17, 3.27",
       .smoothness = "that of hunt_crossley",
       .cannot = "what hunt_crossley cannot; a low restitution (it returns more than asked)",
       .example = "{law: lankarani_nikravesh, stiffness: 7.0e6 N/m^1.5, restitution: 0.7, v_small: "
                  "0.02 m/s}"},
      {.name = "hertz",
       .kind = Kind::kNormal,
       .summary = "hunt_crossley with the stiffness of two elastic materials",
       .equation = {"F = k d^(3/2) (1 + alpha c)",
                    "k = 4/3 sqrt(R)/((1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j), 1/R = 1/R_i + 1/R_j"},
       .source = "Gonthier 2.1-2.4",
       .smoothness = "that of hunt_crossley with p = 3/2",
       .cannot = "what hunt_crossley cannot; patches that are not small against the radii",
       .example =
           "{law: hertz, material_i: {young_modulus: 5 MPa, poisson_ratio: 0.48}, material_j: "
           "{young_modulus: 70 GPa, poisson_ratio: 0.33}, radius: 30 mm, restitution: 0.7, "
           "v_small: 0.02 m/s}"},
      {.name = "kelvin_voigt",
       .kind = Kind::kNormal,
       .summary = "spring and damper in parallel",
       .equation = {"F = max(0, k d + b c)"},
       .source = "Brown 2.1; Shourijeh's point elements",
       .smoothness = "the force jumps by b c at touchdown; C0 where it reaches zero",
       .cannot = "a force that begins at zero, restitution that does not depend on the mass, "
                 "rolling resistance, spin torque",
       .example = "{law: kelvin_voigt, stiffness: 2.0e5 N/m, damping: 60 N s/m}"},
      {.name = "adhesion",
       .kind = Kind::kNormal,
       .summary = "Hertz with the attraction of Derjaguin, Muller and Toporov",
       .equation = {"F = k e^(3/2) (1 + alpha c) - 2 pi w R S(d/h), e = d - h, not below 0",
                    "S(x) = x^2 (3 - 2 x) up to 1, then 1; friction feels F + 2 pi w R S"},
       .source = "Derjaguin, Muller & Toporov 1975; the range h is ours",
       .smoothness = "C1 in the pose, touchdown included; C0 where 1 + alpha c reaches zero",
       .cannot = "the neck of soft bodies (JKR) and its hysteresis, attraction at a distance, "
                 "rolling resistance, spin torque",
       .example = "{law: adhesion, stiffness: 2.0e6 N/m^1.5, work_of_adhesion: 50 N/m, radius: 30 "
                  "mm, range: 50 um, damping: 0.3 s/m}"},
  };
}

std::vector<LawSheet> make_friction_sheets() {
  return {
      {.name = "none",
       .kind = Kind::kFriction,
       .summary = "frictionless",
       .equation = {"f_t = 0"},
       .source = "",
       .smoothness = "C-infinity",
       .cannot = "friction",
       .example = "{law: none}"},
      {.name = "coulomb_arctan",
       .kind = Kind::kFriction,
       .summary = "Coulomb friction smoothed by an arctangent",
       .equation = {"mu(v) = mu_f atan(v/v_s), which tends to mu_f pi/2"},
       .source = "Shourijeh 15",
       .smoothness = "C-infinity",
       .cannot = "stiction (it creeps under any load), a Stribeck peak, viscosity, the Contensou "
                 "effect",
       .example = "{law: coulomb_arctan, mu_f: 0.25, v_s: 2 mm/s}"},
      {.name = "andersson",
       .kind = Kind::kFriction,
       .summary = "Coulomb with an exponential Stribeck decay, smoothed by tanh",
       .equation = {"mu(v) = (mu_d + (mu_s - mu_d) exp(-(v/v_s)^p)) tanh(k_tanh v)",
                    "F = f_n mu(v) + mu_v v"},
       .source = "Brown 4.1",
       .smoothness =
           "C-infinity for p = 2; for other exponents C1 or better at rest; the viscous part "
           "jumps at touchdown",
       .cannot = "stiction, a peak of exactly mu_s, the Contensou effect",
       .example = "{law: andersson, mu_s: 0.5, mu_d: 0.4, v_s: 20 mm/s, k_tanh: 400 s/m}"},
      {.name = "hollars",
       .kind = Kind::kFriction,
       .summary = "the friction of Simbody",
       .equation = {"mu(v) = min(v/v_t, 1) (mu_d + 2 (mu_s - mu_d)/(1 + (v/v_t)^2))",
                    "F = f_n (mu(v) + k_v v)"},
       .source = "Brown 4.2, as an odd function",
       .smoothness = "C0 at v_t, C-infinity elsewhere",
       .cannot = "stiction, the Contensou effect",
       .example = "{law: hollars, mu_s: 0.5, mu_d: 0.4, v_t: 10 mm/s}"},
      {.name = "specker",
       .kind = Kind::kFriction,
       .summary = "stiction bump and dynamic tanh",
       .equation =
           {"F = [f_n (mu_s - mu_d tanh(v_t/v_d)) - mu_v v_t] (v/v_t) exp((1 - (v/v_t)^2)/2)",
            "    + f_n mu_d tanh(v/v_d) + mu_v v, not below zero"},
       .source = "Brown 4.3 (its bracket prints k_v v_t where mu_v v_t is meant)",
       .smoothness = "C-infinity in the velocity; the viscous part jumps at touchdown",
       .cannot = "stiction, a peak at exactly v_t and mu_s, the Contensou effect",
       .example = "{law: specker, mu_s: 0.5, mu_d: 0.4, v_t: 10 mm/s}"},
      {.name = "brown_mcphee",
       .kind = Kind::kFriction,
       .summary = "smooth everywhere, with its peak near v_t",
       .equation = {"mu(v) = mu_d tanh(4 v/v_t) + (mu_s - mu_d) (v/v_t)/((v/v_t)^2/4 + 3/4)^2",
                    "F = f_n mu(v) + mu_v v tanh(4 f_n/f_nt)",
                    "torque = f_n r mu(r |w_n|), r the radius of gyration"},
       .source = "Brown 4.4; Brown-McPhee 47-48, 50-51 in consistent units",
       .smoothness = "C-infinity in the velocity, rest included",
       .cannot = "stiction (it creeps under any load), the Contensou effect, partial slip",
       .example = "{law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: 10 mm/s}"},
      {.name = "bristle",
       .kind = Kind::kFriction,
       .summary = "sticks, and remembers how long it has stuck; at a point",
       .equation = {"s = exp(-v^2/v_S^2)                       1 sticking, 0 sliding     (3.30)",
                    "z' = s v + (1 - s)(mu_C dir(v) - sigma_0 z)/sigma_1                 (3.35)",
                    "s_dw' = (s - s_dw)/tau_dw rising, /tau_br falling, tau_br = sigma_1/sigma_0",
                    "mu_max = mu_C + (mu_S - mu_C) s_dw                                  (3.37)",
                    "b = sat(sigma_0 z + sigma_1 z', mu_max); then z' = (b - sigma_0 z)/sigma_1",
                    "f_t = -f_n (b + sigma_2 v)                                          (3.42)"},
       .source = "Gonthier 3.28-3.42",
       .smoothness = "C0 at saturation and where s_dw turns, C1 elsewhere",
       .cannot = "partial slip, spin torque; under a vibrating load it creeps",
       .example = "{law: bristle, mu_S: 0.15, mu_C: 0.1, sigma_0: 1.0e4 1/m, sigma_1: 31.6 s/m, "
                  "sigma_2: 0.01 s/m, v_S: 1 mm/s, tau_dw: 2 s}"},
      {.name = "volumetric_bristle",
       .kind = Kind::kFriction,
       .summary = "bristle with spin and Contensou factors, for patches",
       .equation = {"the equations of bristle, with v_avg^2 = v^2 + (r w_n)^2 in s, and a twist",
                    "r theta_n beside z for the torque about n",
                    "C_v = |v|/v_avg, C_w = r |w_n|/v_avg, each s + (1 - s) C             (4.223)",
                    "limits mu of the force times C_v, of the torque times C_w"},
       .source = "Gonthier 4.215-4.243",
       .smoothness = "that of bristle",
       .cannot = "partial slip; the factors stand for an integral over the patch (see patch)",
       .example = "{law: volumetric_bristle, mu_S: 0.5, mu_C: 0.4, sigma_0: 5.0e3 1/m, sigma_1: 45 "
                  "s/m, v_S: 1 mm/s, tau_dw: 0.1 s}"},
      {.name = "patch",
       .kind = Kind::kFriction,
       .summary = "any law of the slip velocity, integrated over the patch",
       .equation = {"f_t = -integral of p(s) mu(|v(s)|) v(s)/|v(s)| dS, v(s) = v_t + w_n n x rho",
                    "torque = integral of rho x the same"},
       .source = "beyond the sources; p of the normal law, clamped point by point",
       .smoothness = "that of the law",
       .cannot =
           "stiction (it creeps as its law does); voxels, points and tori; normal laws without "
           "a pressure",
       .example = "{law: patch, of: {law: brown_mcphee, mu_s: 0.4, mu_d: 0.4, v_t: 10 mm/s}}"},
  };
}

std::vector<LawSheet> make_option_sheets() {
  return {
      {.name = "restitution",
       .kind = Kind::kOption,
       .summary = "damping of the normal laws, given as such or as a restitution",
       .equation = {"factor 1 + alpha c, not below zero; c > 0 while approaching",
                    "gonthier: alpha = D/(e c_impact), (1 + D/e)/(1 - D) = exp(D (1 + 1/e))",
                    "hunt_crossley: alpha = 3/2 (1 - e)/c_impact",
                    "lankarani_nikravesh: alpha = 3/4 (1 - e^2)/c_impact"},
       .source = "Gonthier 3.18-3.25, 3.26, 3.27; e = 1 - a c_impact: 3.12",
       .smoothness = "alpha is constant during a contact",
       .cannot = "e = 0; gravity or a soft contact lower what is realised",
       .example = "{law: hunt_crossley, stiffness: 7.0e6 N/m^1.5, restitution: 0.5, v_small: 0.02 "
                  "m/s, restitution_rule: gonthier}"},
      {.name = "relaxation",
       .kind = Kind::kOption,
       .summary = "for fixed steps: what is found too deep at touchdown is taken off",
       .equation = {"the law gets m - m_0 in place of its measure m (depth or volume)",
                    "m_0' = -m_0/time, m_0 = m when the contact is first seen"},
       .source = "Gonthier 3.44-3.45",
       .parameters = {{"time", "s", "time constant; 1 s or more is recommended"}},
       .smoothness = "that of the law",
       .cannot = "laws of the depth field; a potential (the ledger reports non-potential work)",
       .example = "{time: 1 s}"},
  };
}

// From the law's own table. What all damped laws share has a sheet of its own.
void set_parameters(LawSheet* sheet) {
  const auto shared = list_parameters<HystereticDamping<double>>();
  if (sheet->name == "restitution") {
    sheet->parameters = shared;
    return;
  }
  if (sheet->kind == Kind::kOption) return;
  sheet->parameters =
      sheet->kind == Kind::kNormal
          ? list_parameters_of(sheet->name, static_cast<NormalLaw<double>*>(nullptr))
          : list_parameters_of(sheet->name, static_cast<FrictionLaw<double>*>(nullptr));
  const auto is_shared = [&](const ParameterRow& row) {
    return std::find(shared.begin(), shared.end(), row) != shared.end();
  };
  sheet->damped = std::any_of(sheet->parameters.begin(), sheet->parameters.end(), is_shared);
  std::erase_if(sheet->parameters, is_shared);
}

}  // namespace

std::string kind_name(LawSheet::Kind kind) {
  switch (kind) {
    case Kind::kNormal:
      return "normal";
    case Kind::kFriction:
      return "friction";
    default:
      return "option";
  }
}

const std::vector<LawSheet>& law_sheets() {
  static const std::vector<LawSheet> kSheets = [] {
    std::vector<LawSheet> all = make_normal_sheets();
    for (auto& sheet : make_friction_sheets()) all.push_back(std::move(sheet));
    for (auto& sheet : make_option_sheets()) all.push_back(std::move(sheet));
    for (LawSheet& sheet : all) set_parameters(&sheet);
    return all;
  }();
  return kSheets;
}

const LawSheet& law_sheet(const std::string& name) {
  std::vector<std::string_view> known;
  for (const LawSheet& sheet : law_sheets()) {
    if (sheet.name == name) return sheet;
    known.push_back(sheet.name);
  }
  throw InputError(fmt::format("'{}' is not a law; {}", name, suggest_word(name, known)));
}

}  // namespace vesica
