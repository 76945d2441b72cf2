-- The reference of advice and estimates.
return {
  {
    title = "Advice and estimates",
    prefix = "tide.",
    {"advise", "(fn, {runs})",
      "Runs fn and says, by line, what would make it faster or is a mistake, and how to mend it; findings: a list of {rule, file, line, text, mend, wins, win_ms}; wall_ms, device, busy_ms. A short fn runs twice, the first time to compile; runs says how often",
      [[local x = tide.ones(8); ]] ..
        [[#tide.advise(function() return x:exp():sum():item() end).findings --> 0]]},
    {"estimate", "(fn, {device, compare})",
      "What fn(tide.accelerator()) would take on a described card, by the peaks of its data sheet: total_ms, device_ms, host_ms, wait_ms, bound, and parts: a list of {name, dtype, calls, bytes, flops, ms, share, bound}. compare = true: runs fn there too, if there is such a card: compared_ms. Cards: A100 80GB, B200, H100 SXM, H200, Jetson AGX Orin, L40S, RTX 4090, RTX 5090, T4, V100",
      [[local x = tide.ones(8, 8); ]] ..
        [[tide.estimate(function() return x:matmul(x):sum():item() end, {device = "H200"}).total_ms > 0 --> true]]},
  },
}
