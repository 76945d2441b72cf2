-- Where a notebook's kernel puts its functions; empty where there is no notebook.
--
-- show(forms, id, again): shows a value; with an id it can be shown again later, in the place of the
-- one before. clear(): takes away what was shown, once there is more.
-- page(text): shows a help text beside the results.
return {}
