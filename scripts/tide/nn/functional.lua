-- tide.nn.functional: layers as functions, all of them ops of the runtime.
return require("tide.native").functional
