// The page: shows one mesh at a time, with its lists and controls.

/** The greatest numbers of rows in a list and of sliders. */
const [MAX_ROWS, MAX_SLIDERS] = [1000, 64];

const parameters = new URLSearchParams(location.hash.slice(1));
/** The size of the picture for tests, in pixels. */
const testSize = Number(parameters.get("test")) || 0;
const number = (value) => value.toLocaleString("en-US");
const counted = (value, noun, nouns = `${noun}s`) => `${number(value)} ${value === 1 ? noun : nouns}`;

/** Returns red, green and blue of a colour such as `#1a2b3c`, 0 to 1. */
const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.trim().slice(at, at + 2), 16) / 255);

/** Returns the value of a property of the style sheet. */
const property = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

/** Returns a labelled checkbox. */
function checkbox(label, isChecked, onchange) {
  const box = make("input", { type: "checkbox", checked: isChecked, onchange: () => onchange(box.checked) });
  return make("label", { className: "check" }, box, label);
}

/** Returns a labelled list of choices. */
function choice(label, names, onchange) {
  const select = make("select", { onchange: () => onchange(select.value) }, ...names.map(([value, name]) => new Option(name, value)));
  return make("label", { className: "choice" }, make("span", { textContent: label }), select);
}

/** Returns a list with a heading, which can be closed. */
function panel(title, ...children) {
  return make("details", { open: true, className: "panel" }, make("summary", { textContent: title }), ...children);
}

/** Returns the rows for the first items, and a line about the others. */
function rows(items, row) {
  const shown = items.slice(0, MAX_ROWS).map(row);
  const left = items.length - shown.length;
  if (left > 0) shown.push(make("li", { className: "more", textContent: `${number(left)} more not listed` }));
  return make("ul", { className: "rows" }, ...shown);
}

/** The number of meshes from which a list of them has a field to search. */
const MAX_UNFILTERED = 12;

/** Returns a field that hides the elements whose title does not contain the text in it. */
function filter(elements, changed = () => {}) {
  const field = make("input", { type: "search", className: "filter", placeholder: "Find a mesh" });
  field.setAttribute("aria-label", "Find a mesh by a part of its path");
  field.oninput = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const element of elements) {
      const title = element.title.toLowerCase();
      element.hidden = !words.every((word) => title.includes(word));
    }
    changed();
  };
  return field;
}

/** How the page shows a mesh at first: the options of the command line. */
const initial = JSON.parse(document.querySelector("main").dataset.start);

/** The keys and gestures of the view. */
const KEYS = [
  ["Drag, arrow keys", "turn"], ["Shift and drag, Shift and arrow keys", "move"], ["Wheel, pinch, + and -", "zoom"],
  ["Double click, Home", "first view"], ["Space", "play and pause"],
];

/** Returns the list of keys, closed. */
function keyHelp() {
  const items = KEYS.flatMap(([keys, act]) => [make("dt", { textContent: keys }), make("dd", { textContent: act })]);
  return make("details", { className: "keys" }, make("summary", { textContent: "Keys" }), make("dl", {}, ...items));
}

class MeshPage {
  constructor(article, canvas) {
    Object.assign(this, { article, canvas, isDirty: false });
    this.stage = article.querySelector(".stage");
    this.panels = article.querySelector(".panels");
    this.camera = new Camera();
    const { style, isWired, hasSkeleton, hasTextures } = initial;
    this.look = { style, isWired, hasSkeleton, hasTextures, isCulled: false };
    this.abort = new AbortController();
  }

  /** Reads the mesh, and replaces the picture with the interactive view. */
  async open(view) {
    this.view = view;
    const elements = [...this.article.querySelectorAll("script.glb")];
    if (!elements.length) return;
    const glb = new Glb(await inflate(elements));
    const images = await Promise.all(glb.list("images").map((image) => this.image(image)));
    if (this.abort.signal.aborted) return;
    this.glb = glb;
    this.images = images;
    this.openScene(0);
  }

