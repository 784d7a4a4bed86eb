// Plays clips.

/** The speeds of a clip. */
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** Makes an element. Names of files are only ever set as text. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

class Player {
  /** @param {() => void} changed draws a new picture */
  constructor(scene, changed) {
    Object.assign(this, { scene, changed, clip: null, time: 0, isPlaying: false, last: 0 });
    this.button = make("button", { type: "button", className: "play", onclick: () => this.toggle() });
    this.slider = make("input", { type: "range", min: 0, max: 1, step: "any", value: 0, oninput: () => this.scrub() });
    this.slider.setAttribute("aria-label", "Time");
    this.text = make("output", { className: "time" });
    this.speed = make("select", { title: "Speed" }, ...SPEEDS.map((speed) => new Option(`${speed}×`, speed, speed === 1, speed === 1)));
    this.speed.setAttribute("aria-label", "Speed");
    this.bar = make("div", { className: "player", hidden: true }, this.button, this.slider, this.text, this.speed);
    this.show();
  }

  /** Chooses a clip, or the rest pose with `null`. */
  choose(clip, isPlaying) {
    this.scene.rest();
    Object.assign(this, { clip, time: 0, isPlaying: Boolean(clip) && isPlaying });
    this.bar.hidden = !clip;
    this.go(0);
  }

  toggle() {
    if (!this.clip) return;
    this.isPlaying = !this.isPlaying;
    this.show();
    this.changed();
  }

  scrub() {
    this.isPlaying = false;
    this.go(Number(this.slider.value) * this.clip.seconds);
  }

  /** Shows the clip at a time, in seconds. */
  go(time) {
    this.time = time;
    this.clip?.apply(time);
    this.show();
    this.changed();
  }

  /** Moves on to the time of the next picture, in milliseconds. */
  advance(now) {
    if (this.isPlaying && this.clip.seconds > 0) {
      const passed = Math.min((now - this.last) / 1000, 0.25) * Number(this.speed.value);
      this.go((this.time + passed) % this.clip.seconds);
    }
    this.last = now;
  }

  show() {
    const { clip, time, isPlaying } = this;
    this.button.textContent = isPlaying ? "Pause" : "Play";
    if (!clip) return;
    this.slider.value = clip.seconds ? time / clip.seconds : 0;
    const frame = clip.rate ? `, frame ${(time * clip.rate).toFixed(1)}` : "";
    this.text.textContent = `${time.toFixed(2)} of ${clip.seconds.toFixed(2)} s${frame}`;
    this.slider.setAttribute("aria-valuetext", this.text.textContent);
  }
}
