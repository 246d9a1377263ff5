// The parameter section of a C3D file as bytes, and changes to it.
#include <fmt/format.h>

#include <algorithm>

#include "vesica/error.h"
#include "vesica/io/c3d_parameters.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

constexpr std::size_t kParameterBlock = 512;
constexpr std::size_t kLongestList = 255;  // a dimension is one byte

std::string name_of_part(const std::string& name, int part) {
  return part == 1 ? name : name + std::to_string(part);
}

// Name, number, the way to the next entry, the data, the description.
void append_entry(const std::string& spelled, bool locked, int number, const std::string& data,
                  const std::string& description, C3dByteOrder order, const std::string& file,
                  std::string* out) {
  if (spelled.empty() || spelled.size() > 127 || number < -127 || number > 127 || number == 0) {
    throw InputError(fmt::format(
        "{}: not written: the parameter {} has a name of {} characters in group {}; C3D has 1 to "
        "127 of both",
        file, quote(spelled), spelled.size(), std::abs(number)));
  }
  const std::string text = description.substr(0, 255);
  const std::size_t next = 2 + data.size() + 1 + text.size();
  if (next > 65535) {
    throw InputError(
        fmt::format("{}: not written: the parameter {} takes {} bytes; C3D has 65,535 for one",
                    file, quote(spelled), next));
  }
  const auto length = static_cast<int>(spelled.size());
  *out += static_cast<char>(locked ? -length : length);
  *out += static_cast<char>(number);
  *out += spelled;
  append_int16(order, static_cast<int>(next), out);
  *out += data;
  *out += static_cast<char>(text.size());
  *out += text;
}

std::string encode_data(const C3dParameter& parameter, C3dByteOrder order,
                        const std::string& file) {
  std::string data;
  data += static_cast<char>(parameter.type);
  std::vector<int> dimensions = parameter.dimensions;
  if (parameter.type == -1 && !parameter.is_single_text) {
    dimensions.insert(dimensions.begin(), parameter.text_length);
  }
  if (dimensions.size() > 255) {
    throw InputError(fmt::format("{}: not written: the parameter {} has {} dimensions", file,
                                 quote(parameter.spelled), dimensions.size()));
  }
  data += static_cast<char>(dimensions.size());
  for (int d : dimensions) data += static_cast<char>(d);
  if (parameter.type == -1) return data + parameter.characters;
  for (double number : parameter.numbers) {
    if (parameter.type == 1) {
      data += static_cast<char>(static_cast<int>(number));
    } else if (parameter.type == 2) {
      append_int16(order, static_cast<int>(number), &data);
    } else if (!append_float(order, static_cast<float>(number), &data)) {
      throw InputError(fmt::format(
          "{}: not written: {}:{} is {}, which a DEC file cannot hold; write Intel numbers", file,
          parameter.group, parameter.name, number));
    }
  }
  return data;
}

}  // namespace

void append_int16(C3dByteOrder order, int value, std::string* bytes) {
  const auto bits = static_cast<std::uint16_t>(value);
  const char low = static_cast<char>(bits & 0xff), high = static_cast<char>(bits >> 8);
  *bytes += order == C3dByteOrder::kMips ? high : low;
  *bytes += order == C3dByteOrder::kMips ? low : high;
}

bool append_float(C3dByteOrder order, float value, std::string* bytes) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (order == C3dByteOrder::kDec) {
    // Four times the value has the same bits as the VAX (c3d_parameters.h has the way back); below
    // the smallest IEEE exponent the product is exact as well.
    const std::uint32_t exponent = bits >> 23 & 0xff;
    if (exponent > 253) return false;
    bits = exponent > 0 ? bits + (2u << 23) : std::bit_cast<std::uint32_t>(value * 4.0f);
    if ((bits >> 23 & 0xff) == 0) bits = 0;
    bits = bits << 16 | bits >> 16;
  }
  if (order == C3dByteOrder::kMips) bits = __builtin_bswap32(bits);
  for (int shift : {0, 8, 16, 24}) *bytes += static_cast<char>(bits >> shift & 0xff);
  return true;
}

C3dParameter& C3dParameters::make(const std::string& group, const std::string& name) {
  for (C3dParameter& parameter : all_) {
    if (parameter.group == group && parameter.name == name) return parameter;
  }
  auto owner = std::find_if(groups_.begin(), groups_.end(),
                            [&](const C3dGroup& g) { return g.name == group; });
  if (owner == groups_.end()) {
    int number = 1;
    for (const C3dGroup& g : groups_) number = std::max(number, g.number + 1);
    for (const C3dParameter& p : all_) number = std::max(number, p.group_number + 1);
    groups_.push_back({number, group, group, false, {}, all_.size()});
    owner = groups_.end() - 1;
  }
  C3dParameter parameter;
  parameter.group = group;
  parameter.name = parameter.spelled = name;
  parameter.group_number = owner->number;
  // Behind the last of its group, or behind the group itself.
  std::size_t place = owner->before;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].group == group) place = std::max(place, i + 1);
  }
  for (auto later = owner + 1; later != groups_.end(); ++later) {
    if (later->before >= place) ++later->before;
  }
  return *all_.insert(all_.begin() + static_cast<std::ptrdiff_t>(place), std::move(parameter));
}

