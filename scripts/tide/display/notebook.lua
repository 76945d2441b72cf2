-- Functions that a notebook's kernel sets; empty if there is no notebook.
--
-- show(forms, id, again): shows a value; with an id a later call can replace it. clear(): removes
-- the previous output when more is shown. page(text): shows a help text next to the results.
return {}
