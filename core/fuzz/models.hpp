// Models to begin with, and what each must be able to do.
#pragma once

#include <vector>

#include "fuzz.hpp"
#include "sapwood/model.hpp"
#include "streams.hpp"

namespace sapwood::testing {

/// Small models that together hold everything that a model can hold.
std::vector<Model> model_seeds();

/// Rows that suit a model, with extreme numbers and weights, and sometimes a class of their own.
Stream stream_for(const Model& model, std::size_t n_rows, Random& random);

/// Predicts and learns on, row by row and as a batch, saves and loads. Throws Broken if something does not hold.
Model live_on(Model model, Random& random);

}  // namespace sapwood::testing
