#include "vesica/io/c3d_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "vesica/error.h"

namespace vesica {

namespace {

std::string as_upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string without_padding(std::string_view text) {
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) text = text.substr(0, zero);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return std::string(text);
}

// Walks through the section; every access is checked against its end.
class Cursor {
 public:
  Cursor(std::string_view section, std::size_t offset, const std::string& name)
      : section_(section), offset_(offset), name_(name) {}

  std::size_t position = 0;

  bool at_end() const { return position >= section_.size(); }
  std::string_view take(std::size_t count, const std::string& what) {
    if (count > section_.size() - std::min(position, section_.size())) {
      fail(
          fmt::format("{} takes {} bytes, but the parameter section ends at byte {}: truncated or "
                      "damaged file",
                      what, count, offset_ + section_.size()));
    }
    const std::string_view result = section_.substr(position, count);
    position += count;
    return result;
  }
  std::size_t file_byte() const { return offset_ + position; }
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}: byte {}: {}", name_, file_byte(), message));
  }

 private:
  std::string_view section_;
  std::size_t offset_;
  const std::string& name_;
};

void read_data(Cursor& cursor, C3dByteOrder order, C3dParameter* parameter) {
  const std::string what = "parameter " + parameter->name;
  const int type = static_cast<signed char>(cursor.take(1, what)[0]);
  const auto dimension_count = static_cast<unsigned char>(cursor.take(1, what)[0]);
  if (type != -1 && type != 1 && type != 2 && type != 4) {
    cursor.fail(fmt::format("{} has type {}; expected -1 (text), 1, 2 or 4 (bytes per number)",
                            what, type));
  }
  std::size_t count = 1;
  for (char c : cursor.take(dimension_count, what)) {
    parameter->dimensions.push_back(static_cast<unsigned char>(c));
    // Nothing in a file of 16 bit pointers is longer; beyond it the product could overflow.
    count = std::min<std::size_t>(count * static_cast<unsigned char>(c), std::size_t{1} << 40);
  }
  parameter->byte = cursor.file_byte();
  parameter->type = type;
  const std::size_t size = type == -1 ? 1 : static_cast<std::size_t>(type);
  const std::string_view data = cursor.take(count * size, what);
  if (type == -1) {
    parameter->characters = std::string(data);
    parameter->is_single_text = parameter->dimensions.empty();
    if (!parameter->dimensions.empty()) parameter->text_length = parameter->dimensions[0];
    const std::size_t length =
        parameter->dimensions.empty() ? 1 : static_cast<std::size_t>(parameter->dimensions[0]);
    for (std::size_t i = 0; length > 0 && i + length <= data.size(); i += length) {
      parameter->texts.push_back(without_padding(data.substr(i, length)));
    }
    if (!parameter->dimensions.empty()) parameter->dimensions.erase(parameter->dimensions.begin());
    return;
  }
  parameter->numbers.reserve(count);
  for (std::size_t i = 0; i < data.size(); i += size) {
    const char* bytes = data.data() + i;
    parameter->numbers.push_back(type == 1   ? static_cast<unsigned char>(*bytes)
                                 : type == 2 ? decode_int16(order, bytes)
                                             : static_cast<double>(decode_float(order, bytes)));
  }
}

// Text behind the data of an entry, up to where the next one begins; programs that write none leave
// no byte for its length either.
std::string read_description(Cursor& cursor, std::size_t end) {
  if (cursor.at_end() || cursor.position >= end) return {};
  const auto length = static_cast<unsigned char>(cursor.take(1, "a description")[0]);
  if (cursor.position + length > end || cursor.at_end()) return {};
  return std::string(cursor.take(length, "a description"));
}

}  // namespace

std::int16_t decode_int16(C3dByteOrder order, const char* bytes) {
  return order == C3dByteOrder::kMips ? decode_int16<C3dByteOrder::kMips>(bytes)
                                      : decode_int16<C3dByteOrder::kIntel>(bytes);
}

