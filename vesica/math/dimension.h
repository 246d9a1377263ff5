// What a number measures.
#pragma once

namespace vesica {

// Exponents of metre, kilogram and second; angles are plain numbers (radian). `unit` is how the SI
// unit is written in messages and headers.
struct Dimension {
  double m = 0, kg = 0, s = 0;
  const char* unit = "";
};

namespace dimension {
inline constexpr Dimension kNumber{0, 0, 0, "a plain number"};
inline constexpr Dimension kAngle{0, 0, 0, "rad"};
inline constexpr Dimension kLength{1, 0, 0, "m"};
inline constexpr Dimension kTime{0, 0, 1, "s"};
inline constexpr Dimension kMass{0, 1, 0, "kg"};
inline constexpr Dimension kInertia{2, 1, 0, "kg m^2"};
inline constexpr Dimension kSpeed{1, 0, -1, "m/s"};
inline constexpr Dimension kSpin{0, 0, -1, "rad/s"};
inline constexpr Dimension kAcceleration{1, 0, -2, "m/s^2"};
inline constexpr Dimension kForce{1, 1, -2, "N"};
inline constexpr Dimension kForceRate{1, 1, -3, "N/s"};
inline constexpr Dimension kTorque{2, 1, -2, "N m"};
inline constexpr Dimension kTurningStiffness{2, 1, -2, "N m/rad"};
inline constexpr Dimension kTurningViscosity{2, 1, -1, "N m s/rad"};
inline constexpr Dimension kMobility{0, -1, 1, "m/s/N"};
inline constexpr Dimension kTurningMobility{-2, -1, 1, "rad/s/(N m)"};
inline constexpr Dimension kSquaredRate{0, 0, -2, "1/s^2"};
inline constexpr Dimension kAngularAcceleration{0, 0, -2, "rad/s^2"};
inline constexpr Dimension kFrequency{0, 0, -1, "Hz"};
inline constexpr Dimension kStiffness{0, 1, -2, "N/m"};
inline constexpr Dimension kToeStiffness{-1, 1, -2, "N/m^2"};
inline constexpr Dimension kViscosity{0, 1, -1, "N s/m"};
inline constexpr Dimension kVolumetricStiffness{-2, 1, -2, "N/m^3"};
inline constexpr Dimension kContactDamping{-1, 0, 1, "s/m"};
inline constexpr Dimension kPressure{-1, 1, -2, "Pa"};
inline constexpr Dimension kDensity{-3, 1, 0, "kg/m^3"};
}  // namespace dimension

}  // namespace vesica
