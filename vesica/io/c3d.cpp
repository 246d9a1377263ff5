#include "vesica/io/c3d.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "vesica/io/file_error.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// The file as bytes with checked reads.
class C3dSource {
 public:
  C3dSource(std::istream& stream, std::string name) : stream_(stream), name_(std::move(name)) {
    stream_.seekg(0, std::ios::end);
    const std::streamoff end = stream_.tellg();
    if (!stream_ || end < 0) throw FileError(name_ + ": cannot be read as a file of known size");
    size_ = static_cast<std::uint64_t>(end);
  }
  std::uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }

  void seek(std::uint64_t byte) { stream_.seekg(static_cast<std::streamoff>(byte)); }
  void read(char* target, std::size_t count, std::uint64_t byte, const char* what) {
    stream_.read(target, static_cast<std::streamsize>(count));
    if (static_cast<std::size_t>(stream_.gcount()) != count) {
      fail(byte + static_cast<std::uint64_t>(stream_.gcount()),
           fmt::format("the file ends within {}", what));
    }
  }
  [[noreturn]] void fail(std::uint64_t byte, const std::string& message) const {
    throw InputError(fmt::format("{}: byte {}: {}", name_, byte, message));
  }

 private:
  std::istream& stream_;
  std::string name_;
  std::uint64_t size_ = 0;
};

// `order` is what the file says unless it is set.
C3dParameters read_parameters(C3dSource& source, const char* header_block,
                              std::optional<C3dByteOrder>* order) {
  const auto first_block = static_cast<unsigned char>(header_block[0]);
  const std::uint64_t start = (static_cast<std::uint64_t>(first_block) - 1) * kBlock;
  if (first_block < 2 || start + kBlock > source.size()) {
    source.fail(0, fmt::format("the parameter section is said to begin in block {} of a file of {} "
                               "bytes; expected block 2 or later within the file",
                               first_block, source.size()));
  }
  char section_header[4];
  source.seek(start);
  source.read(section_header, 4, start, "the parameter section");
  const auto processor = static_cast<unsigned char>(section_header[3]);
  if (processor < 84 || processor > 86) {
    source.fail(start + 3,
                fmt::format("the processor type is {}; expected 84 (Intel), 85 (DEC) or 86 "
                            "(MIPS)",
                            processor));
  }
  if (!*order) *order = static_cast<C3dByteOrder>(processor);
  // The block count is one byte; sections beyond 255 blocks exist and end where the data begin.
  const auto stated =
      static_cast<std::uint64_t>(static_cast<unsigned char>(section_header[2])) * kBlock;
  const auto data_block = static_cast<std::uint16_t>(decode_int16(**order, header_block + 16));
  const std::uint64_t data_start = data_block > 0 ? (data_block - std::uint64_t{1}) * kBlock : 0;
  std::uint64_t size = std::max(stated, data_start > start ? data_start - start : 0);
  size = std::min(size == 0 ? source.size() : size, source.size() - start);
  std::string section(static_cast<std::size_t>(size), '\0');
  source.seek(start);
  source.read(section.data(), section.size(), start, "the parameter section");
  return C3dParameters::parse(section, static_cast<std::size_t>(start), **order, source.name());
}

// How many frames, and the number of the first. The header has 16 bits for each, so that long
// recordings say it in parameters too, each program in its own.
void find_frames(const char* block, const C3dParameters& parameters, C3dHeader* header) {
  const auto word = [&](int i) {
    return static_cast<std::uint16_t>(decode_int16(header->byte_order, block + 2 * (i - 1)));
  };
  header->first_frame = word(4);
  header->frames = static_cast<std::int64_t>(word(5)) - word(4) + 1;
  const auto field = [&](const char* name) -> std::int64_t {
    const C3dParameter* found = parameters.find("TRIAL", name);
    if (found == nullptr || found->numbers.size() < 2) return -1;
    const long long low = C3dParameter::as_count(found->numbers[0]);
    const long long high = C3dParameter::as_count(found->numbers[1]);
    return low > 65535 || high > 65535 ? -1 : low + 65536 * high;
  };
  const std::int64_t start = field("ACTUAL_START_FIELD"), end = field("ACTUAL_END_FIELD");
  if (start >= 0 && end >= start && end > 0) {
    header->first_frame = start;
    header->frames = end - start + 1;
    return;
  }
  const auto is_frame_count = [](const std::optional<double>& n) {
    return n && *n >= 1 && *n < 1e12;
  };
  const std::optional<double> long_frames = parameters.find_number("POINT", "LONG_FRAMES");
  const std::optional<double> frames = parameters.find_number("POINT", "FRAMES");
  if (is_frame_count(long_frames)) {
    header->frames = static_cast<std::int64_t>(*long_frames);
  } else if (word(5) == 65535 && is_frame_count(frames) && *frames > 65535) {
    header->frames = static_cast<std::int64_t>(*frames);  // stored as a float
  }
}