float decode_float(C3dByteOrder order, const char* bytes) {
  switch (order) {
    case C3dByteOrder::kDec:
      return decode_float<C3dByteOrder::kDec>(bytes);
    case C3dByteOrder::kMips:
      return decode_float<C3dByteOrder::kMips>(bytes);
    case C3dByteOrder::kIntel:
      break;
  }
  return decode_float<C3dByteOrder::kIntel>(bytes);
}

C3dParameters C3dParameters::parse(std::string_view section, std::size_t offset, C3dByteOrder order,
                                   const std::string& name) {
  C3dParameters result;
  std::map<int, std::string> group_names;
  Cursor cursor(section, offset, name);
  cursor.position = 4;  // the section's own header
  while (!cursor.at_end()) {
    const int signed_length = static_cast<signed char>(cursor.take(1, "an entry")[0]);
    const int name_length = std::abs(signed_length);
    if (name_length == 0) break;
    const int group = static_cast<signed char>(cursor.take(1, "an entry")[0]);
    const std::string spelled(cursor.take(static_cast<std::size_t>(name_length), "a name"));
    const std::string entry = as_upper(without_padding(spelled));
    const std::size_t pointer_position = cursor.position;
    const auto next =
        static_cast<std::uint16_t>(decode_int16(order, cursor.take(2, "entry " + entry).data()));
    const std::size_t end = next == 0 ? section.size() : pointer_position + next;
    if (group < 0) {
      group_names[-group] = entry;
      result.groups_.push_back({-group, entry, spelled, signed_length < 0,
                                read_description(cursor, end), result.all_.size()});
    } else {
      C3dParameter parameter;
      parameter.name = entry;
      parameter.spelled = spelled;
      parameter.group_number = group;
      parameter.locked = signed_length < 0;
      read_data(cursor, order, &parameter);
      parameter.description = read_description(cursor, end);
      result.all_.push_back(std::move(parameter));
    }
    if (next == 0) break;  // the last entry
    if (next < 2) cursor.fail(fmt::format("entry {} points into itself ({})", entry, next));
    cursor.position = pointer_position + next;
  }
  // Groups may come after their parameters, so names are given at the end.
  for (C3dParameter& parameter : result.all_) {
    const auto found = group_names.find(parameter.group_number);
    parameter.group =
        found != group_names.end() ? found->second : std::to_string(parameter.group_number);
  }
  return result;
}

const C3dParameter* C3dParameters::find(std::string_view group, std::string_view name) const {
  for (const C3dParameter& parameter : all_) {
    if (parameter.group == group && parameter.name == name) return &parameter;
  }
  return nullptr;
}

std::optional<double> C3dParameters::find_number(std::string_view group,
                                                 std::string_view name) const {
  const C3dParameter* found = find(group, name);
  if (found == nullptr || found->numbers.empty()) return std::nullopt;
  return found->numbers[0];
}

std::string C3dParameters::find_text(std::string_view group, std::string_view name) const {
  const C3dParameter* found = find(group, name);
  return found == nullptr || found->texts.empty() ? std::string() : found->texts[0];
}

std::vector<std::string> C3dParameters::find_texts(std::string_view group,
                                                   std::string_view name) const {
  std::vector<std::string> result;
  for (int part = 1;; ++part) {
    const C3dParameter* found =
        find(group, part == 1 ? std::string(name) : std::string(name) + std::to_string(part));
    if (found == nullptr) return result;
    result.insert(result.end(), found->texts.begin(), found->texts.end());
  }
}

std::vector<double> C3dParameters::find_numbers(std::string_view group,
                                                std::string_view name) const {
  std::vector<double> result;
  for (int part = 1;; ++part) {
    const C3dParameter* found =
        find(group, part == 1 ? std::string(name) : std::string(name) + std::to_string(part));
    if (found == nullptr) return result;
    result.insert(result.end(), found->numbers.begin(), found->numbers.end());
  }
}

}  // namespace vesica
