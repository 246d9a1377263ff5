// Writes C3D files for tests: any of the three byte orders, integers or floats.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "vesica/io/c3d_parameters.h"

namespace vesica::test {

// Bytes in the order of one of the machines.
class C3dBytes {
 public:
  explicit C3dBytes(C3dByteOrder byte_order) : order(byte_order) {}
  C3dByteOrder order;
  std::string bytes;

  void add_byte(int value) { bytes += static_cast<char>(value); }
  void add_int16(int value) {
    const auto bits = static_cast<std::uint16_t>(value);
    const char low = static_cast<char>(bits & 0xff), high = static_cast<char>(bits >> 8);
    bytes += order == C3dByteOrder::kMips ? high : low;
    bytes += order == C3dByteOrder::kMips ? low : high;
  }
  void add_float(float value) {
    // The VAX has a quarter of the value that IEEE gives the same bits, with its 16 bit halves
    // swapped.
    const auto bits =
        std::bit_cast<std::uint32_t>(order == C3dByteOrder::kDec ? value * 4.0f : value);
    const auto at = [&](int shift) { return static_cast<char>(bits >> shift & 0xff); };
    switch (order) {
      case C3dByteOrder::kIntel:
        bytes += {at(0), at(8), at(16), at(24)};
        break;
      case C3dByteOrder::kMips:
        bytes += {at(24), at(16), at(8), at(0)};
        break;
      case C3dByteOrder::kDec:
        bytes += {at(16), at(24), at(0), at(8)};
        break;
    }
  }
  void pad_to_block() { bytes.resize((bytes.size() + 511) / 512 * 512, '\0'); }
};

// The parameter section, entry by entry.
class C3dParameterWriter {
 public:
  explicit C3dParameterWriter(C3dByteOrder order) : out_(order) {}

  void add_group(const std::string& name) {
    ++group_;
    begin(-group_, name);
    out_.add_int16(3);  // to the next entry: this pointer and an empty description
    out_.add_byte(0);
  }
  void add_texts(const std::string& name, const std::vector<std::string>& texts, int length) {
    C3dBytes data(out_.order);
    data.add_byte(-1);
    data.add_byte(2);
    data.add_byte(length);
    data.add_byte(static_cast<int>(texts.size()));
    for (std::string text : texts) {
      text.resize(static_cast<std::size_t>(length), ' ');
      data.bytes += text;
    }
    finish(name, data);
  }
  void add_text(const std::string& name, const std::string& text) {
    C3dBytes data(out_.order);
    data.add_byte(-1);
    data.add_byte(1);
    data.add_byte(static_cast<int>(text.size()));
    data.bytes += text;
    finish(name, data);
  }
  void add_ints(const std::string& name, const std::vector<int>& values,
                const std::vector<int>& dimensions) {
    C3dBytes data(out_.order);
    data.add_byte(2);
    add_dimensions(dimensions, &data);
    for (int value : values) data.add_int16(value);
    finish(name, data);
  }
  void add_floats(const std::string& name, const std::vector<float>& values,
                  const std::vector<int>& dimensions) {
    C3dBytes data(out_.order);
    data.add_byte(4);
    add_dimensions(dimensions, &data);
    for (float value : values) data.add_float(value);
    finish(name, data);
  }
  void add_bytes(const std::string& name, const std::vector<int>& values,
                 const std::vector<int>& dimensions) {
    C3dBytes data(out_.order);
    data.add_byte(1);
    add_dimensions(dimensions, &data);
    for (int value : values) data.add_byte(value);
    finish(name, data);
  }
  void add_int(const std::string& name, int value) { add_ints(name, {value}, {}); }
  void add_float(const std::string& name, float value) { add_floats(name, {value}, {}); }

  // The section as whole blocks.
  std::string take() {
    C3dBytes section(out_.order);
    const std::size_t blocks = (4 + out_.bytes.size() + 2 + 511) / 512;
    section.add_byte(1);
    section.add_byte(0x50);
    section.add_byte(static_cast<int>(blocks));
    section.add_byte(static_cast<int>(out_.order));
    section.bytes += out_.bytes;
    section.add_int16(0);
    section.pad_to_block();
    return section.bytes;
  }

 private:
  static void add_dimensions(const std::vector<int>& dimensions, C3dBytes* data) {
    data->add_byte(static_cast<int>(dimensions.size()));
    for (int d : dimensions) data->add_byte(d);
  }
  void begin(int group, const std::string& name) {
    out_.add_byte(static_cast<int>(name.size()));
    out_.add_byte(group);
    out_.bytes += name;
  }
  void finish(const std::string& name, const C3dBytes& data) {
    begin(group_, name);
    out_.add_int16(static_cast<int>(2 + data.bytes.size() + 1));
    out_.bytes += data.bytes;
    out_.add_byte(0);  // empty description
  }

