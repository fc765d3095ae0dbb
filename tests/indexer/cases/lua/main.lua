local cart = require("shop.cart")
local util = require "shop.util"
local M = {}

-- Pays at once.
function M.pay(cart, ...)
  local function inner() end
  return inner
end

function M:total(currency) return 0 end

local function hidden() end

M.format = function(cents) return cents end

limit = 10
return M
