// <clock-dials>: rotary position embedding as a board of dials.
// Dial i turns its pair of coordinates by position * theta_i, counterclockwise
// from 3 o'clock (the +x axis). Two hands: the query at m, the key at n. The
// arc from query to key, (n - m) theta_i, is all that q^T R_{n-m} k can see.
// A plain script, for file:// and notebook output; a second copy does nothing.
// Its children are a static picture, for pages without scripts.
(() => {
if (customElements.get("clock-dials")) return;

const TAU = 2 * Math.PI, LIMIT = 2 ** 53, FEW = 16, BEAT = 800, QUIET = 300;

// The arithmetic: pure functions, in rad and tokens.
const list = (length, item) => Array.from({ length }, (_, i) => item(i));
const invFreq = (d, base) => list(d / 2, (i) => base ** (-2 * i / d));
const angles = (place, rates) => rates.map((theta) => place * theta);
const pairs = (d, layout) => list(d / 2, (i) =>
  (layout === "half" ? [i, i + d / 2] : [2 * i, 2 * i + 1]));
const wavelength = (theta) => TAU / Math.abs(theta);
const wrap = (angle) => { // into (-pi, pi]
  const a = Math.atan2(Math.sin(angle), Math.cos(angle));
  return a === -Math.PI ? Math.PI : a;
};
// The whole position nearest to a hand at `angle`, by the smallest turn.
const reach = (place, theta, angle) => (theta === 0 ? place
  : Math.round(place + wrap(angle - place * theta) / theta) + 0);
const spread = (count, most) => { // evenly, first and last among them
  const shown = Math.min(count, most), step = (count - 1) / (shown - 1 || 1);
  return list(shown, (j) => Math.round(j * step));
};

// Scaling methods come in a script of their own, with boards that show them.
const methods = () => ({ Default: (rates) => rates,
  ...globalThis.clockDialsMethods });

// The address is #id:m=3&n=0;other:m=5. Any other hash is an anchor.
const split = (hash, id) => [hash.slice(1).split(";"), id + ":"];
const fromHash = (hash, id) => {
  const [parts, own] = split(hash, id);
  const part = parts.find((s) => s.startsWith(own))?.slice(own.length);
  return part && Object.fromEntries(new URLSearchParams(part));
};
const intoHash = (hash, id, values) => {
  const [parts, own] = split(hash, id);
  const others = parts.filter((s) => /:.*=/.test(s) && !s.startsWith(own));
  return "#" + [...others, own + new URLSearchParams(values)].join(";");
};

const LAYOUTS = ["interleaved", "half"];
const PLACE = [(v) => Math.abs(v) <= LIMIT, "a number, −2⁵³ to 2⁵³"];
const RULES = { // what is right for each part of the state, in code and words
  m: PLACE,
  n: PLACE,
  d: [(v) => v > 0 && v <= 1024 && v % 2 === 0, "an even number, 2 to 1024"],
  base: [(v) => v > 1 && v < Infinity, "a finite number above 1"],
  layout: [(v) => LAYOUTS.includes(v), LAYOUTS.join(" or ")],
  method: [(v) => v in methods(), "one of the list"],
  factor: [(v) => v >= 1 && v < Infinity, "a finite number, 1 or more"],
  original_length: [(v) => v >= 1 && v % 1 === 0 && v <= LIMIT,
    "a whole number, 1 to 2⁵³"],
};

// Short enough for two dials side by side on a phone.
const minus = (s) =>
  s.replace(/^-(?=[0.]+$)/, "").replace("+", "").replaceAll("-", "−");
const short = (x) => (x === Infinity ? "∞" : minus(x < 1e7
  ? String(Number(x.toPrecision(5))) : x.toExponential(4)));
const radians = (x) => minus(Math.abs(x) < 1e3 ? x.toFixed(4)
  : Math.abs(x) < 1e7 ? x.toPrecision(8) : x.toExponential(4));

// The picture: a square of 180 units around the axle; the ticks are dashes.
const COLORS = ["#B5528B", "#00876C", "#8F6B00", "#6F6FCE"];
const hand = (key, r) => `<line class="hand" x2="${r - 6}"/>
  <circle class="end" cx="${r}" r="6"/>
  <line class="hit" data-hand="${key}" x1="14" x2="${r + 9}"/>`;
const dial = ({ i, pair }, color) => `
  <figure data-i="${i}" style="--arc:${color}">
  <svg viewBox="-90 -90 180 180" aria-hidden="true"><circle class="rim" r="88"/>
  <circle class="ticks" r="84" pathLength="48"/>
  <g class="q"><path class="arc"/>${hand("m", 74)}</g>
  <g class="k">${hand("n", 54)}</g><circle class="axle" r="3"/></svg>
  <figcaption><b>dial ${i}</b> (${pair.join(", ")})</figcaption>
  <dl><dt><i>θ</i><dd><dt><i>λ</i><dd><dt><i>mθ</i><dd><dt><i>nθ</i><dd>
  <dt>(<i>n</i>−<i>m</i>)<i>θ</i><dd><dt>arc<dd></dl></figure>`;

const number = (key) =>
  `<input id="${key}" type="number" step="any" aria-errormessage="error">`;
const slider = (key, hue, mark, name) => `<div class="row ${hue}"><label>
  <span><b aria-hidden="true">${mark}</b> ${name} <i>${key}</i></span>
  ${number(key)}</label>
  <input id="${key}-slider" type="range" aria-label="${name} ${key}"></div>`;
const BODY = `<div id="board" role="group" tabindex="0" aria-describedby="say"
  aria-label="Clock dials: arrow keys move m, with Shift by 10; Home resets">
  </div><p id="say" aria-live="polite"></p>
  ${slider("m", "q", "●", "query position")}
  ${slider("n", "k", "○", "key position")}
  <div class="row"><button id="back"><i>m</i> − 1</button>
  <button id="play">Play</button><button id="on"><i>m</i> + 1</button>
  <label><input id="lock" type="checkbox">lock <i>n − m</i></label>
  <label><input id="all" type="checkbox">all dials</label></div>
  <div class="row" id="setup"><label class="free">model
  <select id="preset"><option>custom</select></label>
  <label class="free">width <i>d</i>${number("d")}</label>
  <label class="free">base <i>b</i>${number("base")}</label>
  <label>layout <select id="layout">
  <option>${LAYOUTS.join("<option>")}</select></label></div>
  <div class="row" id="scaling"><label>method <select id="method">
  </select></label><label>factor <i>s</i>${number("factor")}</label>
  <label>original length <i>L</i>${number("original_length")}</label></div>
  <p id="error" role="alert"></p><p class="note" id="about"></p>
  <p class="note">Counterclockwise from 3 o’clock, the +x axis, in rad; <i>θ</i> in
  rad per token, wavelength <i>λ</i> in tokens. The arc runs from query to key:
  (<i>n</i>−<i>m</i>)<i>θ</i> taken into (−π, π].</p>`;

const THUMB = `{ appearance: none; box-sizing: border-box; width: 26px;
    height: 26px; border: 5px solid transparent; border-radius: 50%;
    background: var(--c) padding-box }`;
const STYLE = `
  :host { display: block; max-width: 46rem; margin: 1.5em auto;
    --line: color-mix(in srgb, currentColor 60%, transparent);
    line-height: 1.4; font-variant-numeric: tabular-nums }
  :host([hidden]), [hidden], :host([compact]) :is(#setup, #scaling, .note),
  :host([inv-freq]) .free, :host(:not([scaling])) #scaling {
    display: none !important }
  .q { --c: #0072B2 } .k { --c: #D55E00 }
  #board, .row, label { display: flex; align-items: center; gap: .5em }
  #board, .row { flex-wrap: wrap; gap: .5em 1em; font-size: .9em }
  #board { justify-content: center; gap: 1.5em 4%; margin: 1em 0;
    border-radius: .2em }
  .row { margin: .5em 0 }
  figure { margin: 0; flex: 0 0 max(9.4em, 22%); max-width: 46%; min-width: 0 }
  svg { display: block } svg, figcaption, dl { max-width: 12em; margin: auto }
  svg * { fill: none; stroke: var(--s, currentColor); stroke-width: 1.2 }
  .rim, .ticks { --s: var(--line) } svg .axle { fill: currentColor }
  svg .ticks { stroke-width: 7; stroke-dasharray: .1 5.9 }
  svg .arc { --s: var(--arc); fill: var(--arc); fill-opacity: .16 }
  .hand, .end { --s: var(--c) } svg .q .end { fill: var(--c) }
  svg :is(.arc, .hand, .end) { stroke-width: 2.6 }
  svg .hit { --s: transparent; stroke-width: 26px; cursor: grab;
    vector-effect: non-scaling-stroke; touch-action: none }
  figcaption, dl { display: grid; grid-template-columns: auto 1fr;
    text-align: right; margin-top: .5em; font-size: .95em }
  figcaption { border-bottom: 1px solid var(--line) }
  dt { text-align: left } dd { margin: 0 } dd:last-child { font-weight: 700 }
  span { width: 10em } span b { color: var(--c) }
  button, select, input { font: inherit; color: inherit; margin: 0;
    box-sizing: border-box; min-height: 2em; accent-color: #0072B2 }
  button, select, [type=number] { background: none; min-width: 5em;
    border: 1px solid var(--line); border-radius: .4em }
  option { color: CanvasText; background: Canvas }
  [type=number] { width: 6.5em; text-align: right }
  [type=checkbox] { width: 24px; min-height: 24px }
  [type=range] { flex: 1 1 12em; appearance: none; background:
    linear-gradient(var(--line) 0 0) center / 100% 2px no-repeat }
  ::-webkit-slider-thumb ${THUMB} ::-moz-range-thumb ${THUMB}
  [aria-invalid=true] { outline: 2px dashed } p { font-size: .8em }
  :focus-visible { outline: 2px solid; outline-offset: 3px }
  #say { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%) }`;

class ClockDials extends HTMLElement {
  static observedAttributes = ["m", "n", "rotary-dim", "base", "layout",
    "presets", "inv-freq", "scaling"];
  #now = { m: 3, n: 0, d: 8, base: 10000, layout: "interleaved",
    method: "Default", factor: 8, original_length: 4096 };
  #root = this.attachShadow({ mode: "open" });
  #$ = (id) => this.#root.getElementById(id);
  #more = {}; #bad = {}; #presets = []; #given = null;
  #live = false; #beat = 0; #quiet;

  constructor() {
    super();
    this.#root.innerHTML = `<style>${STYLE}</style>${BODY}`;
    this.#listen();
  }
  connectedCallback() {
    this.#live = true;
    this.#build();
    this.#say();
    addEventListener("hashchange", this.#visit);
    if (this.#visit()) this.scrollIntoView({ block: "nearest" });
  }
  disconnectedCallback() {
    removeEventListener("hashchange", this.#visit);
    this.#play(false);
    clearTimeout(this.#quiet);
  }
  attributeChangedCallback(name, _, text) {
    if (name === "presets") this.#offer(JSON.parse(text));
    else if (name === "inv-freq") this.#given = JSON.parse(text);
    else if (name === "scaling") this.#take(JSON.parse(text));
    else this.#accept({ [name === "rotary-dim" ? "d" : name]: text ?? "" });
    if (this.#live) this.#build();
  }
  #offer(presets) {
    this.#presets = presets?.map((p) =>
      ({ method: "Default", ...p, d: p.rotary_dim })) ?? [];
    this.#$("preset").replaceChildren(new Option("custom"),
      ...this.#presets.map(({ name }) => new Option(name)));
  }

  // The state: every change, wherever it comes from, passes through accept.
  get state() {
    const d = 2 * this.invFreq.length, lock = this.#$("lock").checked;
    return { ...this.#now, d, lock, playing: this.#beat !== 0 };
  }
  set state(values) {
    this.#accept(values);
  }
  get invFreq() {
    const p = { ...this.#more, ...this.#now };
    p.length = Math.floor(Math.max(p.m, p.n)) + 1;
    return this.#given ?? methods()[p.method](invFreq(p.d, p.base), p);
  }
  angles() {
    const { m, n, d, layout } = this.state, rates = this.invFreq;
    // n - m first: between whole numbers the arc is then the same to a bit.
    const [query, key, raw] = [m, n, n - m].map((p) => angles(p, rates));
    return pairs(d, layout).map((pair, i) => ({
      i, pair, theta: rates[i], wavelength: wavelength(rates[i]),
      query: query[i], key: key[i], raw: raw[i], arc: wrap(raw[i]),
    }));
  }
  #take(settings) { // of a method or a model, also those without a field
    const names = Object.keys(methods()).map((name) => new Option(name));
    this.#$("method").replaceChildren(...names);
    this.#more = settings;
    this.#accept(settings);
  }
  #judge([key, text]) {
    const empty = String(text).trim() === "", [right, words] = RULES[key];
    const word = key === "layout" || key === "method";
    const value = word ? text : empty ? NaN : Number(text) + 0;
    delete this.#bad[key];
    if (right(value)) return [[key, value]];
    this.#bad[key] = `${key} must be ${words}${empty ? "" : `, not ${text}`}. `;
    return [];
  }
  #accept(values) {
    const asked = Object.entries(values).filter(([key]) => key in RULES);
    const good = Object.fromEntries(asked.flatMap((one) => this.#judge(one)));
    Object.assign(this.#now, this.#near(good));
    if (!this.invFreq) {
      this.#bad.method = `${this.#now.method} does not fit d, b and L. `;
      this.#now.method = "Default";
    }
    if (!this.#live) return;
    if (good.d || good.base || good.layout) this.#build();
    else this.#show();
    this.#settle();
  }
  #near(good) { // a rounded n - m would be the offset of another key
    const { m, n } = { ...this.#now, ...good }, far = Math.abs(n - m);
    if (far < LIMIT || (far === LIMIT && n - m + m === n)) return good;
    this.#bad["m" in good ? "m" : "n"] = `n − m must be −2⁵³ to 2⁵³. `;
    return { ...good, m: this.#now.m, n: this.#now.n };
  }
  #move(key, text) { // locked, m and n go together
    const other = { m: "n", n: "m" }[key], by = text - this.#now[key];
    const along = other && text !== "" && this.#$("lock").checked;
    const rest = along && { [other]: this.#now[other] + by };
    this.#accept({ [key]: text, ...rest });
  }
  #choose(name) {
    this.#$("preset").value = name;
    this.#take(this.#presets.find((p) => p.name === name) ?? {});
  }
  #step(by) {
    this.#move("m", this.#now.m + by);
  }
  #visit = () => {
    const values = this.id && fromHash(location.hash, this.id);
    if (values?.model) this.#choose(values.model);
    if (values) this.#accept(values);
    return values;
  };
  // Once the hands rest: tell the screen reader and the address bar.
  #settle() {
    this.dispatchEvent(new CustomEvent("dialschange", { bubbles: true }));
    clearTimeout(this.#quiet);
    if (this.#beat) return;
    this.#quiet = setTimeout(() => (this.#say(), this.#address()), QUIET);
  }
  #address() {
    const { method, factor, original_length, ...plain } = this.#now;
    const model = this.#$("preset").value, all = { ...this.#now, model };
    const hash = intoHash(location.hash, this.id,
      this.hasAttribute("scaling") ? all : plain);
    // A sandboxed frame may refuse; the dials do not need the address.
    try { if (this.id) history.replaceState(null, "", hash); } catch {}
  }
  #say() {
    const { m, n } = this.#now, all = this.angles();
    const arcs = spread(all.length, 4)
      .map((i) => `dial ${i}, ${radians(all[i].arc)}`).join("; ");
    this.#$("say").textContent =
      `Query at ${m}, key at ${n}, ${all.length} dials. Arcs in rad: ${arcs}.`;
  }

  // Drawing.
  #build() {
    const all = this.angles(), most = this.#$("all").checked ? Infinity : FEW;
    const color = (i) => (all.length > 4 ? "currentColor" : COLORS[i]);
    this.#$("board").innerHTML = spread(all.length, most)
      .map((i) => dial(all[i], color(i))).join("");
    this.#$("all").parentNode.hidden = all.length <= FEW;
    this.#show();
  }
  #show() {
    const all = this.angles();
    for (const el of this.#$("board").children) {
      const { i, pair, ...values } = all[el.dataset.i];
      const cells = el.querySelectorAll("dd"); // rate and wavelength lead
      Object.values(values).forEach((value, row) => {
        cells[row].textContent = (row < 2 ? short : radians)(value);
      });
    }
    this.#turn();
    Object.keys(RULES).forEach((key) => this.#field(key));
    this.#$("error").textContent = Object.values(this.#bad).join("");
    this.#model();
  }
  #turn(late = 0) { // late: the part of a beat that the query has still to go
    const rates = this.invFreq, both = this.#$("lock").checked ? late : 0;
    const m = this.#now.m - late, n = this.#now.n - both;
    for (const el of this.#$("board").children) {
      const t = rates[el.dataset.i];
      const set = (part, ...to) => el.querySelector(part).setAttribute(...to);
      set(".q", "transform", `rotate(${-wrap(m * t) * 360 / TAU})`);
      set(".k", "transform", `rotate(${-wrap(n * t) * 360 / TAU})`);
      set(".arc", "d", this.#sector(34, wrap((n - m) * t)));
    }
  }
  #sector(r, arc) { // from the query's hand; y points down in SVG
    const [x, y] = [r * Math.cos(arc), -r * Math.sin(arc)];
    return `M0 0H${r}A${r} ${r} 0 0 ${arc > 0 ? 0 : 1} ${x} ${y}Z`;
  }
  #field(key) {
    const bad = key in this.#bad, range = this.#$(`${key}-slider`);
    if (!bad) this.#$(key).value = this.#now[key];
    this.#$(key).setAttribute("aria-invalid", bad);
    if (range) this.#slide(range, this.#now[key]);
  }
  #slide(range, value) { // a scale must not shrink under the finger
    const { m, n } = this.#now, held = range.matches(":active, :focus");
    const min = Math.min(held ? range.min : 0, m, n);
    const max = Math.max(held ? range.max : 100, m, n);
    Object.assign(range, { min, max, value, ariaValueText: value });
  }
  #model() { // a preset stays chosen while the numbers are still its own
    const menu = this.#$("preset"), p = this.#presets[menu.selectedIndex - 1];
    const same = p && Object.entries(this.#now).every(([key, value]) =>
      (p[key] ?? value) === value);
    if (!same) menu.selectedIndex = 0;
    this.#$("about").textContent = same ? `Trained length: `
      + `${p.trained_length ?? "none"}. Source: ${p.source}.` : "";
  }

  // The controls.
  #listen() {
    const on = (ids, type, act) => ids.split(" ").forEach((id) =>
      this.#$(id).addEventListener(type, (event) => act(event.target, event)));
    on("m n d base layout factor original_length", "change",
      ({ id, value }) => this.#move(id, value));
    on("method", "change", ({ value }) => this.#take({ method: value }));
    on("m-slider n-slider", "input", (el) => this.#move(el.id[0], el.value));
    on("preset", "change", ({ value }) => this.#choose(value));
    on("all", "change", () => this.#build());
    on("back", "click", () => this.#step(-1));
    on("on", "click", () => this.#step(1));
    on("play", "click", () => this.#play(!this.#beat));
    on("board", "keydown", (_, event) => this.#key(event));
    on("board", "pointerdown", (el, { pointerId }) =>
      el.dataset.hand && el.setPointerCapture(pointerId));
    on("board", "pointermove", (_, event) => this.#drag(event));
    // Chromium does not heed touch-action inside an SVG.
    on("board", "touchstart", (el, event) =>
      el.dataset.hand && event.preventDefault());
  }
  #key(event) {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[key];
    if (ctrlKey || metaKey || altKey || !(by || key === "Home")) return;
    event.preventDefault();
    if (by) return this.#step(shiftKey ? 10 * by : by);
    const start = (name, value) => this.getAttribute(name) ?? value;
    this.#accept({ m: start("m", 3), n: start("n", 0) });
  }
  #drag({ target, pointerId, clientX, clientY }) {
    const key = target.dataset.hand;
    if (!key || !target.hasPointerCapture(pointerId)) return;
    const box = target.ownerSVGElement.getBoundingClientRect();
    const x = clientX - box.x - box.width / 2;
    const y = clientY - box.y - box.height / 2;
    const rate = this.invFreq[target.closest("figure").dataset.i];
    this.#move(key, reach(this.#now[key], rate, Math.atan2(-y, x)));
  }
  #play(on) {
    clearInterval(this.#beat);
    this.#beat = on ? setInterval(() => this.#advance(), BEAT) : 0;
    this.#$("play").textContent = on ? "Pause" : "Play";
    if (on) this.#advance();
    else this.#settle();
  }
  #advance() {
    this.#step(1);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!calm) this.#glide(performance.now());
  }
  #glide(start) { // the hands move evenly to where the numbers already are
    const part = this.#beat ? (performance.now() - start) / BEAT : 1;
    this.#turn(Math.max(0, 1 - part));
    if (part < 1) requestAnimationFrame(() => this.#glide(start));
  }
}
Object.assign(ClockDials, { invFreq, angles, pairs, wavelength, wrap, reach,
  spread, fromHash, intoHash });
customElements.define("clock-dials", ClockDials);
globalThis.ClockDials = ClockDials;
})();
