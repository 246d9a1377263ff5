// A contact from `i: {shape}`, `j: {shape}`, `contact: {laws}`.
#pragma once

#include <string>

#include "vesica/model/field_reader.h"
#include "vesica/model/make_contact.h"

namespace vesica::test {

// `shape_i`: in place of the one in the text.
inline Contact<double> read_contact_case(const std::string& text, const std::string& name,
                                         const Shape<double>* shape_i = nullptr) {
  const InputFile file = InputFile::parse(text, name);
  model::BodyShape<> i, j;
  model::Contact<> contact;
  FieldReader reader(file.root());
  reader.read([&] {
    reader.below("i", [&] { i.describe(reader); });
    reader.below("j", [&] { j.describe(reader); });
    reader.below("contact", [&] { contact.describe_laws(reader); });
  });
  const Places places(file.name(), ".", file.lines());
  PlacedShape<double> placed_i = make_shape(i, places, "i");
  if (shape_i != nullptr) placed_i.shape = *shape_i;
  return make_contact<double>(contact, {placed_i}, {make_shape(j, places, "j")}, places, "contact")
      .contact;
}

}  // namespace vesica::test
