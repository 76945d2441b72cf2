-- tide.signal: windows of signal processing.
return require "tide.internal.strict_table"("tide.signal", {windows = require "tide.signal.windows"})
