-- What the options of optimizers may be: the same names mean the same in all of them.
local raise = require "tide.internal.raise"
local tide = require "tide"

local function within(least, below)
  return function(value) return value >= least and value < below end
end

local non_negative = {"non-negative", function(value) return value >= 0 end}
local switch = {"true or false"}

-- {what it must be, a test of the number}; the last number of a list says how long it is.
local rules = {
  lr = non_negative, eps = non_negative, weight_decay = non_negative, momentum = non_negative,
  alpha = non_negative, lr_decay = non_negative, momentum_decay = non_negative, initial_accumulator_value = non_negative,
  rho = {"between 0 and 1", function(value) return value >= 0 and value <= 1 end},
  beta2_decay = {"at most 0", function(value) return value <= 0 end},
  d = {"at least 1", function(value) return value >= 1 end},
  nesterov = switch, maximize = switch, amsgrad = switch, centered = switch, decoupled_weight_decay = switch,
}

-- The same for options that are lists of two numbers.
local pair_rules = {
  betas = {"at least 0 and below 1 both", function(first, second)
    return within(0, 1)(first) and within(0, 1)(second)
  end},
  etas = {"below 1 and above 1", function(down, up) return down > 0 and down < 1 and up > 1 end},
  step_sizes = {"in order", function(least, most) return least >= 0 and least <= most end},
}

local function text(value)
  if type(value) ~= "table" then return tostring(value) end
  return ("{%s, %s}"):format(tostring(value[1]), tostring(value[2]))
end

local function is_allowed(key, value)
  local rule = rules[key]
  if rule == switch then return type(value) == "boolean" end
  if type(value) == "number" and rule then return rule[2](value) end
  rule = pair_rules[key]
  if not rule then return true end
  return type(value) == "table" and #value == 2 and type(value[1]) == "number" and type(value[2]) == "number" and
    rule[2](value[1], value[2])
end

--- Raises an error in the name of the optimizer for an option that is out of its range. A rate that is a tensor is not
--- looked at, which would wait.
return function(optimizer, options)
  for key, value in pairs(options) do
    if not tide.is_tensor(value) and not is_allowed(key, value) then
      local rule = rules[key] or pair_rules[key]
      raise("%s: %s must be %s%s, got %s", optimizer, key, pair_rules[key] and "two numbers, " or "", rule[1], text(value))
    end
  end
end