void read_header_events(const char* block, C3dHeader* header) {
  const auto word = [&](int i) { return decode_int16(header->byte_order, block + 2 * (i - 1)); };
  constexpr int kFourCharacterLabels = 12345;
  if (word(150) != kFourCharacterLabels) return;
  const int count = std::clamp<int>(word(151), 0, 18);
  for (int i = 0; i < count; ++i) {
    MotionEvent event;
    event.time = decode_float(header->byte_order, block + 2 * (153 - 1) + 4 * i);
    if (!std::isfinite(event.time)) continue;
    const char* label = block + 2 * (199 - 1) + 4 * i;
    event.label = std::string(trim(std::string_view(label, strnlen(label, 4))));
    header->header_events.push_back(event);
  }
}

C3dHeader read_c3d_header(C3dSource& source, std::optional<C3dByteOrder> order) {
  if (source.size() < kBlock) {
    source.fail(source.size(), source.size() == 0
                                   ? "the file is empty; expected a C3D header of 512 bytes"
                                   : "the file ends within the header of 512 bytes");
  }
  char block[kBlock];
  source.seek(0);
  source.read(block, kBlock, 0, "the header");
  if (block[1] != 0x50) {
    source.fail(1, fmt::format("found {:#04x}; expected 0x50, which marks a C3D file",
                               static_cast<unsigned char>(block[1])));
  }
  C3dHeader header;
  header.block.assign(block, kBlock);
  header.parameters = read_parameters(source, block, &order);
  header.byte_order = *order;
  const C3dParameters& parameters = header.parameters;
  const auto word = [&](int i) {
    return static_cast<std::uint16_t>(decode_int16(header.byte_order, block + 2 * (i - 1)));
  };
  header.points = word(2);
  const std::size_t analog_words = word(3);
  header.samples = word(10);
  if (analog_words > 0 && header.samples == 0) {
    source.fail(18,
                fmt::format("there are {} analog words per frame but no samples; expected samples "
                            "per frame of one or more",
                            analog_words));
  }
  if (header.samples > 0) header.channels = analog_words / header.samples;
  if (header.samples > 0 && analog_words % header.samples != 0) {
    source.fail(4, fmt::format("{} analog words per frame are no multiple of {} samples",
                               analog_words, header.samples));
  }
  header.point_scale = decode_float(header.byte_order, block + 12);
  if (const auto scale = parameters.find_number("POINT", "SCALE")) header.point_scale = *scale;
  if (!std::isfinite(header.point_scale) || header.point_scale == 0.0) {
    source.fail(12, fmt::format("the point scale is {}; expected a number other than zero",
                                header.point_scale));
  }
  header.stores_floats = header.point_scale < 0.0;
  header.point_scale = std::abs(header.point_scale);
  header.rate = detail::choose_frame_rate(decode_float(header.byte_order, block + 20),
                                          header.channels > 0 ? header.samples : 0, parameters,
                                          &header.warnings);
  // Numbers of another processor read as ones that are next to nothing.
  constexpr double kSlowest = 0.01, kFastest = 1e6;  // Hz
  if (!(header.rate >= kSlowest && header.rate <= kFastest)) {
    source.fail(20, fmt::format("the frame rate is {} Hz; expected {} to {:g} Hz", header.rate,
                                kSlowest, kFastest));
  }
  find_frames(block, parameters, &header);
  if (header.frames < 1) {
    source.fail(
        6, fmt::format("frames run from {} to {}; expected at least one frame", word(4), word(5)));
  }
  const std::uint64_t data_block = word(9);
  header.data_byte = data_block > 0 ? (data_block - 1) * kBlock : 0;
  if (data_block < 2 || header.data_byte > source.size()) {
    source.fail(16, fmt::format("the data are said to begin in block {} of a file of {} bytes",
                                data_block, source.size()));
  }
  read_header_events(block, &header);
  // The header decides how frames are laid out; a parameter that differs is a sign of careless
  // editing.
  const auto compare = [&](const char* group, std::size_t count) {
    const auto used = parameters.find_number(group, "USED");
    if (!used || C3dParameter::as_count(*used) == static_cast<long long>(count)) return;
    header.warnings.push_back(fmt::format(
        "{}:USED says {}, but the header says {}; the header holds", group, *used, count));
  };
  compare("POINT", header.points);
  compare("ANALOG", header.channels);
  return header;
}

