#include "vesica/io/text_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "vesica/io/file_error.h"

namespace vesica {

namespace {

constexpr std::size_t kBufferSize = std::size_t{64} << 10;

// UTF-16 in either byte order as UTF-8; `surrogate` carries the first half of a pair over.
std::string as_utf8(std::string_view units, bool big, const std::string& name, std::size_t line,
                    std::uint32_t* surrogate) {
  const auto broken = [&]() {
    return InputError(fmt::format(
        "{}:{}: the text is encoded as UTF-16 and damaged here or further on; save it as UTF-8",
        name, line + 1));
  };
  if (units.size() % 2 != 0) throw broken();
  std::string text;
  for (std::size_t i = 0; i < units.size(); i += 2) {
    const auto first = static_cast<unsigned char>(units[i]);
    const auto second = static_cast<unsigned char>(units[i + 1]);
    std::uint32_t code = big ? first << 8 | second : second << 8 | first;
    if (code >= 0xdc00 && code < 0xe000) {
      if (*surrogate == 0) throw broken();
      code = 0x10000 + ((*surrogate - 0xd800) << 10) + (code - 0xdc00);
      *surrogate = 0;
    } else if (*surrogate != 0) {
      throw broken();
    } else if (code >= 0xd800 && code < 0xdc00) {
      *surrogate = code;
      continue;
    }
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xc0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      if (code < 0x10000) {
        text += static_cast<char>(0xe0 | code >> 12);
      } else {
        text += static_cast<char>(0xf0 | code >> 18);
        text += static_cast<char>(0x80 | (code >> 12 & 0x3f));
      }
      text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return text;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

LineReader::LineReader(std::istream& stream, std::string name)
    : stream_(stream), name_(std::move(name)), buffer_(kBufferSize) {
  detect_encoding();
  fill();
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (end_ >= kMark.size() && std::memcmp(buffer_.data(), kMark.data(), kMark.size()) == 0) {
    begin_ = kMark.size();
  }
  const bool has_lf = std::memchr(buffer_.data(), '\n', end_) != nullptr;
  if (!has_lf && std::memchr(buffer_.data(), '\r', end_) != nullptr) end_of_line_ = '\r';
}

// By a byte order mark; without one, by the zero bytes that every other character of plain text has
// in UTF-16 among the first ones.
void LineReader::detect_encoding() {
  head_.resize(64);
  stream_.read(head_.data(), static_cast<std::streamsize>(head_.size()));
  if (stream_.bad()) throw FileError(name_ + ": reading failed");
  head_.resize(static_cast<std::size_t>(stream_.gcount()));
  if (stream_.eof()) stream_.clear(std::ios::eofbit);
  const auto all = [&](std::size_t first, bool zero) {
    for (std::size_t i = first; i + 1 < head_.size() + first % 2; i += 2) {
      if ((head_[i] == '\0') != zero) return false;
    }
    return head_.size() >= 8;
  };
  if (head_.starts_with("\xff\xfe") || (all(1, true) && all(0, false))) {
    encoding_ = Encoding::kUtf16Little;
  } else if (head_.starts_with("\xfe\xff") || (all(0, true) && all(1, false))) {
    encoding_ = Encoding::kUtf16Big;
  }
}

// What was looked at already, then the stream.
std::size_t LineReader::read_bytes(char* target, std::size_t count) {
  const std::size_t from_head = std::min(count, head_.size());
  std::memcpy(target, head_.data(), from_head);
  head_.erase(0, from_head);
  if (from_head == count || !stream_.good()) return from_head;
  stream_.read(target + from_head, static_cast<std::streamsize>(count - from_head));
  if (stream_.bad()) throw FileError(name_ + ": reading failed");
  return from_head + static_cast<std::size_t>(stream_.gcount());
}

bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ + 3 > buffer_.size()) {  // room for a character of UTF-16
    if (buffer_.size() >= kMaxLine) {
      ++line_number_;
      fail("a line is longer than 16 MiB; this is not a text file of this format");
    }
    buffer_.resize(buffer_.size() * 2);
  }
  std::size_t count = 0;
  if (encoding_ == Encoding::kBytes) {
    count = read_bytes(buffer_.data() + end_, buffer_.size() - end_);
  } else {
    // Two bytes become three at most.
    std::string units((buffer_.size() - end_) / 3 * 2, '\0');
    units.resize(read_bytes(units.data(), units.size()));
    const std::string text =
        as_utf8(units, encoding_ == Encoding::kUtf16Big, name_, line_number_, &surrogate_);
    count = text.size();
    std::memcpy(buffer_.data() + end_, text.data(), count);
    if (count == 0 && !units.empty()) return true;  // half of a pair; the rest comes next
  }
  if (count == 0) at_end_ = true;
  if (const void* zero = std::memchr(buffer_.data() + end_, '\0', count)) {
    const auto offset = static_cast<const char*>(zero) - buffer_.data();
    std::size_t line = line_number_ + 1;
    for (std::ptrdiff_t i = 0; i < offset; ++i)
      line += buffer_[static_cast<std::size_t>(i)] == '\n';
    throw InputError(
        fmt::format("{}:{}: found a zero byte; this is a binary file, not text", name_, line));
  }
  end_ += count;
  return count > 0;
}

bool LineReader::next(std::string_view* line) {
  std::size_t searched = 0;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const auto* found = static_cast<const char*>(
        std::memchr(start + searched, end_of_line_, end_ - begin_ - searched));
    if (found != nullptr) {
      auto length = static_cast<std::size_t>(found - start);
      begin_ += length + 1;
      if (length > 0 && start[length - 1] == '\r') --length;
      *line = std::string_view(start, length);
      ended_ = true;
      ++line_number_;
      return true;
    }
    searched = end_ - begin_;
    if (fill()) continue;
    if (begin_ == end_) return false;
    *line = std::string_view(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    ended_ = false;
    ++line_number_;
    return true;
  }
}

void LineReader::fail(const std::string& message) const {
  throw InputError(fmt::format("{}:{}: {}", name_, line_number_, message));
}

RowForecast::RowForecast(std::istream& stream) : stream_(stream) {
  const std::istream::pos_type here = stream.tellg();
  if (here < 0) return;
  stream.seekg(0, std::ios::end);
  size_ = static_cast<double>(std::max<std::streamoff>(0, stream.tellg()));
  stream.seekg(here);
}

std::size_t RowForecast::foretell(std::size_t rows) const {
  const auto bytes = static_cast<double>(stream_.tellg());  // a buffer ahead of the rows
  if (!(bytes > 0.0)) return 0;
  return static_cast<std::size_t>(1.02 * static_cast<double>(rows) * std::max(1.0, size_ / bytes));
}

std::ifstream open_input(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw FileError(path + ": is a folder; give a file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(path + ": cannot be opened; check that it exists and is readable");
  return stream;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string as_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         as_lower(text.substr(0, prefix.size())) == as_lower(prefix);
}

void split_at_whitespace(std::string_view line, std::vector<std::string_view>* fields) {
  fields->clear();
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && is_blank(line[i])) ++i;
    const std::size_t start = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    if (i > start) fields->push_back(line.substr(start, i - start));
  }
}

void split_at(std::string_view line, char delimiter, std::vector<std::string_view>* fields) {
  fields->clear();
  std::size_t start = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != delimiter || quoted)) continue;
    std::string_view field = trim(line.substr(start, i - start));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
      field = field.substr(1, field.size() - 2);
    }
    fields->push_back(field);
    start = i + 1;
  }
}

