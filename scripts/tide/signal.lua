-- tide.signal: windows of signal processing.
return require "tide.strict_table"("tide.signal", {windows = require "tide.signal.windows"})