std::size_t calc_frame_bytes(const C3dHeader& header) {
  return (4 * header.points + header.channels * header.samples) * (header.stores_floats ? 4 : 2);
}

std::uint64_t count_held_frames(const C3dSource& source, const C3dHeader& header) {
  return (source.size() - header.data_byte) / calc_frame_bytes(header);
}

C3dHeader read_whole_header(C3dSource& source, std::optional<C3dByteOrder> order) {
  C3dHeader header = read_c3d_header(source, order);
  const std::size_t frame_bytes = calc_frame_bytes(header);
  if (frame_bytes == 0) source.fail(2, "there are neither points nor analog channels in the file");
  const std::uint64_t held = count_held_frames(source, header);
  if (static_cast<std::uint64_t>(header.frames) > held) {
    source.fail(
        source.size(),
        fmt::format("the file ends after {} whole frames of {} bytes, but its header says {} "
                    "frames: truncated?",
                    held, frame_bytes, header.frames));
  }
  return header;
}

const char* name_of(C3dByteOrder order) {
  return order == C3dByteOrder::kIntel ? "Intel" : order == C3dByteOrder::kDec ? "DEC" : "MIPS";
}

// Where the header makes no sense in the byte order that the file states: the one in which all of
// it does, if there is one. Programs that convert files forget the byte that says it.
std::optional<C3dHeader> find_other_order(C3dSource& source) {
  char block[kBlock];
  if (source.size() < 2 * kBlock) return {};
  source.seek(0);
  source.read(block, kBlock, 0, "the header");
  for (const C3dByteOrder order : {C3dByteOrder::kIntel, C3dByteOrder::kDec, C3dByteOrder::kMips}) {
    const auto data_block = static_cast<std::uint16_t>(decode_int16(order, block + 16));
    const double rate = static_cast<double>(decode_float(order, block + 20));
    if (data_block < 2 || data_block * kBlock > source.size() || !(rate >= 1.0 && rate <= 1e5)) {
      continue;
    }
    try {
      C3dHeader header = read_whole_header(source, order);
      const auto used = header.parameters.find_number("POINT", "USED");
      if (!used || C3dParameter::as_count(*used) != static_cast<long long>(header.points)) continue;
      header.warnings.push_back(
          fmt::format("the file says that another processor wrote it, but its numbers are {}'s; "
                      "read as such",
                      name_of(order)));
      return header;
    } catch (const InputError&) {
      continue;
    }
  }
  return {};
}

C3dHeader read_header_in_any_order(C3dSource& source) {
  try {
    return read_whole_header(source, {});
  } catch (const InputError&) {
    if (std::optional<C3dHeader> other = find_other_order(source)) return *std::move(other);
    throw;
  }
}

// The fourth word of a point: cameras in its high byte, residual in its low byte, negative:
// missing.
float decode_residual(float word, double scale) {
  if (!(word >= 0.0f)) return -1.0f;
  if (word > 65535.0f) return 0.0f;
  return static_cast<float>((static_cast<int>(word) & 0xff) * scale);
}

