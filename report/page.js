"use strict";
// Whatever comes from the data becomes text: textContent, never markup.
(() => {
  const table = document.getElementById("deliberations");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const shown = document.getElementById("shown");
  const filters = ["find", "arm", "outcome"].map((id) => document.getElementById(id));
  let transcripts = null;

  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const unpack = async () => {
    const packed = document.getElementById("transcripts").textContent;
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };

  // What a model wrote comes as nested lists: a name of these, perhaps a number, and children. Nothing else is made.
  const known = new Set(["p", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "strong", "em", "s", "br",
    "hr", "table", "thead", "tbody", "tr", "th", "td"]);
  const own = { url: ["span", "url"], plain: ["div", "said"] };

  const grown = (node) => {
    if (typeof node === "string") return document.createTextNode(node);
    const [name, ...children] = node;
    const [made, kind] = own[name] ?? [known.has(name) ? name : "span"];
    const result = element(made, undefined, kind);
    if (typeof children[0] === "number") result.setAttribute("start", String(children.shift()));
    result.append(...children.map(grown));
    return result;
  };

  const tell = (cell, heading, where, said) => {
    const title = element("h4", heading);
    if (where) title.append(element("span", ` · ${where}`, "where"));
    const box = element("div", undefined, "model-text");
    if (typeof said === "string") box.append(element("p", said, "said"));
    else box.append(...said.map(grown));
    cell.append(title, box);
  };

  const open = async (row) => {
    const opened = element("tr", undefined, "opened");
    opened.id = `opened-${row.dataset.place}`;
    const cell = opened.insertCell();
    cell.colSpan = row.cells.length;
    row.after(opened);
    try {
      transcripts ??= unpack();
      const found = (await transcripts)[Number(row.dataset.place)];
      if (!found) {
        cell.append(element("p", "Its transcript is not in this file; the note above the table says where it is."));
        return;
      }
      const [question, verdict, turns] = found;
      tell(cell, "Question", "", question);
      tell(cell, "Verdict", "", verdict.length ? verdict : "none");
      for (const [who, where, text] of turns) tell(cell, who, where, text);
    } catch (error) {
      cell.append(element("p", `This browser cannot unpack the transcripts: ${error.message}`));
    }
  };

  const close = (row) => document.getElementById(`opened-${row.dataset.place}`)?.remove();

  const toggle = async (button) => {
    const row = button.closest("tr");
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    button.textContent = isOpen ? "+" : "−";
    if (isOpen) close(row); else await open(row);
  };

  const closeAll = () => {
    for (const button of body.querySelectorAll('button[aria-expanded="true"]')) toggle(button);
  };

  const filter = () => {
    closeAll();
    const [find, arm, outcome] = filters.map((one) => one.value.toLowerCase());
    let count = 0;
    for (const row of rows) {
      const fits = (!find || row.textContent.toLowerCase().includes(find))
        && (!arm || row.dataset.arm.toLowerCase() === arm)
        && (!outcome || row.dataset.outcome === outcome);
      row.hidden = !fits;
      if (fits) count += 1;
    }
    shown.textContent = `${count} of ${rows.length} shown`;
  };

  const sort = (heading) => {
    closeAll();
    const column = heading.cellIndex;
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const isNumber = heading.classList.contains("number");
    const order = (first, second) => {
      const [a, b] = [value(first), value(second)];
      if (a === "" || b === "") return (a === "") - (b === ""); // what is unknown stands last both ways
      const found = isNumber ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
      return down ? -found : found;
    };
    body.append(...rows.sort(order));
  };

  table.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.classList.contains("open")) toggle(button);
    else sort(button.closest("th"));
  });
  for (const one of filters) one.addEventListener("input", filter);
  for (const one of document.querySelectorAll(".scripted")) one.hidden = false;
  filter();
})();
