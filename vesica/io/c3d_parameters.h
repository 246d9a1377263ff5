// Byte orders and the parameter section of a C3D file. docs/formats/c3d.md.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vesica {

// The three machines that C3D knows: PC (little endian, IEEE), DEC/VAX (little endian words, VAX F
// floats), MIPS/SGI (big endian, IEEE). The number is what the file's processor byte holds.
enum class C3dByteOrder : std::uint8_t { kIntel = 84, kDec = 85, kMips = 86 };

template <C3dByteOrder order>
inline std::int16_t decode_int16(const char* bytes) {
  std::uint16_t value;
  std::memcpy(&value, bytes, 2);
  if (order == C3dByteOrder::kMips) value = static_cast<std::uint16_t>(value << 8 | value >> 8);
  return static_cast<std::int16_t>(value);
}

template <C3dByteOrder order>
inline float decode_float(const char* bytes) {
  std::uint32_t bits;
  std::memcpy(&bits, bytes, 4);
  if (order == C3dByteOrder::kMips) bits = __builtin_bswap32(bits);
  if (order == C3dByteOrder::kDec) {
    // The VAX stores the high word first, has an exponent bias of 128 with the hidden bit at 1/2,
    // and neither infinity nor denormals: its value is a quarter of the same bits read as IEEE.
    bits = bits << 16 | bits >> 16;
    const std::uint32_t exponent = bits >> 23 & 0xff;
    if (exponent == 0) return 0.0f;
    if (exponent > 2) return std::bit_cast<float>(bits - (2u << 23));
    return std::bit_cast<float>(bits) * 0.25f;
  }
  return std::bit_cast<float>(bits);
}

std::int16_t decode_int16(C3dByteOrder order, const char* bytes);
float decode_float(C3dByteOrder order, const char* bytes);

// One entry of the parameter section: numbers, or texts with padding removed. `dimensions` as in
// the file, first one fastest; texts have lost theirs of length.
struct C3dParameter {
  std::string group, name;  // upper case
  std::vector<int> dimensions;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::size_t byte = 0;  // where its data lie in the file

  // A 16-bit count that may exceed 32,767; 0 for a number that is no count.
  static long long as_count(double number) {
    if (!(number >= -32768.0 && number < 1e12)) return 0;
    const auto value = static_cast<long long>(number);
    return value < 0 ? value + 65536 : value;
  }
};

class C3dParameters {
 public:
  // Parses the section's bytes, which begin at `offset` of the file. Entries that leave the section
  // are an InputError that names the byte.
  static C3dParameters parse(std::string_view section, std::size_t offset, C3dByteOrder order,
                             const std::string& name);

  // nullptr if there is none.
  const C3dParameter* find(std::string_view group, std::string_view name) const;
  // First number, first text.
  std::optional<double> find_number(std::string_view group, std::string_view name) const;
  std::string find_text(std::string_view group, std::string_view name) const;
  // All of NAME, NAME2, NAME3, ... in a row: an entry holds at most 255 items, so that longer lists
  // are continued in further ones.
  std::vector<std::string> find_texts(std::string_view group, std::string_view name) const;
  std::vector<double> find_numbers(std::string_view group, std::string_view name) const;

  const std::vector<C3dParameter>& all() const { return all_; }

 private:
  std::vector<C3dParameter> all_;
};

}  // namespace vesica