  /** Returns the bitmap of an image, or `null` if the page does not have it. */
  async image({ uri }) {
    const name = decodeURIComponent(uri ?? "");
    const elements = [...this.article.querySelectorAll("script.texture")].filter((one) => one.dataset.name === name);
    if (!elements.length) return null;
    const blob = new Blob(elements.map((element) => decodeBase64(element.textContent)));
    return createImageBitmap(blob, { premultiplyAlpha: "none", colorSpaceConversion: "none" }).catch(() => null);
  }

  /** Shows one of the scenes of the file, which are levels of detail. */
  openScene(level) {
    this.level = level;
    this.scene = new Scene(this.glb, level);
    // Without surfaces, such as in a file with an animation, the bones are all there is to see.
    if (!this.scene.surfaces.length) this.look.hasSkeleton = true;
    this.view.load(this.scene, this.images);
    this.toolbar?.remove();
    this.player?.bar.remove();
    this.player = new Player(this.scene, () => this.change());
    this.stage.append(this.canvas);
    this.toolbar = this.controls();
    this.stage.after(this.toolbar, this.player.bar);
    this.fillPanels();
    this.showFacts();
    this.resize();
    this.reset();
    this.draw();
    this.view.check();
    this.stage.classList.add("drawn");
  }

  showFacts() {
    const { parts, surfaces } = this.scene;
    const triangles = parts.reduce((sum, part) => sum + part.triangles, 0);
    const vertices = parts.reduce((sum, part) => sum + part.count, 0);
    const facts = this.article.querySelector(".facts");
    this.stored ??= facts.textContent;
    const counts = [counted(surfaces.length, "surface"), counted(triangles, "triangle"), counted(vertices, "vertex", "vertices")];
    facts.textContent = [this.stored, ...counts].join(" · ");
  }

  /** Makes the controls under the view. */
  controls() {
    const set = (name) => (value) => {
      this.look[name] = value;
      this.change();
    };
    const views = [["", "Choose"], ...Object.keys(DIRECTIONS).map((name) => [name, name[0].toUpperCase() + name.slice(1)])];
    const direction = choice("View", views, (name) => name && this.turnTo(DIRECTIONS[name]));
    direction.querySelector("select").value = this.directionName();
    const styles = [["smooth", "Smooth"], ["flat", "Facets"], ["wireframe", "Wireframe"], ["surface", "Surfaces"]];
    const fit = make("button", { type: "button", textContent: "Fit", title: "Fit the view (Home)", onclick: () => this.fit() });
    const style = choice("Style", styles, set("style"));
    style.querySelector("select").value = this.look.style;
    const bar = make("div", { className: "toolbar" }, direction, fit, style);
    const { levels, bones } = this.scene;
    if (levels.length > 1) {
      const select = choice("Level", levels.map((name, index) => [index, name]), (index) => this.openScene(Number(index)));
      select.querySelector("select").value = this.level;
      bar.append(select);
    }
    bar.append(checkbox("Edges", this.look.isWired, set("isWired")));
    if (bones.length) bar.append(checkbox("Skeleton", this.look.hasSkeleton, set("hasSkeleton")));
    if (this.images.some(Boolean)) bar.append(checkbox("Textures", this.look.hasTextures, set("hasTextures")));
    bar.append(checkbox("Hide back faces", this.look.isCulled, set("isCulled")), keyHelp());
    return bar;
  }

  /** Returns the name of the direction from which the camera looks at first. */
  directionName() {
    const { angles } = initial.camera;
    const isSame = (name) => angles && DIRECTIONS[name].every((angle, index) => Math.abs(angle - angles[index]) < 0.01);
    return Object.keys(DIRECTIONS).find(isSame) ?? "";
  }

  fillPanels() {
    const { surfaces, bones, clips } = this.scene;
    const panels = [this.surfacePanel(surfaces)];
    if (clips.length) panels.unshift(this.clipPanel(clips));
    else this.shapePanel(panels);
    if (bones.length) panels.push(this.bonePanel(bones));
    this.panels.replaceChildren(...panels);
  }

