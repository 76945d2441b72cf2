-- What parameters of profiles and explanations mean.
return {
  {
    of = "tide.profiler.profile",
    fn = "function = nil: what is profiled; without it, what runs until the profile is closed",
    options = "table = nil: options as those of tide.profile",
  },
}
