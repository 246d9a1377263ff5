// The acceleration of free fall where nothing else is given (standard value, CGPM 1901). Scenes of
// the sources give their own, 9.81.
#pragma once

namespace vesica {

inline constexpr double kStandardGravity = 9.80665;  // m/s^2

}  // namespace vesica