  C3dBytes out_;
  int group_ = 0;
};

// A recording to be written. Points and analog values are what the reader should give back, in file
// units; `missing` marks points to be stored as such.
struct C3dSpec {
  C3dByteOrder order = C3dByteOrder::kIntel;
  bool floats = true;
  float scale = 0.1f;  // of integer points
  float rate = 100.0f;
  int first_frame = 1;
  int frames = 0;
  std::vector<std::string> labels;
  std::vector<float> points;  // frames * labels * 3
  std::vector<char> missing;  // frames * labels, or empty
  int samples = 0;
  std::vector<std::string> channels, units;
  std::vector<float> channel_scale;
  std::vector<int> channel_offset;
  bool unsigned_analog = false;
  std::vector<double> analog;  // frames * samples * channels
  std::string unit = "mm";
  bool trial_fields = false;  // TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD
};

// Labels in pieces of 255, as LABELS, LABELS2, ...
inline void add_long_texts(C3dParameterWriter* writer, const std::string& name,
                           const std::vector<std::string>& texts, int length) {
  for (std::size_t i = 0, part = 1; i < texts.size(); i += 255, ++part) {
    const std::vector<std::string> piece(
        texts.begin() + static_cast<std::ptrdiff_t>(i),
        texts.begin() + static_cast<std::ptrdiff_t>(std::min(i + 255, texts.size())));
    writer->add_texts(part == 1 ? name : name + std::to_string(part), piece, length);
  }
}

// `extra` adds groups of its own to the parameter section.
template <class Extra>
std::string write_c3d(const C3dSpec& spec, const Extra& extra) {
  const auto points = spec.labels.size(), channels = spec.channels.size();
  const auto stored_scale = spec.floats ? -spec.scale : spec.scale;
  C3dParameterWriter parameters(spec.order);
  parameters.add_group("POINT");
  parameters.add_int("USED", static_cast<int>(points));
  parameters.add_int("FRAMES", std::min(spec.frames, 65535));
  parameters.add_float("SCALE", stored_scale);
  parameters.add_float("RATE", spec.rate);
  parameters.add_text("UNITS", spec.unit);
  add_long_texts(&parameters, "LABELS", spec.labels, 8);
  parameters.add_group("ANALOG");
  parameters.add_int("USED", static_cast<int>(channels));
  parameters.add_float("GEN_SCALE", 1.0f);
  parameters.add_float("RATE", spec.rate * static_cast<float>(spec.samples));
  add_long_texts(&parameters, "LABELS", spec.channels, 8);
  add_long_texts(&parameters, "UNITS", spec.units, 4);
  if (channels > 0 && channels <= 255) {
    parameters.add_floats("SCALE", spec.channel_scale, {static_cast<int>(channels)});
    parameters.add_ints("OFFSET", spec.channel_offset, {static_cast<int>(channels)});
  }
  if (spec.unsigned_analog) parameters.add_text("FORMAT", "UNSIGNED");
  if (spec.trial_fields) {
    const int last = spec.first_frame + spec.frames - 1;
    parameters.add_group("TRIAL");
    parameters.add_ints("ACTUAL_START_FIELD", {spec.first_frame & 0xffff, spec.first_frame >> 16},
                        {2});
    parameters.add_ints("ACTUAL_END_FIELD", {last & 0xffff, last >> 16}, {2});
  }
  extra(&parameters);
  const std::string section = parameters.take();

  C3dBytes out(spec.order);
  out.add_byte(2);
  out.add_byte(0x50);
  out.add_int16(static_cast<int>(points));
  out.add_int16(static_cast<int>(channels) * spec.samples);
  out.add_int16(std::min(spec.first_frame, 65535));
  out.add_int16(std::min(spec.first_frame + spec.frames - 1, 65535));
  out.add_int16(0);
  out.add_float(stored_scale);
  out.add_int16(static_cast<int>(2 + section.size() / 512));
  out.add_int16(spec.samples);
  out.add_float(spec.rate);
  out.pad_to_block();
  out.bytes += section;

  const auto add_value = [&](double value) {
    if (spec.floats) {
      out.add_float(static_cast<float>(value));
    } else {
      out.add_int16(static_cast<int>(std::lround(value)));
    }
  };
  for (int f = 0; f < spec.frames; ++f) {
    const auto frame = static_cast<std::size_t>(f);
    for (std::size_t p = 0; p < points; ++p) {
      const bool gone = !spec.missing.empty() && spec.missing[frame * points + p];
      for (std::size_t k = 0; k < 3; ++k) {
        const double value = gone ? 0.0 : spec.points[(frame * points + p) * 3 + k];
        add_value(spec.floats ? value : value / spec.scale);
      }
      // Seen by cameras 1 and 3, residual of 5 steps.
      add_value(gone ? -1.0 : 0x0500 + 5);
    }
    for (std::size_t s = 0; s < static_cast<std::size_t>(spec.samples); ++s) {
      for (std::size_t c = 0; c < channels; ++c) {
        const double value =
            spec.analog[(frame * static_cast<std::size_t>(spec.samples) + s) * channels + c];
        add_value(value / spec.channel_scale[c] + spec.channel_offset[c]);
      }
    }
  }
  out.pad_to_block();
  return out.bytes;
}
inline std::string write_c3d(const C3dSpec& spec) {
  return write_c3d(spec, [](C3dParameterWriter*) {});
}

}  // namespace vesica::test
