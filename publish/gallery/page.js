"use strict";

const cards = JSON.parse(document.getElementById("cards").textContent);
const words = JSON.parse(document.getElementById("words").textContent);
const links = [...document.querySelectorAll(".card")];
const at = id => document.getElementById(id);
const page = document.documentElement;

// The look: a language and a theme, of those in which there are clips.

const looks = new Set(Object.values(cards).flatMap(card => Object.keys(card.looks)));
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function remembered(name) {
  const asked = new URLSearchParams(location.search).get(name);
  try { return asked ?? localStorage.getItem(`clockhands-${name}`); } catch { return asked; }
}

function remember(name, value) {
  try { localStorage.setItem(`clockhands-${name}`, value); } catch { /* a browser may keep nothing */ }
}

const chosen = {
  language: remembered("language") ?? (navigator.language.startsWith("zh") ? "zh" : "en"),
  theme: remembered("theme") ?? (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"),
};

// The clip of a card in the chosen look or, where that was not made, in the one most like it.
function clip(id) {
  const { looks } = cards[id];
  const { language, theme } = chosen;
  const likeness = look => 2 * look.startsWith(language) + look.endsWith(theme);
  const [best] = Object.keys(looks).sort((one, other) => likeness(other) - likeness(one));
  return looks[best];
}

function say(key, values = {}) {
  return words[chosen.language][key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

const seconds = duration => `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} s`;

function show() {
  page.lang = chosen.language === "zh" ? "zh" : "en";
  page.dataset.theme = chosen.theme;
  for (const [box, value] of [[at("languages"), chosen.language], [at("themes"), chosen.theme]])
    for (const button of box.children) button.setAttribute("aria-pressed", button.dataset.value === value);
  for (const name of ["aria-label", "placeholder"])
    for (const element of document.querySelectorAll(`[data-en-${name}]`))
      element.setAttribute(name, element.getAttribute(`data-${page.lang}-${name}`));
  for (const link of links) {
    const shown = clip(link.dataset.card);
    link.href = shown.file;
    link.querySelector("img").src = shown.last;
    link.querySelector(".duration").textContent = seconds(shown.duration);
    stop(link);
  }
  search();
  if (at("viewer").open) view(viewed);
}

for (const [name, box] of [["language", at("languages")], ["theme", at("themes")]]) {
  const values = new Set([...looks].map(look => look.split("-")[name === "language" ? 0 : 1]));
  box.hidden = values.size < 2;
  if (!values.has(chosen[name])) [chosen[name]] = values;
  for (const button of box.children)
    button.addEventListener("click", () => {
      chosen[name] = button.dataset.value;
      remember(name, chosen[name]);
      show();
    });
}

// Search: a card is found by its words and its chapter's, in both languages, and by the names of shot and section.

const texts = new Map(links.map(link => {
  const { title, changes, caption } = cards[link.dataset.card];
  const chapter = [...link.closest(".chapter").querySelectorAll("h2 span, .idea span")].map(span => span.textContent);
  const said = [link.dataset.card, changes, ...Object.values(title), ...Object.values(caption), ...chapter];
  return [link, said.join(" ").toLowerCase()];
}));

function search() {
  const wanted = at("search").value.toLowerCase().split(/\s+/);
  let count = 0;
  for (const link of links) {
    const found = wanted.every(word => texts.get(link).includes(word));
    link.closest("li").hidden = !found;
    count += found;
  }
  for (const group of document.querySelectorAll(".shot, .chapter"))
    group.hidden = !group.querySelector("li:not([hidden])");
  at("nothing").hidden = count > 0;
  at("found").textContent = say(count === 1 ? "found_one" : "found", { count });
}

at("search").addEventListener("input", search);
document.addEventListener("keydown", event => {
  if (event.key !== "/" || at("viewer").open || document.activeElement === at("search")) return;
  event.preventDefault();
  at("search").focus();
});

// A card plays while the mouse is over it or the keyboard is on it.

function makeVideo({ file, first, loop }) {
  const video = document.createElement("video");
  Object.assign(video, { src: file, poster: first, muted: true, playsInline: true, autoplay: true, loop });
  return video;
}

function start(link) {
  if (calm.matches || link.classList.contains("plays")) return;
  link.classList.add("plays");
  const video = makeVideo({ ...clip(link.dataset.card), loop: true });
  video.tabIndex = -1;
  link.querySelector("img").after(video);
}

function stop(link) {
  link.classList.remove("plays");
  link.querySelector("video")?.remove();
}

for (const link of links) {
  link.addEventListener("pointerenter", event => event.pointerType === "mouse" && start(link));
  link.addEventListener("pointerleave", () => stop(link));
  link.addEventListener("focus", () => link.matches(":focus-visible") && start(link));
  link.addEventListener("blur", () => stop(link));
  link.addEventListener("click", event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;  // a new tab, as with any link
    event.preventDefault();
    enter(link.dataset.card);
  });
}

// The viewer: one clip, large, with all that a lecturer wants of it. Its address leads back to it. The browser's
// way back closes it, and its way forward opens it again.

let viewed = null;
const VIEWER = "viewer";  // marks the viewer's entry in the browser's history
const addressed = () => decodeURIComponent(location.hash.slice(1));

function enter(id) {
  history.scrollRestoration = "manual";  // the page stays as it is below the viewer
  history.pushState(VIEWER, "", `#${id}`);
  open(id);
}

function open(id) {
  links.forEach(stop);
  view(id);
  if (!at("viewer").open) at("viewer").showModal();
}

addEventListener("popstate", () => {
  if (addressed() in cards) return open(addressed());
  at("viewer").close();
  history.scrollRestoration = "auto";
});

function view(id) {
  viewed = id;
  const { title, changes, caption } = cards[id];
  const shown = clip(id);
  const video = makeVideo(shown);
  video.controls = true;
  video.setAttribute("aria-label", caption[page.lang]);
  // Full screen hides the text below the video, and a caption file cannot be read from a disk.
  const track = video.addTextTrack("captions", page.lang === "zh" ? "中文" : "English", page.lang);
  track.addCue(new VTTCue(0, shown.duration, caption[page.lang]));
  track.mode = "hidden";
  const showTrack = full => { track.mode = full ? "showing" : "hidden"; };
  video.addEventListener("fullscreenchange", () => showTrack(document.fullscreenElement));
  video.addEventListener("webkitbeginfullscreen", () => showTrack(true));  // of an iPhone
  video.addEventListener("webkitendfullscreen", () => showTrack(false));
  at("stage").replaceChildren(video);

  const order = shownCards();
  const which = document.createElement("small");
  which.textContent = [changes, `${order.indexOf(id) + 1} / ${order.length}`].filter(Boolean).join(" · ");
  at("viewer-title").replaceChildren(title[page.lang], which);
  at("viewer-caption").textContent = caption[page.lang];
  at("downloads").replaceChildren(...downloads(shown));
  at("copied").textContent = "";
  at("snippet").hidden = true;
  history.replaceState(history.state, "", `#${id}`);
}

const shownCards = () => links.filter(link => !link.closest("li").hidden).map(link => link.dataset.card);

function step(by) {
  const order = shownCards();
  view(order[(order.indexOf(viewed) + by + order.length) % order.length]);
}

function downloads({ downloads, first, last }) {
  const megabytes = size => size < 1e5 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`;
  const made = downloads.map(({ file, format, quality, transparent, size }) => [
    file, [format.toUpperCase(), quality, transparent ? say("transparent") : "", megabytes(size)].filter(Boolean).join(" "),
  ]);
  return [...made, [first, say("first")], [last, say("last")]].flatMap(([file, label]) => {
    const link = document.createElement("a");
    link.href = file;
    link.download = "";
    link.textContent = label;
    return [link, " "];
  });
}

at("close").addEventListener("click", () => at("viewer").close());
at("previous").addEventListener("click", () => step(-1));
at("next").addEventListener("click", () => step(1));
at("viewer").addEventListener("click", ({ target, clientX, clientY }) => {
  const { left, right, top, bottom } = at("viewer").getBoundingClientRect();
  const beside = clientX < left || clientX > right || clientY < top || clientY > bottom;
  if (target === at("viewer") && beside) at("viewer").close();
});
at("viewer").addEventListener("keydown", event => {
  if (event.target.tagName === "VIDEO") return;  // it winds with the same keys
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
});
at("viewer").addEventListener("close", () => {
  at("stage").replaceChildren();
  if (addressed() in cards) history.back();  // closed by hand
  links.find(link => link.dataset.card === viewed)?.focus();
});

// What is copied: the address of a clip where there is one, or its file's name.

const onDisk = location.protocol === "file:";
const address = file => onDisk ? file.split("/").at(-1) : new URL(file, location.href).href;
const escaped = text => text.replace(/[&<>"]/g, letter => `&#${letter.charCodeAt(0)};`);

const snippets = {
  html: ({ file, first, width, height, loop }, caption) =>
    `<video src="${address(file)}" poster="${address(first)}" width="${width}" height="${height}"`
    + ` autoplay muted${loop ? " loop" : ""} playsinline controls aria-label="${escaped(caption)}"></video>`,
  markdown: ({ file, last }, caption) =>
    `[![${caption.replace(/[\\`*_[\]<>&]/g, "\\$&")}](${address(last)})](${address(file)})`,
  reveal: ({ file, loop, background }, caption) =>
    `<section data-background-video="${address(file)}" data-background-size="contain"`
    + ` data-background-color="${background}"`
    + ` data-background-video-muted${loop ? " data-background-video-loop" : ""}>\n`
    + `  <aside class="notes">${escaped(caption)}</aside>\n</section>`,
};

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {  // not on pages without encryption
    getSelection().selectAllChildren(at("snippet"));
    return document.execCommand("copy");
  }
}

for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", async () => {
    const shown = clip(viewed);
    const text = snippets[button.dataset.copy](shown, cards[viewed].caption[shown.language]);
    const names = [shown.file, shown.first, shown.last].map(address).filter(name => text.includes(name));
    at("snippet").textContent = text;
    at("snippet").hidden = false;
    at("snippet").scrollIntoView({ block: "nearest" });
    const copied = await copy(text);
    const files = new Intl.ListFormat(page.lang).format(names);
    at("copied").textContent = say(!copied ? "not_copied" : onDisk ? "copied" : "copied_address", { files });
  });

show();
if (addressed() in cards) {
  const asked = addressed();
  if (history.state === VIEWER) open(asked);  // loaded anew
  else {
    history.replaceState(null, "", location.pathname + location.search);
    enter(asked);
  }
}
