-- Rules on common mistakes in training and evaluation.

local kRounding <const> = 1e-3 -- of sums of probabilities

return {
  {
    name = "training mode in evaluation", looks_at = "module_calls", wins = "results",
    text = "%s runs in training mode, without gradients",
    fix = "net:eval() before an evaluation, net:train() after it",
    find = function(row)
      if row.in_training then return 0, row.in_training end
    end,
  },
  {
    name = "no zero_grad", looks_at = "steps", wins = "results",
    text = "the gradients of %d of %d steps are added to those of the step before",
    fix = "optimizer:zero_grad() before loss:backward(); to accumulate, step once for several",
    find = function(row, facts)
      if row.kept > 0 and not facts.clears then return 0, row.kept, row.count end
    end,
  },
  {
    name = "softmax before cross_entropy", looks_at = "losses", wins = "results",
    text = "cross_entropy is given probabilities; it takes logits and computes log_softmax itself",
    fix = "remove the softmax, or use nll_loss of log_softmax",
    find = function(row)
      if row.distance and row.distance:item() < kRounding then return 0 end
    end,
  },
  {
    name = "no no_grad", looks_at = "module_calls", wins = "memory",
    text = "%s keeps %d graphs for gradients that are never computed",
    fix = "local _ <close> = tide.no_grad() before the evaluation",
    find = function(row)
      if row.unused > row.count / 2 then return 0, row.name, row.unused end
    end,
  },
}
