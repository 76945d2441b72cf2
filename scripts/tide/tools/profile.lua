-- tide.profile: the same as tide.profiler.profile.

--- The same as tide.profile.
---@name profiler.profile
---@like profile in tools/profiler/profile.lua
---@example
--- tide.profiler.profile == tide.profile --> true
return require "tide.tools.profiler.profile"
