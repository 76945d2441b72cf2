-- tide.class(name, base): what scripts call; the library's own files take tide.internal.class.
return require "tide.internal.class"
