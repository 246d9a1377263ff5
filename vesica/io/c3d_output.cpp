// A MotionTrial as the bytes of a C3D file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "vesica/io/c3d_plan.h"
#include "vesica/io/file_writer.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

using detail::C3dPlan;
using detail::kLargestWord;

constexpr std::size_t kBlockBytes = 512;

void put(std::string* block, std::size_t at, const std::string& bytes) {
  block->replace(at, bytes.size(), bytes);
}

// The header block: what the source has, in the new byte order, and what follows from the data.
std::string encode_header(const C3dPlan& plan, const C3dHeader* source, std::size_t data_block) {
  std::string block(kBlockBytes, '\0');
  const auto put_word = [&](std::size_t word, int value) {
    std::string bytes;
    append_int16(plan.order, value, &bytes);
    put(&block, 2 * (word - 1), bytes);
  };
  const auto put_float = [&](std::size_t word, float value) {
    std::string bytes;
    if (!append_float(plan.order, value, &bytes)) {
      plan.refuse(fmt::format("{} cannot be held by the old kind of numbers", value));
    }
    put(&block, 2 * (word - 1), bytes);
  };
  // Words 150 to 152 say that there are events and how many; 153 to 188 hold their times as
  // floats; single bytes, flags and labels, follow.
  constexpr std::size_t kEvents = 150, kEventTimes = 153, kEventBytes = 189;
  if (source != nullptr) {
    const char* old = source->block.data();
    for (std::size_t word = 6; word < kEvents; ++word) {
      put_word(word, decode_int16(source->byte_order, old + 2 * (word - 1)));
    }
    if (plan.keeps_header_events) {
      for (std::size_t word = kEvents; word < kEventTimes; ++word) {
        put_word(word, decode_int16(source->byte_order, old + 2 * (word - 1)));
      }
      if (plan.order == source->byte_order) {
        put(&block, 2 * (kEventTimes - 1), source->block.substr(2 * (kEventTimes - 1), 72));
      } else {
        for (std::size_t word = kEventTimes; word < kEventBytes; word += 2) {
          put_float(word, decode_float(source->byte_order, old + 2 * (word - 1)));
        }
      }
      put(&block, 2 * (kEventBytes - 1), source->block.substr(2 * (kEventBytes - 1)));
    }
  }
  const std::int64_t last = plan.first_frame + plan.frames - 1;
  block[0] = 2;
  block[1] = 0x50;
  put_word(2, static_cast<int>(plan.points));
  put_word(3, static_cast<int>(plan.channels * plan.samples));
  put_word(4, static_cast<int>(std::min(plan.first_frame, kLargestWord)));
  put_word(5, static_cast<int>(std::min(last, kLargestWord)));
  put_float(7, static_cast<float>(plan.floats ? -plan.scale : plan.scale));
  put_word(9, static_cast<int>(data_block));
  put_word(10, static_cast<int>(plan.samples));
  put_float(11, plan.rate);
  return block;
}

// Numbers of the frames, one after the other.
class FrameEncoder {
 public:
  FrameEncoder(const MotionTrial& trial, const C3dPlan& plan) : trial_(trial), plan_(plan) {}

  void append(std::size_t frame, std::string* out) const {
    const std::size_t index = plan_.first_index + frame;
    const MarkerTracks& markers = trial_.markers;
    for (const C3dPlan::Source& point : plan_.order_of_points) {
      if (!point.is_computed) {
        const std::size_t at = index * markers.markers() + point.index;
        append_point(markers.positions[at] * plan_.units_per_metre, markers.words, at, out);
        continue;
      }
      const double* value =
          &trial_.computed.values[index * trial_.computed.columns.size() + 3 * point.index];
      append_point(Vec3d(value[0], value[1], value[2]), trial_.computed_words,
                   index * plan_.computed + point.index, out);
    }
    const std::size_t row = plan_.first_row + frame * plan_.samples;
    for (std::size_t s = 0; plan_.channels > 0 && s < plan_.samples; ++s) {
      for (std::size_t c = 0; c < plan_.channels; ++c) {
        append_sample(trial_.analog.at(row + s, c), c, out);
      }
    }
  }

 private:
  void append_point(const Vec3d& value, const std::vector<float>& words, std::size_t at,
                    std::string* out) const {
    const float stored = words.empty() ? 0.0f : words[at];
    const bool missing = !value.allFinite();
    // Missing: the number below zero that the source had. Present where the source had nothing: a
    // residual of zero, which marks a point that was computed.
    const float word =
        missing ? (stored < 0.0f ? stored : -1.0f) : (stored >= 0.0f ? stored : 0.0f);
    if (plan_.floats) {
      for (int k = 0; k < 3; ++k) append_real(missing ? 0.0 : value[k], out);
      append_real(static_cast<double>(word), out);
      return;
    }
    for (int k = 0; k < 3; ++k) append_integer(missing ? 0.0 : value[k] / plan_.scale, false, out);
    append_integer(static_cast<double>(word), word > 32767.0f, out);
  }

