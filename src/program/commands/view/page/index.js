// The index of several pages: a tile for each mesh, with a link to its page.

/** Shows the picture of a tile, which the page has as a line of text. */
function showPicture(tile, lines) {
  const section = tile.closest("section");
  if (!lines.has(section)) lines.set(section, section.querySelector("script.thumbnails").textContent.split("\n"));
  const line = lines.get(section)[Number(tile.dataset.line)];
  if (line) tile.querySelector("img").src = `data:image/png;base64,${line}`;
}

/** Fills the tiles with pictures as soon as they are near the visible part of the page. */
function startIndex() {
  document.documentElement.classList.add("scripted");
  const [sections, tiles] = ["section", ".tile"].map((name) => [...document.querySelectorAll(name)]);
  const lines = new WeakMap();
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      showPicture(target, lines);
    }
  }, { rootMargin: "400px" });
  const count = make("output");
  const say = () => {
    for (const section of sections) section.hidden = !section.querySelector(".tile:not([hidden])");
    const shown = tiles.filter((tile) => !tile.hidden).length;
    count.textContent = shown === tiles.length ? counted(shown, "mesh", "meshes") : `${number(shown)} of ${number(tiles.length)} meshes`;
  };
  document.querySelector("header").append(filter(tiles, say), count);
  say();
  for (const tile of tiles) observer.observe(tile);
  document.documentElement.dataset.state = "drawn";
}