  clipPanel(clips) {
    const choose = (button, clip) => {
      for (const other of list.querySelectorAll("button")) other.setAttribute("aria-pressed", other === button);
      this.player.choose(clip, Boolean(clip));
      this.fit();
    };
    const row = (clip) => {
      const length = [clip.frames && counted(clip.frames, "frame"), `${clip.seconds.toFixed(2)} s`].filter(Boolean).join(", ");
      const button = make("button", { type: "button", title: clip.name, onclick: () => choose(button, clip) }, clip.name);
      return make("li", {}, button, make("small", { textContent: length }));
    };
    const list = rows(clips, row);
    const rest = make("button", { type: "button", onclick: () => choose(rest, null) }, "Rest");
    list.prepend(make("li", {}, rest, make("small", { textContent: "no clip" })));
    for (const button of list.querySelectorAll("button")) button.setAttribute("aria-pressed", button === rest);
    this.chooseFirst(clips, (index) => list.querySelectorAll("button")[index + 1]);
    return panel(`Clips (${number(clips.length)})`, list);
  }

  /** Shows the clip and the frame of the command line, if any. */
  chooseFirst(clips, buttonOf) {
    const { clip: name } = this.article.dataset;
    if (name === undefined && initial.frame === null) return;
    const index = Math.max(clips.findLastIndex((clip) => clip.name === name), 0);
    buttonOf(index)?.click();
    this.player.isPlaying = false;
    this.player.go(Math.min((initial.frame ?? 0) / (clips[index].rate || 30), clips[index].seconds));
  }