  void append_sample(double value, std::size_t channel, std::string* out) const {
    const double scale = plan_.scaling.scale[channel], offset = plan_.scaling.offset[channel];
    double raw = scale == 0.0 ? offset : value / scale;
    if (scale != 0.0 && offset != 0.0) raw += offset;  // adding zero would lose the sign of -0
    if (std::isnan(scale)) raw = 0.0;  // the source's scale is none; nothing of the samples is left
    if (!plan_.floats) return append_integer(raw, plan_.scaling.is_unsigned, out);
    // Adding the offset rounds: the neighbour may be the one that was read.
    auto stored = static_cast<float>(raw);
    if (offset != 0.0 && std::isfinite(stored)) {
      for (const float other :
           {std::nextafter(stored, -INFINITY), std::nextafter(stored, INFINITY)}) {
        if ((static_cast<double>(stored) - offset) * scale == value) break;
        if ((static_cast<double>(other) - offset) * scale == value) stored = other;
      }
    }
    if (std::isfinite(raw) || std::isnan(raw)) return append_real(static_cast<double>(stored), out);
    plan_.refuse(fmt::format("channel {} holds {}, which is too large for a 32-bit float",
                             quote(trial_.analog.columns[channel].name), value));
  }

  void append_real(double value, std::string* out) const {
    const auto stored = static_cast<float>(value);
    if (std::isfinite(value) && !std::isfinite(stored)) {
      plan_.refuse(fmt::format("{} is too large for a 32-bit float", value));
    }
    if (!append_float(plan_.order, stored, out)) {
      plan_.refuse(
          fmt::format("{} is no number that a DEC file can hold; write Intel numbers", value));
    }
  }

  void append_integer(double steps, bool is_unsigned, std::string* out) const {
    const double whole = std::round(steps);
    const double low = is_unsigned ? 0.0 : -32768.0, high = is_unsigned ? 65535.0 : 32767.0;
    // Positions come back from 32-bit floats: 32,767 steps are off by 0.002 at most.
    if (!(std::abs(steps - whole) < 0.01) || whole < low || whole > high) {
      plan_.refuse(fmt::format(
          "{} steps are no whole number from {} to {}: the file had 16-bit integers, and what was "
          "changed does not fit them; write floats",
          steps, low, high));
    }
    append_int16(plan_.order, static_cast<int>(whole), out);
  }

  const MotionTrial& trial_;
  const C3dPlan& plan_;
};

// `flush` may take what is there and empty the text.
std::vector<std::string> write_c3d_bytes(const MotionTrial& trial, const std::string& name,
                                         const C3dSaveOptions& options, std::string* out,
                                         const std::function<void()>& flush) {
  C3dPlan plan = detail::make_c3d_plan(trial, name, options);
  const auto encode_section = [&] { return plan.parameters.encode(plan.order, name); };
  std::string section = encode_section();
  const std::size_t data_block = 2 + section.size() / kBlockBytes;
  if (data_block > static_cast<std::size_t>(kLargestWord))
    plan.refuse("the parameters take more than 32 MB");
  if (plan.parameters.find("POINT", "DATA_START") != nullptr || trial.c3d == nullptr) {
    const auto stated = plan.parameters.find_number("POINT", "DATA_START");
    if (stated || trial.c3d == nullptr) {
      plan.parameters.set_number("POINT", "DATA_START", 2, static_cast<double>(data_block));
    }
    section = encode_section();
  }
  // A new entry may have made it longer by a block; the second time its length stands.
  const std::size_t final_block = 2 + section.size() / kBlockBytes;
  if (final_block != data_block) {
    plan.parameters.set_number("POINT", "DATA_START", 2, static_cast<double>(final_block));
    section = encode_section();
  }
  const std::string head = encode_header(plan, trial.c3d.get(), final_block) + section;
  *out += head;
  const FrameEncoder frames(trial, plan);
  const std::size_t frame_bytes =
      (4 * plan.points + plan.channels * plan.samples) * (plan.floats ? 4 : 2);
  for (std::size_t f = 0; f < static_cast<std::size_t>(plan.frames); ++f) {
    frames.append(f, out);
    flush();
  }
  const std::size_t bytes = frame_bytes * static_cast<std::size_t>(plan.frames);
  *out += std::string((kBlockBytes - bytes % kBlockBytes) % kBlockBytes, '\0');
  return plan.notes;
}

}  // namespace

std::vector<std::string> save_c3d(const std::string& path, const MotionTrial& trial,
                                  const C3dSaveOptions& options) {
  FileWriter file(path);
  const std::vector<std::string> notes =
      write_c3d_bytes(trial, path, options, &file.text(), [&] { file.flush_if_large(); });
  file.commit();
  return notes;
}

std::string encode_c3d(const MotionTrial& trial, const std::string& name,
                       const C3dSaveOptions& options, std::vector<std::string>* notes) {
  std::string bytes;
  std::vector<std::string> said = write_c3d_bytes(trial, name, options, &bytes, [] {});
  if (notes != nullptr) *notes = std::move(said);
  return bytes;
}

}  // namespace vesica