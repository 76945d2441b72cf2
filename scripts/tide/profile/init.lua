-- tide.profile: the same as tide.profiler.profile.
return require "tide.profiler.profile"