  /** Adds sliders for morph targets that no clip moves. */
  shapePanel(panels) {
    const parts = this.scene.parts.filter((part) => part.targets.length);
    const count = Math.min(parts.reduce((most, part) => Math.max(most, part.targets.length), 0), MAX_SLIDERS);
    if (!count) return;
    const names = this.glb.json.meshes[parts[0].node.mesh].extras?.targetNames ?? [];
    const weights = new Float32Array(count);
    const row = (name, index) => {
      const slider = make("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0 });
      slider.oninput = () => {
        weights[index] = Number(slider.value);
        for (const part of parts) this.scene.setWeights(part, weights);
        this.change();
      };
      return make("li", {}, make("label", {}, name, slider));
    };
    const list = Array.from({ length: count }, (_, index) => names[index] ?? `target ${index + 1}`);
    panels.push(panel(`Shapes (${number(count)})`, rows(list, row)));
  }

  surfacePanel(surfaces) {
    const boxes = [];
    const show = (isVisible) => {
      for (const surface of surfaces) surface.isVisible = isVisible;
      for (const box of boxes) box.checked = isVisible;
      this.change();
    };
    const row = (surface) => {
      const box = make("input", { type: "checkbox", checked: true });
      box.setAttribute("aria-label", `Show ${surface.name}`);
      box.onchange = () => {
        surface.isVisible = box.checked;
        this.change();
      };
      boxes.push(box);
      const button = make("button", { type: "button", title: surface.name }, surface.name);
      button.setAttribute("aria-pressed", false);
      button.onclick = () => {
        this.look.selected = this.look.selected === surface ? null : surface;
        for (const other of button.closest("ul").querySelectorAll("button")) {
          other.setAttribute("aria-pressed", other === button && this.look.selected === surface);
        }
        this.change();
      };
      const triangles = surface.parts.reduce((sum, part) => sum + part.triangles, 0);
      const item = make("li", {}, box, button, make("small", { textContent: number(triangles), title: counted(triangles, "triangle") }));
      this.hover(item, () => (this.look.hovered = surface), () => (this.look.hovered = null));
      return item;
    };
    const list = rows(surfaces, row);
    const all = make("div", { className: "all" },
      make("button", { type: "button", textContent: "Show all", onclick: () => show(true) }),
      make("button", { type: "button", textContent: "Hide all", onclick: () => show(false) }));
    return panel(`Surfaces (${number(surfaces.length)})`, ...(surfaces.length > 1 ? [all] : []), list);
  }

  bonePanel(bones) {
    const row = (bone) => {
      const button = make("button", { type: "button" }, bone.name ?? `bone ${bone.index}`);
      const item = make("li", {}, button);
      item.style.setProperty("--depth", Math.min(bone.depth, 16));
      const select = () => (this.look.selectedBone = bone);
      this.hover(item, select, () => (this.look.selectedBone = null));
      button.onclick = () => {
        const box = [...this.article.querySelectorAll(".toolbar label")].find((one) => one.textContent === "Skeleton").firstChild;
        box.checked = true;
        this.look.hasSkeleton = true;
        this.change();
      };
      return item;
    };
    const list = rows(bones, row);
    list.classList.add("tree");
    return panel(`Bones (${number(bones.length)})`, list);
  }

  /** Calls functions when the pointer or the focus enters and leaves an element. */
  hover(element, enter, leave) {
    for (const [names, act] of [[["pointerenter", "focusin"], enter], [["pointerleave", "focusout"], leave]]) {
      for (const name of names) {
        element.addEventListener(name, () => {
          act();
          this.change();
        });
      }
    }
  }

  turnTo(direction) {
    this.camera.turnTo(direction);
    this.fit();
  }

  /** Moves the camera so near that the mesh, or all frames of the clip, are just seen. */
  fit() {
    const { clip, time } = this.player;
    const points = clip ? this.scene.clipPoints(clip, time, 200_000) : this.scene.points(50_000);
    this.camera.fit(points, this.canvas.width / this.canvas.height);
    this.change();
  }

  reset() {
    const own = parameters.get("camera")?.split(",").map(Number);
    const { angles, zoom, from, to } = initial.camera;
    this.turnTo(own?.length === 2 && own.every(Number.isFinite) ? own : angles ?? DIRECTIONS.iso);
    if (from && !own) this.camera.look(from, to);
    else if (zoom) this.camera.zoom(1 / zoom);
    this.change();
  }

  /** Gives the picture as many pixels as its place on the page has. */
  resize() {
    this.look.pixelRatio = testSize ? 1 : Math.min(devicePixelRatio || 1, 2);
    const { width, height } = this.stage.getBoundingClientRect();
    const size = testSize ? [testSize, testSize] : [width * this.look.pixelRatio, height * this.look.pixelRatio].map(Math.round);
    [this.canvas.width, this.canvas.height] = size.map((side) => Math.max(side, 1));
    if (testSize) Object.assign(this.canvas.style, { width: `${testSize}px`, height: `${testSize}px` });
    this.readColors();
    this.change();
  }

  readColors() {
    const chosen = parameters.has("background") ? `#${parameters.get("background")}` : initial.background;
    const fixed = chosen === "transparent" ? property("--card") : chosen;
    const [high, low] = fixed ? [fixed, fixed] : [property("--stage-high"), property("--stage-low")];
    this.stage.style.background = fixed ?? "";
    this.look.background = { high: rgb(high.trim()), low: rgb(low.trim()), noise: fixed ? 0 : 1 };
    this.look.wire = [...rgb(property("--text")), 0.75];
    this.look.accent = [...rgb(property("--accent")), 0.5];
  }

  /** Draws a new picture before the screen is next refreshed. */
  change() {
    if (this.isDirty || this.abort.signal.aborted) return;
    this.isDirty = true;
    requestAnimationFrame((now) => {
      this.isDirty = false;
      if (this.abort.signal.aborted) return;
      this.player.advance(now);
      this.draw();
      if (this.player.isPlaying) this.change();
    });
  }

  draw() {
    this.view.draw(this.camera, this.look);
  }

  close() {
    this.abort.abort();
    this.view?.unload();
    for (const element of this.article.querySelectorAll(".toolbar, .player, canvas")) element.remove();
    this.stage.classList.remove("drawn");
    this.panels.replaceChildren();
    if (this.stored) this.article.querySelector(".facts").textContent = this.stored;
  }
}

/** Says why there is no interactive view. The picture stays. */
function complain(article, text) {
  article.querySelector(".stage .note")?.remove();
  article.querySelector(".stage").append(make("p", { className: "note", textContent: `No interactive view: ${text}` }));
}

const state = { page: null, view: null, canvas: null };

function newCanvas() {
  const canvas = make("canvas", { tabIndex: 0 });
  canvas.setAttribute("role", "application");
  const help = "Drag or arrow keys turn the mesh, Shift moves it, the wheel or + and - zoom, Home fits it, Space plays.";
  canvas.setAttribute("aria-label", `Interactive view. ${help}`);
  canvas.title = help;
  const current = () => state.page;
  const camera = new Proxy({}, {
    get: (_, name) => {
      const own = current().camera;
      return typeof own[name] === "function" ? own[name].bind(own) : own[name];
    },
  });
  addControls(canvas, camera, () => current().change(), () => current().reset(), () => current().player.toggle());
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault();
    state.view = null;
    const { page } = state;
    page.close();
    complain(page.article, "the browser took the GPU away; load the page again");
  });
  return canvas;
}

