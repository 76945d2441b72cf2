-- tide.profile: the same as tide.profiler.profile.
return require "tide.tools.profiler.profile"
