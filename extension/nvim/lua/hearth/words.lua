-- The parts in which a suggestion is accepted.

local M = {}

-- Han, kana and Hangul are written without blanks: each character is a word of its own.
local function is_cjk(code)
  return code >= 0x2E80 and code <= 0x9FFF
    or code >= 0xAC00 and code <= 0xD7AF
    or code >= 0xF900 and code <= 0xFAFF
    or code >= 0x20000 and code <= 0x3FFFF
end

local function is_word(character)
  if #character == 1 then
    return character:match('[%w_]') ~= nil
  end
  return not is_cjk(vim.fn.char2nr(character))
end

-- The blanks at the text's start and what they lead to: an identifier, one CJK character, or a run of one
-- kind of punctuation.
function M.first_word(text)
  local blanks = text:match('^%s*')
  local at = #blanks + 1
  local first = text:match('^[%z\1-\127\194-\253][\128-\191]*', at)
  if not first then
    return text
  end
  local word = first
  local continues = is_word(first) and is_word or function(character)
    return character == first and not is_cjk(vim.fn.char2nr(first))
  end
  for character in text:sub(at + #first):gmatch('[%z\1-\127\194-\253][\128-\191]*') do
    if not continues(character) then
      break
    end
    word = word .. character
  end
  return blanks .. word
end

-- Up to the end of the line; where the text begins with a line's end, the line after it.
function M.first_line(text)
  return text:match('^\n*[^\n]*')
end

return M