template <C3dByteOrder order, bool floats>
void decode_chunk(const C3dHeader& header, const detail::C3dAnalogScaling& scaling,
                  const char* bytes, std::size_t frames, C3dPoint* points, double* analog) {
  constexpr std::size_t kWord = floats ? 4 : 2;
  const auto value = [](const char* at) {
    if constexpr (floats) {
      return decode_float<order>(at);
    } else {
      return static_cast<float>(decode_int16<order>(at));
    }
  };
  const double scale = floats ? 1.0 : header.point_scale;
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t p = 0; p < header.points; ++p, bytes += 4 * kWord) {
      C3dPoint& point = *points++;
      point.x = static_cast<float>(value(bytes) * scale);
      point.y = static_cast<float>(value(bytes + kWord) * scale);
      point.z = static_cast<float>(value(bytes + 2 * kWord) * scale);
      point.word = value(bytes + 3 * kWord);
      point.residual = decode_residual(point.word, header.point_scale);
      // Programs write NaN for missing too; an infinite coordinate is no better.
      if (!(std::abs(point.x) + std::abs(point.y) + std::abs(point.z) < 1e30f))
        point.residual = -1.0f;
    }
    for (std::size_t s = 0; s < header.samples; ++s) {
      for (std::size_t c = 0; c < header.channels; ++c, bytes += kWord) {
        double raw = value(bytes);
        if (!floats && scaling.is_unsigned && raw < 0.0) raw += 65536.0;
        *analog++ = (raw - scaling.offset[c]) * scaling.scale[c];
      }
    }
  }
}

using Decoder = void (*)(const C3dHeader&, const detail::C3dAnalogScaling&, const char*,
                         std::size_t, C3dPoint*, double*);

Decoder find_decoder(const C3dHeader& header) {
  switch (header.byte_order) {
    case C3dByteOrder::kIntel:
      return header.stores_floats ? decode_chunk<C3dByteOrder::kIntel, true>
                                  : decode_chunk<C3dByteOrder::kIntel, false>;
    case C3dByteOrder::kDec:
      return header.stores_floats ? decode_chunk<C3dByteOrder::kDec, true>
                                  : decode_chunk<C3dByteOrder::kDec, false>;
    case C3dByteOrder::kMips:
      break;
  }
  return header.stores_floats ? decode_chunk<C3dByteOrder::kMips, true>
                              : decode_chunk<C3dByteOrder::kMips, false>;
}

}  // namespace

namespace detail {

C3dAnalogScaling make_analog_scaling(const C3dHeader& header) {
  C3dAnalogScaling scaling;
  const C3dParameters& parameters = header.parameters;
  scaling.is_unsigned = as_lower(parameters.find_text("ANALOG", "FORMAT")) == "unsigned";
  scaling.offset = parameters.find_numbers("ANALOG", "OFFSET");
  scaling.scale = parameters.find_numbers("ANALOG", "SCALE");
  scaling.offset.resize(header.channels, 0.0);
  scaling.scale.resize(header.channels, 1.0);
  const double general = parameters.find_number("ANALOG", "GEN_SCALE").value_or(1.0);
  for (std::size_t c = 0; c < header.channels; ++c) {
    if (scaling.is_unsigned && scaling.offset[c] < 0.0) scaling.offset[c] += 65536.0;
    scaling.scale[c] *= general;
    if (!std::isfinite(scaling.scale[c]) || !std::isfinite(scaling.offset[c])) {
      scaling.scale[c] =
          kMissing;  // every sample of the channel becomes NaN, which the loader tells
    }
  }
  return scaling;
}

}  // namespace detail

void stream_c3d(std::istream& stream, const std::string& name, const C3dSink& sink) {
  C3dSource source(stream, name);
  const C3dHeader header = read_header_in_any_order(source);
  const std::size_t analog_count = header.channels * header.samples;
  const std::size_t frame_bytes = calc_frame_bytes(header);
  if (sink.header) sink.header(header);
  if (!sink.chunk) return;

  const auto chunk_frames =
      static_cast<std::int64_t>(std::max<std::size_t>(1, kChunkBytes / frame_bytes));
  const auto buffered = static_cast<std::size_t>(std::min(chunk_frames, header.frames));
  std::vector<char> bytes(buffered * frame_bytes);
  std::vector<C3dPoint> points(buffered * header.points);
  std::vector<double> analog(buffered * analog_count);
  const detail::C3dAnalogScaling scaling = detail::make_analog_scaling(header);
  const Decoder decode = find_decoder(header);
  source.seek(header.data_byte);
  for (std::int64_t first = 0; first < header.frames; first += chunk_frames) {
    const auto count = static_cast<std::size_t>(std::min(chunk_frames, header.frames - first));
    const std::uint64_t byte = header.data_byte + static_cast<std::uint64_t>(first) * frame_bytes;
    source.read(bytes.data(), count * frame_bytes, byte, "the frames");
    decode(header, scaling, bytes.data(), count, points.data(), analog.data());
    sink.chunk({first, count, std::span(points.data(), count * header.points),
                std::span(analog.data(), count * analog_count)});
  }
}

}  // namespace vesica
