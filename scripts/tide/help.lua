-- tide.help: the text of the reference on a name, a topic or a value.
return require "tide.reference.help"
