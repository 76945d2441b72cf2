-- Where a notebook's kernel puts its functions; empty where there is no notebook.
--
-- show(forms): shows a value. clear(): takes away what was shown, once there is more.
-- page(text): shows a help text beside the results.
return {}
