// The page is whole without this. Here is what moves: one part at a time, the turns of a fixture, and new versions.
// The place in the page stands in the address: #VIEW, #fixtures/ID/TURN, #handout/FILE or #spec/LINE.
"use strict";
(() => {
  const find = (selector, inside = document) => inside.querySelector(selector);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const views = ["loop", "fixtures", "handout", "rubric", "spec"];
  const scrolled = new Map();
  const chosen = { fixtures: "", turn: 1, handout: "" };
  let view = "";

  document.documentElement.classList.add("js");

  // --- what is shown ---

  const decode = (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  const place = () => {
    const [name, ...rest] = location.hash.slice(1).split("/").map(decode);
    return views.includes(name) ? [name, ...rest] : [view || (runs().length ? "loop" : "spec")];
  };
  const go = (...parts) => {
    history.replaceState(null, "", `#${parts.map(encodeURIComponent).join("/")}`);
    show();
  };
  const current = (link, is) => (is ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));

  const show = () => {
    const [name, first, second] = place();
    if (name === "fixtures") showRun(first ?? chosen.fixtures, Number(second ?? (first === undefined ? chosen.turn : 1)));
    if (name === "handout") showDocument(first ?? chosen.handout);
    for (const section of all("[data-view]")) section.hidden = section.dataset.view !== name;
    for (const link of all("[data-leads]")) current(link, link.dataset.leads === name);
    if (name !== view) {
      scrolled.set(view, scrollY);
      view = name;
      scrollTo({ top: scrolled.get(name) ?? 0, behavior: "instant" });
    }
    if (name === "spec" && first) showLine(first);
  };

  const runs = () => all("[data-run]");
  const run = () => runs().find((one) => one.dataset.run === chosen.fixtures);
  const turns = () => (run() ? all("[data-turn]", run()).map((one) => Number(one.dataset.turn)) : []);

  const showRun = (id, turn) => {
    const known = runs().some((one) => one.dataset.run === id);
    chosen.fixtures = known ? id : (runs()[0]?.dataset.run ?? "");
    const last = turns().at(-1) ?? 1;
    chosen.turn = known ? Math.min(Math.max(turn || 1, 1), last) : 1;
    if (!turns().includes(chosen.turn)) chosen.turn = turns().find((one) => one > chosen.turn) ?? last;
    for (const one of runs()) one.hidden = one.dataset.run !== chosen.fixtures;
    for (const link of all("[data-run-link]")) {
      const is = link.dataset.runLink === chosen.fixtures;
      if (is && !link.hasAttribute("aria-current")) into(link, find("#runs"));
      current(link, is);
    }
    if (run()) showTurn();
  };

  const showTurn = () => {
    const told = find("#told");
    for (const one of all("[data-turn]", run())) {
      one.hidden = Number(one.dataset.turn) !== chosen.turn;
      if (!one.hidden && told.textContent !== one.dataset.summary) told.textContent = one.dataset.summary;
    }
    for (const link of all("[data-turn-link]", run())) {
      const is = Number(link.dataset.turnLink) === chosen.turn;
      if (is) into(link, find(".strip", run()));
      current(link, is);
    }
    for (const button of all("[data-step]", run())) button.disabled = next(Number(button.dataset.step)) === undefined;
  };

  /** Moves a box so that one of its items is in sight, and nothing else. */
  const into = (item, box) => {
    const [inner, outer] = [item.getBoundingClientRect(), box.getBoundingClientRect()];
    box.scrollTop += Math.min(inner.top - outer.top - 8, 0) + Math.max(inner.bottom - outer.bottom + 8, 0);
    box.scrollLeft += Math.min(inner.left - outer.left - 8, 0) + Math.max(inner.right - outer.right + 8, 0);
  };

  const showDocument = (file) => {
    const files = all("[data-document]");
    const known = files.find((one) => one.dataset.document === file) ?? files[0];
    chosen.handout = known?.dataset.document ?? "";
    for (const one of files) one.hidden = one !== known;
    for (const link of all("[data-document-link]")) current(link, link.dataset.documentLink === chosen.handout);
  };

  const showLine = (anchor) => {
    for (const line of all(".line.pointed")) line.classList.remove("pointed");
    const line = all("[data-line]").find((one) => one.dataset.line === anchor);
    if (!line) return;
    line.classList.add("pointed");
    line.scrollIntoView({ block: "center", behavior: "instant" });
    const note = line.nextElementSibling;
    if (note?.matches("[data-finding]")) note.focus({ preventScroll: true });
  };

  // --- steps ---

  const next = (by) => turns()[turns().indexOf(chosen.turn) + by];
  const step = (by) => {
    const turn = next(by);
    if (turn !== undefined) go("fixtures", chosen.fixtures, turn);
  };
  const otherRun = (by) => {
    if (view !== "fixtures") return go("fixtures");
    const ids = runs().map((one) => one.dataset.run);
    const id = ids[ids.indexOf(chosen.fixtures) + by];
    if (id !== undefined) go("fixtures", id, 1);
  };
  const otherFinding = (by) => {
    const notes = all("[data-finding]");
    if (!notes.length) return;
    const here = notes.indexOf(document.activeElement);
    go("spec");
    const note = notes[here < 0 ? (by > 0 ? 0 : notes.length - 1) : (here + by + notes.length) % notes.length];
    note.scrollIntoView({ block: "center", behavior: "instant" });
    note.focus({ preventScroll: true });
  };

  const keys = {
    ArrowRight: () => view === "fixtures" && step(1),
    ArrowLeft: () => view === "fixtures" && step(-1),
    j: () => otherRun(1),
    k: () => otherRun(-1),
    n: () => otherFinding(1),
    p: () => otherFinding(-1),
    "?": () => find("#keys").showModal(),
  };
  const shifted = {
    ArrowRight: () => view === "fixtures" && go("fixtures", chosen.fixtures, turns().at(-1) ?? 1),
    ArrowLeft: () => view === "fixtures" && go("fixtures", chosen.fixtures, 1),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || find("#keys").open) return;
    const act = (event.shiftKey && shifted[event.key]) || keys[event.key] || (views[event.key - 1] && (() => go(views[event.key - 1])));
    if (!act) return;
    event.preventDefault();
    act();
  });
  addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.step) step(Number(button.dataset.step));
    if (button?.id === "show-keys") find("#keys").showModal();
  });
  addEventListener("hashchange", show);

  // --- new versions ---

  const parts = (inside) => new Map(all("[data-part]", inside).map((part) => [part.dataset.part, part]));
  const asServed = new Map([...parts(document)].map(([name, part]) => [name, part.innerHTML]));

  /** What the reader has done to the page, to be done to its next version. */
  const keep = () => {
    const focused = document.activeElement;
    const id = focused?.id && `#${CSS.escape(focused.id)}`;
    const link = focused?.getAttribute("href") && `a[href="${CSS.escape(focused.getAttribute("href"))}"]`;
    const button = focused?.dataset.step && `[data-run="${CSS.escape(chosen.fixtures)}"] [data-step="${focused.dataset.step}"]`;
    const open = all("details[id]").filter((one) => one.open).map((one) => one.id);
    const boxes = all("[data-scrolls]").map((one) => [one.id, one.scrollTop]);
    const top = scrollY;
    return () => {
      for (const one of open) document.getElementById(one)?.setAttribute("open", "");
      show();
      for (const [box, at] of boxes) document.getElementById(box)?.scrollTo({ top: at, behavior: "instant" });
      const again = id || link || button;
      if (again && !document.contains(focused)) find(again)?.focus({ preventScroll: true });
      scrollTo({ top, behavior: "instant" });
    };
  };

  const replace = (served) => {
    const restore = keep();
    const old = parts(document);
    for (const [name, part] of parts(served)) {
      const html = part.innerHTML;
      if (asServed.get(name) === html) continue;
      asServed.set(name, html);
      old.get(name).replaceChildren(...part.childNodes);
    }
    document.title = served.title;
    document.documentElement.dataset.revision = served.documentElement.dataset.revision;
    restore();
  };

  const live = (state, says) => {
    const mark = find("#live");
    mark.className = `live ${state}`;
    mark.textContent = says;
  };
  let wanted = "";
  let busy = false;
  const refresh = async () => {
    if (busy) return;
    busy = true;
    try {
      while (wanted !== document.documentElement.dataset.revision) {
        const answer = await fetch("/", { cache: "no-store" });
        const served = new DOMParser().parseFromString(await answer.text(), "text/html");
        wanted = served.documentElement.dataset.revision;
        if (!answer.ok || !wanted) throw new Error("another program answers here");
        replace(served);
      }
      live("", "as saved");
    } catch {
      live("lost", "not connected");
    } finally {
      busy = false;
    }
  };

  // A tab in the background lets go: browsers open only a few connections to one place.
  let changes = null;
  const listen = () => {
    changes?.close();
    changes = document.hidden ? null : new EventSource("/changes");
    if (!changes) return;
    changes.onmessage = ({ data }) => {
      const { revision, checking } = JSON.parse(data);
      wanted = revision;
      if (checking) live("checking", "checking");
      else refresh();
    };
    changes.onerror = () => live("lost", "not connected");
  };
  addEventListener("visibilitychange", listen);

  show();
  listen();
})();
