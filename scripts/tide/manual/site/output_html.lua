-- Output of code as HTML, by MIME type: functions (data, page).
--
-- A page is the list of its pieces; `pictures` is its number of images.
local base64 = require "tide.internal.base64"
local forms = require "tide.display.forms"
local html = require "tide.manual.site.html"

local output_html = {}

output_html["text/plain"] = function(text)
  text = text:gsub("^\n+", ""):gsub("%s+$", "")
  return text ~= "" and '<pre class="output">' .. html.escape(text) .. "</pre>" or nil
end

output_html["text/html"] = function(text) return '<div class="output wide">' .. text .. "</div>" end

output_html["image/png"] = function(bytes)
  local image = '<p class="output"><img src="data:image/png;base64,%s" alt="%s"></p>'
  return image:format(base64(bytes), forms.alternative(bytes))
end

--- Makes the ids in an SVG image different from those of others on the page.
output_html["image/svg+xml"] = function(svg, page)
  page.pictures = page.pictures + 1
  local mark = ("picture%d-"):format(page.pictures)
  svg = svg:match "<svg.*</svg>":gsub("<desc>.-</desc>", "")
  svg = svg:gsub("( id=['\"])", "%1" .. mark):gsub("(href=['\"]#)", "%1" .. mark):gsub("url%(#", "%0" .. mark)
  return '<figure class="output">' .. svg .. "</figure>"
end

return output_html
