// The parameters of the planar foot's elements by name: units, bounds and the source's optima
// (Shourijeh & McPhee, Tables 2 to 4), and the variables in which fits search for them.
//
// A fit's variables lie between 0 and 1. Lengths, mu and the tilt are linear between their
// bounds; exponents, v_s, sigma_0 and tau logarithmic. The tables give stiffness and damping no
// upper bound, and a stiffness whose unit hangs on its exponent says little by itself: their
// variables are
//   the force F_ref at a depth of 10 mm, or at a volume of 10 cm^3, without damping: 0.1 N to 1e5 N
//     (logarithmic), k = F_ref/ref^exponent
//   the damping over that force, in s/m: 0 to 1e4 s/m (as log(1 + a/0.1 s/m)); for the hyper types
//     a_h = a F_ref/ref
// The stated bounds of dx and dy, 0 to 20 mm, exclude most of the source's own optima: +-20 mm
// here.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/biomechanics/foot2d_elements.h"

namespace vesica {

constexpr std::array<std::string_view, 3> kFoot2dPointNames = {"H", "P", "T"};

struct Foot2dRow {
  enum class Slot {
    kStiffness,
    kDamping,
    kExponent,
    kSize,
    kHeight,
    kTilt,
    kMu,
    kSlip,
    kDx,
    kDy,
    kSigma,
    kTau
  };
  enum class Scale { kLinear, kLog, kFromZero };
  Slot slot;
  std::string name, unit, meaning;
  Scale scale;                           // of the variable
  std::array<double, 3> lower{}, upper;  // of H, P, T; of a stiffness: of F_ref; of damping: of a
  // The source's optimum, NaN where it has none.
  std::array<double, 3> source;
};

// The rows of one element of this type; a foot has each three times: all of H, all of P, all of T.
std::vector<Foot2dRow> make_foot2d_rows(const Foot2dType& type);

std::string_view name_of(Foot2dElement element);
std::string_view name_of(Foot2dFriction friction);
const std::vector<std::string_view>& foot2d_element_names();

// "k_S.H" and so on, in the order of the variables.
std::vector<std::string> name_foot2d_parameters(const Foot2dType& type);

// Parameters of the element at a point (0 H, 1 P, 2 T) from its variables, for double and Dual.
template <class T>
Foot2dParameters<T> as_foot2d_parameters(const Foot2dType& type, const std::vector<Foot2dRow>& rows,
                                         int point, const T* variables);
// The inverse, for numbers; what lies beyond the bounds is put on them.
std::vector<double> as_foot2d_variables(const Foot2dType& type, const std::vector<Foot2dRow>& rows,
                                        int point, const Foot2dParameters<double>& parameters);
// From the tables' own parameters, each evenly between its bounds as `raw` says from 0 to 1: how a
// search that knows nothing of the variables would take them. They may lie outside 0 and 1 then: at
// an exponent of 5 hardly a stiffness gives 0.1 N at 10 mm. Stiffness and damping, which have no
// upper bound, reach 1e6 N/m^n and 1e4 s/m (spring), 1e8 N/m^3 and 100 s/m (linear), 1e8 N/m^3H and
// 1e9 N s/m^4 (hyper).
std::vector<double> as_foot2d_variables_of_raw(const Foot2dType& type,
                                               const std::vector<Foot2dRow>& rows, int point,
                                               const double* raw);
// Least and most that a parameter is anywhere in the box: of a stiffness at all exponents.
std::array<double, 2> calc_foot2d_bounds(const Foot2dType& type, const std::vector<Foot2dRow>& rows,
                                         int point, Foot2dRow::Slot slot);
// Where the scale of a parameter turns from linear to logarithmic, of an element with these
// parameters: infinite if it is linear all along, 0 if logarithmic.
double calc_foot2d_turn(const Foot2dType& type, const Foot2dRow& row,
                        const Foot2dParameters<double>& parameters);
// One of them.
template <class T>
const T& parameter_of(const Foot2dParameters<T>& p, Foot2dRow::Slot slot);
// The source's element of Tables 2 to 4; types that it does not have are an InputError.
Foot2dParameters<double> make_shourijeh_element(const Foot2dType& type, int point);

}  // namespace vesica
