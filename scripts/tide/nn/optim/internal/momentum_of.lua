-- The momentum of a parameter group, which some schedulers change: SGD's momentum, or the first of Adam's betas.
local momentum_of = {}

function momentum_of.exists(group) return group.betas ~= nil or group.momentum ~= nil end

function momentum_of.get(group) return group.betas and group.betas[1] or group.momentum end

function momentum_of.set(group, value)
  if group.betas then
    group.betas = {value, table.unpack(group.betas, 2)}
  else
    group.momentum = value
  end
end

return momentum_of