/** Shows a mesh, and hides the others. */
async function show(articles, index) {
  state.page?.close();
  articles.forEach((article, other) => (article.hidden = other !== index));
  const article = articles[index];
  document.querySelectorAll("#meshes button").forEach((button, other) => button.setAttribute("aria-current", other === index));
  state.canvas ??= newCanvas();
  const page = new MeshPage(article, state.canvas);
  state.page = page;
  document.documentElement.dataset.state = "loading";
  try {
    await addDetails(article);
    state.view ??= new View(state.canvas, testSize > 0);
    await page.open(state.view);
    if (page === state.page) document.documentElement.dataset.state = page.scene ? "drawn" : "still";
  } catch (error) {
    if (page !== state.page) return;
    page.close();
    complain(article, error.message);
    document.documentElement.dataset.state = "failed";
  }
}

/** Inserts the findings and the bytes of a mesh, which are compressed for all meshes but the first. */
async function addDetails(article) {
  const elements = [...article.querySelectorAll("script.details")];
  if (!elements.length) return;
  const inflated = inflate(elements);
  for (const element of elements) element.remove();
  article.insertAdjacentHTML("beforeend", new TextDecoder().decode(await inflated));
}

/** Fills the list of meshes, from which the reader chooses one. */
function addNavigation(articles) {
  const navigation = document.getElementById("meshes");
  navigation.hidden = false;
  const row = (article, index) => {
    const image = make("img", { alt: "", src: article.querySelector(".stage img").src, decoding: "async" });
    const button = make("button", { type: "button", title: article.dataset.path, onclick: () => show(articles, index) }, image, make("span", {}, article.dataset.name));
    return button;
  };
  const buttons = articles.map(row);
  const index = document.getElementById("index");
  if (index) navigation.append(index);
  if (buttons.length > MAX_UNFILTERED) navigation.append(filter(buttons));
  navigation.append(...buttons);
}

function start() {
  const articles = [...document.querySelectorAll("article.mesh")];
  if (!articles.length) return;
  document.documentElement.classList.add("scripted");
  if (articles.length > 1 || document.getElementById("index")) addNavigation(articles);
  const first = clamp(Math.floor(Number(parameters.get("mesh")) || 0), 0, articles.length - 1);
  new ResizeObserver(() => state.page?.scene && state.page.resize()).observe(document.querySelector("main"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.page?.scene && state.page.resize());
  show(articles, first);
  document.querySelectorAll("#meshes button")[first]?.scrollIntoView({ block: "nearest" });
}

if (document.querySelector(".tiles")) startIndex();
else start();
