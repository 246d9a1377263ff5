// A table of text as HDF5: a dataset for every column, numbers where all its cells are.
#pragma once

#include <string>

namespace vesica::studies {

// /table/COLUMN, with the attribute "order" on /table. The same bytes from the same table: no times
// are stored. FileError where it cannot be written.
void save_table_hdf5(const std::string& csv, const std::string& path);

}  // namespace vesica::studies
