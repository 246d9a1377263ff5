// Reading text files line by line from a fixed buffer, and numbers from them, with errors that name
// file and line. Shared by the readers of this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vesica {

// Lines of a text stream, one at a time, in memory that does not grow with the file: a buffer of
// 64 KiB that grows only for a single longer line, up to kMaxLine. Ends of line may be LF, CR LF,
// or CR alone (when the first buffer has no LF). A UTF-8 byte order mark is dropped. UTF-16, which
// spreadsheets export as "Unicode text", is read as UTF-8, with a byte order mark or by its zero
// bytes. Other zero bytes are refused: such a file is not the text that it claims to be.
class LineReader {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{16} << 20;

  // `name` appears in messages. The stream must outlive the reader.
  LineReader(std::istream& stream, std::string name);

  // The next line without its end; valid until the next call. False at the end of the file.
  bool next(std::string_view* line);
  // Number of the line last returned, from 1.
  std::size_t line_number() const { return line_number_; }
  // Whether the line last returned had an end of line (the last line of a file may have none).
  bool ended() const { return ended_; }
  const std::string& name() const { return name_; }

  // Throws InputError "name:line: message".
  [[noreturn]] void fail(const std::string& message) const;

 private:
  enum class Encoding { kBytes, kUtf16Little, kUtf16Big };

  bool fill();  // more bytes into the buffer; false at the end of the stream
  void detect_encoding();
  std::size_t read_bytes(char* target, std::size_t count);

  std::istream& stream_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // unread part of the buffer
  std::size_t line_number_ = 0;
  char end_of_line_ = '\n';
  bool at_end_ = false, ended_ = true;
  Encoding encoding_ = Encoding::kBytes;
  std::string head_;             // bytes that were looked at to find the encoding
  std::uint32_t surrogate_ = 0;  // first half of a pair, when the second is still to come
};

// How many rows a text file will have had at its end, from those so far and the bytes that they
// took. For vectors that are to hold a gigabyte: one that doubles holds three times its numbers for
// a moment.
class RowForecast {
 public:
  explicit RowForecast(std::istream& stream);
  // Room for another row of `width` values, and for those that are to be expected.
  template <class T>
  void make_room(std::size_t width, std::vector<T>* values) const {
    if (values->size() + width <= values->capacity()) return;
    const std::size_t rows = width == 0 ? 0 : values->size() / width;
    values->reserve(std::max(foretell(rows), rows + rows / 8 + 16) * width);
  }

 private:
  std::size_t foretell(std::size_t rows) const;

  std::istream& stream_;
  double size_ = 0.0;  // bytes; 0: not known
};

// Opens a file for reading; FileError if it cannot be.
std::ifstream open_input(const std::string& path);

std::string_view trim(std::string_view text);
std::string as_lower(std::string_view text);
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);

// Fields at runs of spaces and tabs, none empty.
void split_at_whitespace(std::string_view line, std::vector<std::string_view>* fields);
// Fields at every `delimiter`, trimmed, empty ones kept; double quotes protect a delimiter and are
// removed from a wholly quoted field.
void split_at(std::string_view line, char delimiter, std::vector<std::string_view>* fields);
// At tabs if the line has one (empty fields mean something then), else at whitespace.
void split_columns(std::string_view line, std::vector<std::string_view>* fields);

// A finite number that takes the whole field, with optional sign and exponent; nothing otherwise.
std::optional<double> parse_number(std::string_view field);
std::optional<long long> parse_integer(std::string_view field);
// The ways in which programs write "not a number": nan, NaN, -nan, nan(ind), 1.#QNAN, 1.#IND.
bool is_nan_text(std::string_view field);

// The shortest text that reads back as the same double; "nan" for NaN.
void append_number(double value, std::string* text);
// A field of a table with commas, quoted where it has to be (RFC 4180).
std::string as_csv_field(const std::string& text);
// At most `digits` significant digits, no trailing zeros.
void append_number(double value, int digits, std::string* text);

// `field` for a message: quoted, cut to 40 characters, unprintable bytes as '?'.
std::string quote(std::string_view field);

// "; use a point for decimals, not a comma" if the field has a comma, else nothing.
const char* hint_at_comma(std::string_view field);

// With at most `digits` significant digits, thousands grouped: 1,700 or 0.0123.
std::string as_readable(double value, int digits = 3);

}  // namespace vesica
