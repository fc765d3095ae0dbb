#pragma once

#include <boost/json.hpp>
#include <string>

#include "shop/money.hpp"

namespace shop {

// Money as text that others read.
std::string to_json(const Money& money);

}  // namespace shop
