-- Which request of HTTP a viewer answers with what. Knows no socket.
--
-- Who does not have the token learns nothing, not even which paths there are.
local requests = {}

-- Takes as long wherever the two differ, so that a token can't be found byte by byte.
local function is_same(given, token)
  if #given ~= #token then
    return false
  end
  local difference = 0
  for i = 1, #token do
    difference = difference | given:byte(i) ~ token:byte(i)
  end
  return difference == 0
end

-- The path of a URL, and its parameter `token`; "" when there is none.
local function parts(url)
  local path, query = url:match "^([^?#]*)%??([^#]*)"
  return path, ("&" .. query):match "&token=([^&]*)" or ""
end

-- The answer to a request: "page", "stream", "metrics", or a number, the status that refuses it. header: with
-- names in lower case; one that came twice is a table and counts as wrong.
function requests.answer(token, method, url, header, body)
  local path, given = parts(url)
  if not is_same(given, token) then
    return 403
  elseif method ~= "GET" then
    return 405
  elseif body ~= "" then
    return 413
  elseif path == "/" then
    return "page"
  elseif path == "/metrics" then
    return "metrics"
  elseif path ~= "/stream" then
    return 404
  end
  -- Browsers say from which page a websocket was opened: it must be ours.
  local host, origin = header.host, header.origin
  if type(host) ~= "string" or origin ~= nil and origin ~= "http://" .. host then
    return 403
  end
  return "stream"
end

local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;" }

-- A small page that says one thing.
function requests.message_page(title, text)
  local function escape(value)
    return (value:gsub("[&<>\"']", ESCAPES))
  end
  return ([[<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title></head><body><h1>%s</h1><p>%s</p></body></html>
]]):format(escape(title), escape(title), escape(text))
end

-- A token that nobody can guess.
function requests.new_token()
  local file = assert(io.open("/dev/urandom", "rb"), "there is no /dev/urandom: give the option token")
  file:setvbuf "no"
  local bytes = file:read(16)
  file:close()
  return (bytes:gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end))
end

return requests
