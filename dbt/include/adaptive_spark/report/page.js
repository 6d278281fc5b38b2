"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const list = byId("list");
  const nodes = [...list.children];
  const charts = JSON.parse(byId("charts").textContent);

  // Search, kinds and sorting.
  const search = byId("search"), kind = byId("kind"), sort = byId("sort");
  const texts = nodes.map((node) => node.dataset.search);

  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    nodes.forEach((node, at) => {
      const fits = (!kind.value || node.dataset.kind === kind.value) && words.every((word) => texts[at].includes(word));
      node.hidden = !fits;
      shown += fits;
    });
    byId("shown").textContent = `${shown.toLocaleString("en")} of ${nodes.length.toLocaleString("en")}`;
    byId("none").hidden = shown > 0 || nodes.length === 0;
  }

  const orders = {
    seconds: (one, other) => other.dataset.failed - one.dataset.failed || other.dataset.seconds - one.dataset.seconds,
    name: (one, other) => one.dataset.name < other.dataset.name ? -1 : one.dataset.name > other.dataset.name ? 1 : 0,
    happened: (one, other) => other.dataset.happened - one.dataset.happened || orders.seconds(one, other),
  };

  search.addEventListener("input", show);
  kind.addEventListener("change", show);
  sort.addEventListener("change", () => list.append(...[...nodes].sort(orders[sort.value])));
  search.form.addEventListener("submit", (event) => event.preventDefault());
  show();

  // A link to a node opens it, also where the search had hidden it. So does one to the meaning of the words.
  function openLinked() {
    const node = byId(location.hash.slice(1));
    if (!node || node.tagName !== "DETAILS") return;
    if (node.hidden) {
      search.value = kind.value = "";
      show();
    }
    node.open = true;
    node.scrollIntoView();
  }
  addEventListener("hashchange", openLinked);
  openLinked();

  // Charts are drawn when they are first seen; until then plotly is a text, which costs nothing.
  function plotly() {
    if (!window.Plotly) {
      const script = document.createElement("script");
      script.textContent = byId("plotly").textContent;
      document.head.append(script);
    }
    return window.Plotly;
  }

  // plotly takes tags in its texts for markup
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const wrapped = (text) => plain(text).replace(/(.{60}\S*)\s/g, "$1<br>");
  const colors = ["#2f73c4", "#b4560a", "#1d7f4e", "#7b5cc9", "#c43a7d", "#0b7f8c", "#936a10", "#c8403a", "#667080", "#5f7a12"];
  const common = {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "closest",
    font: { family: "system-ui, sans-serif", size: 12 }, hoverlabel: { align: "left", font: { size: 12 } },
  };

  function orderFigure({ runs, lines, conjuncts }, width) {
    const apart = Math.ceil(46 * runs.length / Math.max(width - 60, 100)); // labels that have room
    const days = runs.map((run, index) => (runs.length - 1 - index) % apart ? "" : `${run.slice(5, 10)}<br>${run.slice(11, 16)}`);
    const at = runs.map((_, index) => index);
    return {
      data: lines.map(({ written, text, color, places }) => ({
        x: at, y: places, mode: "lines+markers+text", text: places.map(() => `${written}`), hoverinfo: "text",
        hovertext: places.map((place, run) => `${wrapped(text)}<br>place ${place} of ${conjuncts}, in the SQL ${written}<br>${runs[run].replace("T", " ").replace("Z", " UTC")}`),
        line: { color: colors[color], width: 2, shape: "spline", smoothing: 0.4 }, marker: { color: colors[color], size: 20 },
        textfont: { color: "#ffffff", size: 11 }, cliponaxis: false,
      })),
      layout: {
        ...common, height: Math.min(70 + 30 * conjuncts, 900), margin: { l: 40, r: 20, t: 14, b: 44 }, dragmode: false,
        xaxis: { tickvals: at, ticktext: days, range: [-0.4, Math.max(runs.length - 0.6, 0.6)], fixedrange: true, showgrid: false, zeroline: false, tickangle: 0 },
        yaxis: { range: [conjuncts + 0.6, 0.4], tickmode: "linear", tick0: 1, dtick: conjuncts > 20 ? 5 : 1, fixedrange: true, zeroline: false },
      },
    };
  }

  const named = (bar) => bar.failed ? `✗ ${bar.name} (failed)` : bar.name;

  function timelineFigure({ bars }) {
    const failed = bars.filter((bar) => bar.failed);
    const label = (bar) => `${wrapped(named(bar))}<br>${bar.seconds.toFixed(2)} s, from second ${bar.from.toFixed(1)}`;
    const threads = [...new Set(bars.map((bar) => bar.thread))].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
    return {
      data: [{
        type: "bar", orientation: "h", base: bars.map((bar) => bar.from), x: bars.map((bar) => bar.seconds),
        y: bars.map((bar) => plain(bar.thread)), hoverinfo: "text", text: bars.map((bar) => bar.failed ? "" : plain(bar.name)), textposition: bars.length > 200 ? "none" : "inside", insidetextanchor: "start",
        insidetextfont: { color: "#ffffff", size: 11 }, textangle: 0, customdata: bars.map((bar) => bar.anchor),
        hovertext: bars.map(label),
        marker: { color: bars.map((bar) => bar.failed ? "#b3261e" : "#2f73c4"), pattern: { shape: bars.map((bar) => bar.failed ? "/" : ""), fgcolor: "#8c1d17", fillmode: "overlay" }, line: { width: 1 } },
      }, {
        // a mark of its own, since a node may have failed in no time
        type: "scatter", mode: "markers", x: failed.map((bar) => bar.from + bar.seconds / 2), y: failed.map((bar) => plain(bar.thread)), hoverinfo: "text",
        hovertext: failed.map(label), customdata: failed.map((bar) => bar.anchor), cliponaxis: false,
        marker: { symbol: "x", size: 12, color: "#ffffff", line: { width: 2, color: "#b3261e" } },
      }],
      layout: {
        ...common, uniformtext: { mode: "hide", minsize: 11 }, height: Math.min(90 + 34 * threads.length, 900), margin: { l: 10, r: 10, t: 10, b: 44 }, bargap: 0.25,
        xaxis: { title: { text: "seconds since the first node began", standoff: 8 }, zeroline: false, rangemode: "tozero" },
        yaxis: { type: "category", categoryorder: "array", categoryarray: threads.map(plain).reverse(), automargin: true, fixedrange: true },
      },
    };
  }

  function draw(place) {
    if (place.dataset.drawn) return;
    place.dataset.drawn = "yes";
    const key = place.dataset.chart;
    const { data, layout } = key === "timeline" ? timelineFigure(charts[key]) : orderFigure(charts[key], place.clientWidth);
    plotly().newPlot(place, data, layout, { displayModeBar: false, responsive: true }).then(() => {
      place.on("plotly_click", ({ points }) => {
        if (points[0].customdata) location.hash = points[0].customdata;
      });
    });
  }

  document.addEventListener("toggle", ({ target }) => {
    if (target.open) target.querySelectorAll(".chart").forEach(draw);
  }, true);
  document.querySelectorAll("details[open] .chart").forEach(draw);
})();
