// What changed from one text to the next, as one edit. Pure.
#pragma once

#include <string_view>

#include "engine/job.h"

namespace hearth::engine {

// The one replacement that makes `now` of `before`, whole characters or not.
TextEdit difference(std::string_view before, std::string_view now);

}  // namespace hearth::engine
