-- The number of the input that was read last; nil where no session reads inputs.
return {number = nil}
