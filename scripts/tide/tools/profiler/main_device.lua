-- Which device of a profile did the work: an accelerator, if one was used.
local function is_before(a, b)
  local a_is_host, b_is_host = a.name == "cpu", b.name == "cpu"
  if a_is_host ~= b_is_host then return b_is_host end
  return a.device_ms > b.device_ms
end

--- Of the devices of a profile's summary; nil if none had any work.
return function(devices)
  local main
  for _, device in ipairs(devices) do
    if device.launches > 0 and (not main or is_before(device, main)) then main = device end
  end
  return main
end
