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

// The way back. A VAX has no NaN, no infinity and nothing above 1.7e38: false where the number has
// no place there; what is too small for it becomes zero.
void append_int16(C3dByteOrder order, int value, std::string* bytes);
bool append_float(C3dByteOrder order, float value, std::string* bytes);

// One entry of the parameter section: numbers, or texts with padding removed. `dimensions` as in
// the file, first one fastest; texts have lost theirs of length.
struct C3dParameter {
  std::string group, name;  // upper case
  std::vector<int> dimensions;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::size_t byte = 0;  // where its data lie in the file

  // As it is stored, which writing brings back.
  int group_number = 0;
  std::string spelled;  // the name, as the file has it
  int type = 4;         // -1 text, else bytes per number: 1, 2 or 4
  bool locked = false;
  std::string description;
  std::string characters;       // of texts, with their padding
  bool is_single_text = false;  // text without any dimension: one character
  int text_length = 0;          // the first dimension of texts

  // A 16-bit count that may exceed 32,767; 0 for a number that is no count.
  static long long as_count(double number) {
    if (!(number >= -32768.0 && number < 1e12)) return 0;
    const auto value = static_cast<long long>(number);
    return value < 0 ? value + 65536 : value;
  }
};

struct C3dGroup {
  int number = 0;
  std::string name;     // upper case
  std::string spelled;  // as the file has it
  bool locked = false;
  std::string description;
  std::size_t before = 0;  // it stands before this parameter of all()
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
  const std::vector<C3dGroup>& groups() const { return groups_; }

  // Replaces an entry, which keeps its place, description and lock, or adds it behind the others of
  // its group. Lists of more than 255 go on in NAME2, NAME3, ...; what was left of those goes away.
  void set_numbers(const std::string& group, const std::string& name, int type,
                   const std::vector<int>& dimensions, const std::vector<double>& numbers);
  void set_number(const std::string& group, const std::string& name, int type, double number) {
    set_numbers(group, name, type, {}, {number});
  }
  void set_texts(const std::string& group, const std::string& name,
                 const std::vector<std::string>& texts);
  void set_text(const std::string& group, const std::string& name, const std::string& text);
  void set_list(const std::string& group, const std::string& name, int type,
                const std::vector<double>& numbers);  // one dimension, of any length
  void remove(std::string_view group, std::string_view name);
  void remove_list(std::string_view group, const std::string& name);  // NAME, NAME2, ...

  // The section in whole blocks of 512 bytes, in the order in which the entries were read. `name`
  // stands for the file in messages: InputError for an entry that the format cannot hold.
  std::string encode(C3dByteOrder order, const std::string& name) const;

 private:
  C3dParameter& make(const std::string& group, const std::string& name);
  void remove_parts(std::string_view group, const std::string& name, int first_part);

  std::vector<C3dParameter> all_;
  std::vector<C3dGroup> groups_;
};

}  // namespace vesica