void split_columns(std::string_view line, std::vector<std::string_view>* fields) {
  if (line.find('\t') == std::string_view::npos) return split_at_whitespace(line, fields);
  fields->clear();
  std::size_t start = 0;
  for (;;) {
    const std::size_t tab = line.find('\t', start);
    if (tab == std::string_view::npos) break;
    fields->push_back(trim(line.substr(start, tab - start)));
    start = tab + 1;
  }
  fields->push_back(trim(line.substr(start)));
}

std::optional<double> parse_number(std::string_view field) {
  const char* first = field.data();
  const char* last = first + field.size();
  if (first != last && *first == '+') {
    ++first;
    if (first != last && *first == '-') return std::nullopt;
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range && end == last) {
    // A number too small for double is zero for our purpose; one too large is not a measurement.
    const std::size_t e = field.find_first_of("eE");
    if (e != std::string_view::npos && e + 1 < field.size() && field[e + 1] == '-') return 0.0;
    return std::nullopt;
  }
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long long> parse_integer(std::string_view field) {
  long long value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc() && end == field.data() + field.size()) return value;
  // "451.0" is an integer too.
  const std::optional<double> number = parse_number(field);
  if (!number || std::abs(*number) > 9e15 || *number != std::floor(*number)) return std::nullopt;
  return static_cast<long long>(*number);
}

bool is_nan_text(std::string_view field) {
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) field.remove_prefix(1);
  return starts_with_ignoring_case(field, "nan") || starts_with_ignoring_case(field, "1.#QNAN") ||
         starts_with_ignoring_case(field, "1.#IND");
}

void append_number(double value, std::string* text) {
  if (std::isnan(value)) {
    *text += "nan";
    return;
  }
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  text->append(buffer, result.ptr);
}

void append_number(double value, int digits, std::string* text) {
  if (std::isnan(value)) {
    *text += "nan";
    return;
  }
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, digits);
  text->append(buffer, result.ptr);
}

std::string quote(std::string_view field) {
  constexpr std::size_t kShown = 40;
  std::string result = "'";
  for (char c : field.substr(0, kShown)) result += c >= 32 && c < 127 ? c : '?';
  if (field.size() > kShown) result += "...";
  return result + "'";
}

const char* hint_at_comma(std::string_view field) {
  return field.find(',') != std::string_view::npos ? "; use a point for decimals, not a comma" : "";
}

std::string as_csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r#;") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string as_readable(double value, int digits) {
  if (!(std::abs(value) >= 1000.0) || std::abs(value) >= 1e15) {
    return fmt::format("{:.{}g}", value, digits);
  }
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - (digits - 1));
  std::string text = fmt::format("{:.0f}", unit >= 1.0 ? std::round(value / unit) * unit : value);
  const std::size_t sign = text.front() == '-' ? 1 : 0;
  for (std::size_t i = text.size(); i > sign + 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return text;
}

}  // namespace vesica
