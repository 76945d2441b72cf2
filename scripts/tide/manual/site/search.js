// The search: looks for all words in the index, best fits first. Needs no server.
(() => {
  const field = document.getElementById("search");
  const results = document.getElementById("results");
  const kMost = 30;
  let rows;
  let chosen = -1;

  // As in the terminal: a name counts more than a part of one, and that more than text.
  function scoreOf(row, words) {
    let sum = 0;
    for (const word of words) {
      const last = row.name.slice(Math.max(row.name.lastIndexOf("."), row.name.lastIndexOf(":")) + 1);
      if (last === word || row.name === word) sum += 12;
      else if (last.includes(word)) sum += 6 * (0.5 + (0.5 * word.length) / last.length);
      else if (row.name.includes(word)) sum += 4;
      else if (row.text.includes(word)) sum += row.text.indexOf(word) < 80 ? 3 : 1;
      else return 0;
    }
    const phrase = words.join(" ");
    return words.length > 1 && row.text.includes(phrase) ? sum + 3 : sum;
  }

  function prepare() {
    rows = rows || window.tideIndex.map(([title, address, text]) => (
      {title, address, about: text, name: title.toLowerCase(), text: text.toLowerCase()}));
    return rows;
  }

  function find(query) {
    const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
    if (words.length === 0) return [];
    const found = [];
    for (const row of prepare()) {
      const score = scoreOf(row, words);
      if (score > 0) found.push({row, score});
    }
    found.sort((a, b) => b.score - a.score || a.row.title.length - b.row.title.length);
    return found.slice(0, kMost).map((one) => one.row);
  }

  function show() {
    const found = find(field.value);
    chosen = -1;
    results.replaceChildren();
    for (const row of found) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = row.address;
      link.append(row.title);
      const about = document.createElement("small");
      about.textContent = row.about.trim().slice(0, 120);
      link.append(about);
      item.append(link);
      results.append(item);
    }
    if (found.length === 0 && field.value.trim() !== "") {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "Nothing found";
      results.append(none);
    }
    results.hidden = field.value.trim() === "";
  }

  function choose(step) {
    const links = results.querySelectorAll("a");
    if (links.length === 0) return;
    if (chosen >= 0) links[chosen].classList.remove("chosen");
    chosen = (chosen + step + links.length) % links.length;
    links[chosen].classList.add("chosen");
    links[chosen].scrollIntoView({block: "nearest"});
  }

  field.addEventListener("input", show);
  field.addEventListener("focus", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(1);
    else if (event.key === "ArrowUp") choose(-1);
    else if (event.key === "Escape") { field.value = ""; show(); field.blur(); }
    else if (event.key === "Enter") {
      const links = results.querySelectorAll("a");
      const link = links[Math.max(chosen, 0)];
      if (link) { results.hidden = true; window.location.href = link.href; }
    } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement;
    if (event.key === "/" && !typing) { field.focus(); event.preventDefault(); }
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search") || event.target.closest("#results a")) results.hidden = true;
  });
  // The list of pages is open where there is room for it.
  const contents = document.querySelector("nav details");
  const wide = window.matchMedia("(min-width: 50.01rem)");
  const adapt = () => { contents.open = wide.matches; };
  wide.addEventListener("change", adapt);
  adapt();
  // A query in the address, as in index.html?q=softmax.
  const query = new URLSearchParams(window.location.search).get("q");
  if (query) { field.value = query; show(); }
})();
