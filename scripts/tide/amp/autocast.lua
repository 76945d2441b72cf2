-- amp.autocast: the same as tide.autocast.
return require("tide").autocast
