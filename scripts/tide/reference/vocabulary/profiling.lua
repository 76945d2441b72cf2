-- Parameters of profiles and explanations.
return {
  {
    of = "tide.profiler.profile",
    fn = "function = nil: the function to profile; without it, the code until the profile is closed",
    options = "table = nil: the options of tide.profile",
  },
}
