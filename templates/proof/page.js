// Nothing here is needed to read the page: it adds a filter, and says at once what a cell means.
"use strict";
(() => {
  const matrix = document.querySelector(".matrix");
  const readout = document.getElementById("readout");
  const filter = document.getElementById("filter");
  const found = document.getElementById("found");
  const rows = [...matrix.querySelectorAll("tr[id]")];

  document.querySelector(".tools").hidden = false;
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    const shown = rows.filter((row) => !row.hidden).length;
    found.textContent = wanted ? `${shown} of ${rows.length}` : "";
  });

  const mark = (cell, on) => {
    const place = cell.cellIndex + 1;
    for (const one of cell.closest("table").querySelectorAll(`tr > :nth-child(${place})`)) {
      one.classList.toggle("pointed", on);
    }
  };
  let pointed = null;
  const point = (cell) => {
    if (cell === pointed) return;
    if (pointed) mark(pointed, false);
    pointed = cell;
    if (cell) mark(cell, true);
    readout.hidden = !cell;
    readout.textContent = cell ? cell.dataset.says : "";
  };
  for (const cell of matrix.querySelectorAll("td[title]")) {
    cell.dataset.says = cell.title;
    cell.removeAttribute("title");
  }
  matrix.addEventListener("pointerover", (event) => point(event.target.closest("td[data-says]")));
  matrix.addEventListener("pointerleave", () => point(null));
  matrix.addEventListener("click", (event) => {
    const cell = event.target.closest("td[data-says]");
    const details = cell && cell.closest("tr").querySelector("details");
    if (details) details.open = !details.open;
  });

  // A link to a row, and paper, need to see what is folded away.
  const reveal = () => {
    const row = rows.find((one) => `#${one.id}` === location.hash);
    if (!row) return;
    row.closest(".group").open = true;
    const details = row.querySelector("details");
    if (details) details.open = true;
    row.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details.group")) details.open = true;
  });
})();
