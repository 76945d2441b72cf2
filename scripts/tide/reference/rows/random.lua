-- The reference of tide.random.
return {
  {
    title = "Random numbers as in NumPy",
    prefix = "tide.random.",
    {"seed", "(seed?)", "Restarts from a seed; without one, from a new one each time",
      "tide.random.seed(1); local a = tide.random.rand(3); tide.random.seed(1); " ..
        "a:equal(tide.random.rand(3)) --> true"},
    {"get_state", "()", "What the next numbers depend on",
      "local state = tide.random.get_state(); local a = tide.random.rand(3); " ..
        "tide.random.set_state(state); a:equal(tide.random.rand(3)) --> true"},
    {"set_state", "(state)", "Restores a state",
      "tide.random.set_state(tide.random.get_state())"},
    {"rand", "(size...)", "Uniform in 0..1", "tide.random.rand(2, 3).shape --> {2, 3}"},
    {"randn", "(size...)", "Normal", "tide.random.randn(2, 3).shape --> {2, 3}"},
    {"permutation", "(n | x)", "1..n, or a copy of a list or tensor, in a new order",
      "tide.random.permutation(5):sum() --> 15"},
    {"shuffle", "(x)", "Brings a list, or a tensor's first dimension, into a new order in place",
      "local x = tide.range(1, 5); tide.random.shuffle(x); x:sum() --> 15"},
  },
}