void C3dParameters::set_numbers(const std::string& group, const std::string& name, int type,
                                const std::vector<int>& dimensions,
                                const std::vector<double>& numbers) {
  C3dParameter& parameter = make(group, name);
  parameter.type = type;
  parameter.dimensions = dimensions;
  parameter.numbers = numbers;
  parameter.texts.clear();
  parameter.characters.clear();
}

void C3dParameters::set_list(const std::string& group, const std::string& name, int type,
                             const std::vector<double>& numbers) {
  int part = 1;
  for (std::size_t i = 0; i < numbers.size() || part == 1; i += kLongestList, ++part) {
    const std::size_t end = std::min(i + kLongestList, numbers.size());
    set_numbers(group, name_of_part(name, part), type, {static_cast<int>(end - i)},
                {numbers.begin() + static_cast<std::ptrdiff_t>(i),
                 numbers.begin() + static_cast<std::ptrdiff_t>(end)});
  }
  remove_parts(group, name, part);
}

void C3dParameters::set_texts(const std::string& group, const std::string& name,
                              const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts)
    length = std::max(length, std::min(text.size(), kLongestList));
  // Parts of one list are found one after the other, and each stays below 64 KiB.
  const std::size_t per_part = std::clamp<std::size_t>(65000 / length, 1, kLongestList);
  int part = 1;
  for (std::size_t i = 0; i < texts.size() || part == 1; i += per_part, ++part) {
    const std::size_t end = std::min(i + per_part, texts.size());
    C3dParameter& parameter = make(group, name_of_part(name, part));
    parameter.type = -1;
    parameter.numbers.clear();
    parameter.is_single_text = false;
    parameter.text_length = static_cast<int>(length);
    parameter.dimensions = {static_cast<int>(end - i)};
    parameter.texts.assign(texts.begin() + static_cast<std::ptrdiff_t>(i),
                           texts.begin() + static_cast<std::ptrdiff_t>(end));
    parameter.characters.clear();
    for (std::string text : parameter.texts) {
      text.resize(length, ' ');
      parameter.characters += text;
    }
  }
  remove_parts(group, name, part);
}

void C3dParameters::set_text(const std::string& group, const std::string& name,
                             const std::string& text) {
  C3dParameter& parameter = make(group, name);
  parameter.type = -1;
  parameter.numbers.clear();
  parameter.dimensions.clear();
  parameter.is_single_text = false;
  parameter.texts = {text.substr(0, kLongestList)};
  parameter.characters = parameter.texts[0];
  parameter.text_length = static_cast<int>(parameter.characters.size());
}

void C3dParameters::remove(std::string_view group, std::string_view name) {
  for (std::size_t i = all_.size(); i-- > 0;) {
    if (all_[i].group != group || all_[i].name != name) continue;
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
    for (C3dGroup& g : groups_) {
      if (g.before > i) --g.before;
    }
  }
}

void C3dParameters::remove_parts(std::string_view group, const std::string& name, int first_part) {
  for (int part = first_part; find(group, name_of_part(name, part)) != nullptr; ++part) {
    remove(group, name_of_part(name, part));
  }
}

void C3dParameters::remove_list(std::string_view group, const std::string& name) {
  remove_parts(group, name, 1);
}

std::string C3dParameters::encode(C3dByteOrder order, const std::string& name) const {
  std::string entries;
  std::size_t next_group = 0;
  for (std::size_t i = 0; i <= all_.size(); ++i) {
    for (; next_group < groups_.size() && groups_[next_group].before <= i; ++next_group) {
      const C3dGroup& group = groups_[next_group];
      append_entry(group.spelled, group.locked, -group.number, "", group.description, order, name,
                   &entries);
    }
    if (i == all_.size()) break;
    const C3dParameter& parameter = all_[i];
    append_entry(parameter.spelled, parameter.locked, parameter.group_number,
                 encode_data(parameter, order, name), parameter.description, order, name, &entries);
  }
  std::string section = {1, 0x50, 0, static_cast<char>(order)};
  section += entries;
  section += std::string(2, '\0');
  section.resize((section.size() + kParameterBlock - 1) / kParameterBlock * kParameterBlock, '\0');
  // One byte; readers of longer sections go by where the data begin.
  section[2] = static_cast<char>(section.size() / kParameterBlock);
  return section;
}

}  // namespace vesica
