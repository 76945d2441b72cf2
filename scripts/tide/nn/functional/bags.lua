-- tide.nn.functional.embedding_bag: looked-up vectors put together.
local arguments = require "tide.arguments"
local raise = require "tide.raise"
local tide = require "tide"

local modes = {sum = true, mean = true, max = true}

return function(F)
  local read = arguments("embedding_bag", {
    "x", "weight", {"offsets"}, {"mode", "mean"}, {"per_sample_weights"}, {"padding_idx"},
    {"include_last_offset", false}, {"max_norm"}, {"norm_type", 2.0}, {"scale_grad_by_freq", false},
  }, {x = "tensor", weight = "tensor", offsets = "tensor", per_sample_weights = "tensor",
    padding_idx = "number", max_norm = "number", norm_type = "number"})

  --- The number of its bag for each of `count` places, how many bags there are, and which places
  --- are in one.
  local function bags_of(offsets, count, last)
    local places = tide.arange(1, count + 1, {device = offsets.device})
    local starts, inside = offsets, nil
    if last then  -- the last offset ends the last bag
      starts, inside = offsets:narrow(1, 1, #offsets - 1), places:lt(offsets[-1])
    end
    return tide.searchsorted(starts:to("int64"), places, {right = true}) - 1, #starts, inside
  end

  --- Rows of a table by position, put together bag by bag: bags are the rows of x, or begin at the
  --- positions in `offsets`.
  function F.embedding_bag(...)
    local given = read(...)
    local x, mode, padding = given.x, given.mode, given.padding_idx
    if x:dim() < 1 or x:dim() > 2 then
      raise("embedding_bag: positions in 1 or 2 dimensions are needed: got %d", x:dim())
    end
    if not modes[mode] then
      raise("embedding_bag: mode is sum, mean or max: got %s", tostring(mode))
    end
    local weights = given.per_sample_weights
    if weights and mode ~= "sum" then
      raise("embedding_bag: per_sample_weights need the mode sum: got %s", mode)
    end
    if weights and table.concat(weights.shape, ", ") ~= table.concat(x.shape, ", ") then
      raise("embedding_bag: per_sample_weights of shape (%s) do not fit positions of shape (%s)",
        table.concat(weights.shape, ", "), table.concat(x.shape, ", "))
    end
    local function look_up(positions)
      return F.embedding(positions, given.weight, {
        padding_idx = padding, max_norm = given.max_norm, norm_type = given.norm_type,
        scale_grad_by_freq = given.scale_grad_by_freq,
      })
    end
    if x:dim() == 2 and x:size(2) > 0 and not padding then  -- full bags of one size
      local rows = look_up(x)
      if mode == "max" then return rows:amax(2) end
      if weights then rows = rows * weights:unsqueeze(3) end
      return mode == "sum" and rows:sum(2) or rows:mean(2)
    end
    local bag, count, inside
    if x:dim() == 1 then
      if not given.offsets then raise("embedding_bag: positions in one dimension need offsets") end
      bag, count, inside = bags_of(given.offsets, #x, given.include_last_offset)
    else
      count = #x
      bag = tide.arange(1, count + 1, {device = x.device}):repeat_interleave(x:size(2))
      x, weights = x:reshape(-1), weights and weights:reshape(-1)
    end
    local rows = look_up(x)
    if padding and padding < 0 then padding = given.weight:size(1) + padding + 1 end
    local kept = padding and x:ne(padding) or x:eq(x)
    if inside then kept = kept:logical_and(inside) end
    local mask = kept:unsqueeze(2)
    local sizes = rows:new_zeros({count}):index_add(1, bag, kept:to(rows.dtype)):unsqueeze(2)
    local empty = rows:new_zeros({count, rows:size(2)})
    if mode == "max" then
      local lowest = rows:masked_fill(mask:logical_not(), -math.huge)
      local places = bag:unsqueeze(2):expand_as(rows)
      local best = (empty - math.huge):scatter_reduce(1, places, lowest, "amax")
      return tide.where(sizes:eq(0), 0.0, best)
    end
    if weights then rows = rows * weights:unsqueeze(2) end
    local sum = empty:index_add(1, bag, tide.where(mask, rows, 0.0))
    return mode == "sum" and sum or sum / sizes:clamp(1)
  end
end
