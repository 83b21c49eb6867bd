// The file format: how a model becomes bytes, and bytes a model.
//
//   8 bytes   89 53 41 50 57 4F 4F 44   ("\x89SAPWOOD")
//   8 bytes   format version, little-endian
//   8 bytes   length of the payload
//   payload   text of the owner (the constructor's parameters, as JSON), parameters, names, tree
//   8 bytes   FNV-1a (64 bit) of all that stands before
//
// No clock, no address and no code is in it: the same model gives the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sapwood/archive.hpp"
#include "sapwood/model.hpp"

namespace sapwood {

std::string encode(const Model& model, std::string_view owner_text);

/// Throws std::invalid_argument that says what is wrong, whatever the bytes. `owner_text` gets the owner's text back.
Model decode(std::string_view bytes, std::string& owner_text);

}  // namespace sapwood
