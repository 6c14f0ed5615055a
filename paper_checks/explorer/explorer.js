"use strict";
// Attention maps, removals and spectra of the data that the page holds. Nothing is loaded and nothing is sent.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const form = byId("controls");
  const names = ["trained", "untrained"];
  const state = { layer: 0, head: 0, row: null, column: null };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const shown = () => ({
    text: Number(form.elements.text.value), model: form.elements.model.value, view: form.elements.view.value,
  });

  function element(tag, text, attributes) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes ?? {})) made.setAttribute(name, value);
    return made;
  }

  // A map is its lower triangle, row by row, in thousandths.
  const weight = (map, t, k) => map[(t * (t + 1)) / 2 + k] / 1000;
  const rowsOf = (map) => Math.round((Math.sqrt(8 * map.length + 1) - 1) / 2);
  const mapOf = (layer, head) => data.models[shown().model].maps[layer][head][shown().text];

  function rgb(hex) {
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  }

  function shade(value) {
    const strength = Math.min(1, Math.sqrt(Math.abs(value)));
    const [from, to] = [rgb(colour("--paper")), rgb(colour(value < 0 ? "--less" : "--more"))];
    return from.map((low, i) => Math.round(low + strength * (to[i] - low)));
  }

  function draw(canvas, map) {
    const T = rowsOf(map);
    canvas.width = canvas.height = T;
    const context = canvas.getContext("2d");
    const image = context.createImageData(T, T);
    const excess = shown().view === "excess";
    for (let t = 0; t < T; t++) {
      for (let k = 0; k <= t; k++) {
        const value = weight(map, t, k) - (excess ? 1 / (t + 1) : 0);
        image.data.set([...shade(value), 255], 4 * (t * T + k));
      }
    }
    context.putImageData(image, 0, 0);
  }

  function drawLarge() {
    const map = mapOf(state.layer, state.head);
    const small = document.createElement("canvas");
    draw(small, map);
    const [T, words] = [rowsOf(map), data.texts[shown().text]];
    const canvas = byId("map");
    const ratio = window.devicePixelRatio || 1;
    const size = Math.max(240, Math.min(640, canvas.parentElement.clientWidth));
    const margin = Math.min(90, size / 5);
    canvas.width = canvas.height = size * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.imageSmoothingEnabled = false;
    const cell = (size - margin) / T;
    context.drawImage(small, margin, margin, cell * T, cell * T);
    context.fillStyle = colour("--quiet");
    const high = Math.max(7, Math.min(13, cell * 0.85));
    context.font = `${high}px sans-serif`;
    context.textBaseline = "middle";
    // Where cells are lower than letters, as on a phone, every second or third word is written.
    for (let i = 0; i < T; i += Math.ceil(high / cell)) {
      const word = words[i].replace("\n", "⏎");
      context.textAlign = "right";
      context.fillText(word, margin - 4, margin + cell * (i + 0.5), margin - 6);
      context.save();
      context.translate(margin + cell * (i + 0.5), margin - 4);
      context.rotate(-Math.PI / 2);
      context.textAlign = "left";
      context.fillText(word, 0, 0, margin - 6);
      context.restore();
    }
    if (state.row !== null) {
      context.strokeStyle = colour("--ink");
      context.strokeRect(margin + cell * state.column, margin + cell * state.row, cell, cell);
    }
    canvas.geometry = { margin, cell, T, size };
  }

  function read(row, column) {
    const map = mapOf(state.layer, state.head);
    const T = rowsOf(map);
    [state.row, state.column] = [Math.min(T - 1, Math.max(0, row)), 0];
    state.column = Math.min(state.row, Math.max(0, column));
    const words = data.texts[shown().text];
    const value = weight(map, state.row, state.column);
    const even = 1 / (state.row + 1);
    byId("readout").textContent =
      `“${words[state.row]}” (${state.row}) to “${words[state.column]}” (${state.column}): ${value.toFixed(3)}; ` +
      `uniform ${even.toFixed(3)}, ${value >= even ? "+" : ""}${(value - even).toFixed(3)}`;
    drawLarge();
  }

  function profile() {
    const table = byId("profile");
    const head = element("tr");
    for (const title of ["Over all windows", "trained", "untrained", "uniform"]) head.append(element("th", title, { scope: "col" }));
    const rows = Object.keys(data.models.trained.profiles[0][0]).map((name) => {
      const row = element("tr");
      row.append(element("th", name.replace("_", " "), { scope: "row" }));
      for (const model of names) row.append(element("td", data.models[model].profiles[state.layer][state.head][name].toFixed(3), { class: "number" }));
      row.append(element("td", name in data.uniform ? data.uniform[name].toFixed(3) : "", { class: "number" }));
      return row;
    });
    const thead = element("thead");
    thead.append(head);
    const body = element("tbody");
    body.append(...rows);
    table.replaceChildren(thead, body);
  }

  function tiles() {
    const made = [];
    for (let layer = 0; layer < data.layers; layer++) {
      const row = element("div", undefined, { class: "layer", role: "group", "aria-label": `Layer ${layer}` });
      row.append(element("p", `Layer ${layer}`));
      made.push(row);
      for (let head = 0; head < data.heads; head++) {
        const on = layer === state.layer && head === state.head;
        const tile = element("button", `head ${head}`, {
          type: "button", class: "tile", "aria-pressed": on, "aria-label": `layer ${layer}, head ${head}`,
        });
        const canvas = document.createElement("canvas");
        draw(canvas, mapOf(layer, head));
        tile.append(canvas);
        tile.addEventListener("click", () => choose(layer, head));
        row.append(tile);
      }
    }
    const focused = byId("tiles").contains(document.activeElement);
    byId("tiles").replaceChildren(...made);
    if (focused) byId("tiles").querySelector('[aria-pressed="true"]').focus();
  }

  function bars() {
    const at = state.layer * data.heads + state.head;
    const words = data.texts[shown().text];
    const [base, without] = [0, 1 + at].map((one) => data.losses[shown().text][one]);
    pairs("bars", base, without, (t) => words[t + 1], (t) => `“${words[t + 1]}” after “${words[t]}”`);
    const mean = data.removal["by position"];
    const rises = data.removal.heads[at]["by position"];
    pairs("mean-bars", mean, mean.map((loss, t) => loss + rises[t]), (t) => t, (t) => `Position ${t}`);
  }

  // Two bars a position, the model's loss and that without the chosen head, with the numbers under the pointer.
  function pairs(id, base, without, label, where) {
    const removed = `layer ${state.layer}, head ${state.head}`;
    const most = Math.max(...base, ...without, 0.01);
    const told = byId(`${id}-readout`);
    byId(id).replaceChildren(...base.map((loss, t) => {
      const bar = element("div", undefined, { class: "bar", tabindex: 0 });
      const pair = element("div", undefined, { class: "pair" });
      for (const value of [loss, without[t]]) {
        const part = document.createElement("i");
        part.style.height = `${(100 * value) / most}%`;
        pair.append(part);
      }
      bar.append(pair, element("span", label(t)));
      const tell = () => {
        const rise = without[t] - loss;
        told.textContent = `${where(t)}: ${loss.toFixed(3)} nats, ${without[t].toFixed(3)} without ${removed} ` +
          `(${rise >= 0 ? "+" : ""}${rise.toFixed(3)})`;
      };
      bar.addEventListener("pointerenter", tell);
      bar.addEventListener("focus", tell);
      return bar;
    }));
    told.textContent = `Left bars: the model; right bars: without ${removed}.`;
  }

  function written() {
    const { beginning, written: texts } = data.written[shown().text];
    const after = texts[1 + state.layer * data.heads + state.head];
    const same = after.findIndex((word, i) => word !== texts[0][i]);
    const line = (title, words, from) => {
      const p = element("p");
      p.append(element("b", `${title}: `), element("span", beginning.join(" "), { class: "quiet" }), " ");
      p.append(from < 0 ? words.join(" ") : `${words.slice(0, from).join(" ")} `);
      if (from >= 0) p.append(element("mark", words.slice(from).join(" ")));
      return p;
    };
    byId("written").replaceChildren(
      line("The model", texts[0], -1),
      line(`Without layer ${state.layer}, head ${state.head}`, after, same),
      element("p", same < 0 ? "The same words." : `The same for ${same} words.`, { class: "quiet" }),
    );
  }

  function spectrum() {
    const space = "http://www.w3.org/2000/svg";
    const make = (tag, attributes) => {
      const made = document.createElementNS(space, tag);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      return made;
    };
    const [width, height, left, low] = [640, 260, 46, 34];
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Cumulative share of variance by number of components" });
    const curves = names.flatMap((model) => Object.entries(data.models[model].spectra).map(([kind, shares]) => ({ model, kind, shares })));
    const most = Math.max(...curves.map((curve) => curve.shares.length));
    const x = (i) => left + ((width - left - 10) * i) / most;
    const y = (share) => 10 + (height - low - 10) * (1 - share);
    const label = (text, at) => { const made = make("text", { "font-size": 12, fill: colour("--quiet"), ...at }); made.textContent = text; svg.append(made); };
    for (const share of [0, 0.5, 0.8, 1]) {
      svg.append(make("line", { x1: left, x2: width - 10, y1: y(share), y2: y(share), stroke: colour("--rule") }));
      label(`${100 * share}%`, { x: left - 6, y: y(share) + 4, "text-anchor": "end" });
    }
    label(`components, of ${most}`, { x: width - 10, y: height - 8, "text-anchor": "end" });
    for (const { model, kind, shares } of curves) {
      let total = 0;
      const points = [`${x(0)},${y(0)}`, ...shares.map((share, i) => `${x(i + 1)},${y((total += share))}`)];
      svg.append(make("polyline", { points: points.join(" "), fill: "none", "stroke-width": 2,
        stroke: colour(kind === "tokens" ? "--series-1" : "--series-2"), "stroke-dasharray": model === "trained" ? "" : "5 4" }));
    }
    const tell = (count) => {
      byId("spectrum-readout").textContent = `${count} components: ` + curves.map(({ model, kind, shares }) =>
        `${kind} ${model} ${(100 * shares.slice(0, count).reduce((a, b) => a + b, 0)).toFixed(0)}%`).join(", ");
    };
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * width;
      tell(Math.min(most, Math.max(1, Math.round(((at - left) / (width - left - 10)) * most))));
    });
    byId("spectrum").replaceChildren(svg);
    tell(Math.min(5, most));
  }

  function choose(layer, head) {
    [state.layer, state.head] = [layer, head];
    show();
  }

  function show() {
    byId("scale").textContent = shown().view === "raw"
      ? "Stronger colour is more weight; a row is what one position attends to, and sums to 1."
      : "Blue is more than uniform attention gives, orange less: an untrained head is nearly blank.";
    byId("chosen").textContent = `Layer ${state.layer}, head ${state.head}, ${shown().model}`;
    byId("map").setAttribute("aria-label", `Attention of layer ${state.layer}, head ${state.head}`);
    for (const row of document.querySelectorAll("#removal tbody tr"))
      row.classList.toggle("on", Number(row.dataset.head) === state.layer * data.heads + state.head);
    tiles();
    drawLarge();
    profile();
    bars();
    written();
  }

  const canvas = byId("map");
  canvas.addEventListener("pointermove", (event) => {
    const { margin, cell, T, size } = canvas.geometry;
    const box = canvas.getBoundingClientRect();
    const at = [event.clientY - box.top, event.clientX - box.left].map((p) => Math.floor(((p * size) / box.width - margin) / cell));
    if (at[0] >= 0 && at[0] < T && at[1] >= 0 && at[1] <= at[0]) read(at[0], at[1]);
  });
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!move) return;
    event.preventDefault();
    read((state.row ?? 0) + move[0], (state.column ?? 0) + move[1]);
  });
  for (const row of document.querySelectorAll("#removal tbody tr")) {
    const at = Number(row.dataset.head);
    const pick = () => choose(Math.floor(at / data.heads), at % data.heads);
    const name = row.querySelector("th");
    const button = element("button", name.textContent, { type: "button" });
    name.replaceChildren(button);
    row.addEventListener("click", pick);
  }
  form.addEventListener("input", () => { [state.row, state.column] = [null, null]; show(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("resize", drawLarge);
  form.hidden = byId("board").hidden = false;
  show();
  spectrum();
})();
