-- tide.nn.functional: layers as functions. Most are ops of the runtime; what is composed of those
-- stands here.
local arguments = require "tide.arguments"
local raise = require "tide.raise"
local tide = require "tide"

local F = require("tide.native").functional

local read_glu = arguments("glu", {"x", {"dim", -1}})

--- One half of x, gated by the sigmoid of the other: halves along `dim`.
function F.glu(...)
  local given = read_glu(...)
  local x, dim = given.x, given.dim
  local size = x:size(dim)
  if size % 2 ~= 0 then
    raise("glu: dimension %d must have an even size: got %d", dim, size)
  end
  local half = size // 2
  return x:narrow(dim, 1, half) * x:narrow(dim, half + 1, half):sigmoid()
end

local read_prelu = arguments("prelu", {"x", "weight"})

--- x where it is positive, else weight * x: one weight for all, or one for each channel.
function F.prelu(...)
  local given = read_prelu(...)
  local x, weight = given.x, given.weight
  if weight:dim() > 1 then
    raise("prelu: the weight has at most 1 dimension: got %d", weight:dim())
  end
  if weight:numel() ~= 1 then
    local channels = x:dim() > 1 and x:size(2) or 1
    if weight:numel() ~= channels then
      raise("prelu: %d weights do not fit %d channels", weight:numel(), channels)
    end
    local shape = {1, channels}
    for d = 3, x:dim() do shape[d] = 1 end
    weight = weight:reshape(shape)
  elseif weight:dim() == 1 and x:dim() == 0 then
    weight = weight:reshape({})
  end
  return tide.where(x:gt(0), x, weight * x)
end

return F
