// Starts the Wasm module. The build writes the names of its files into the attributes of this script's element (Trunk.toml).
const { js, wasm, worker } = document.querySelector("script[data-wasm]").dataset;
const at = (name) => new URL(name, document.baseURI);
const embed = new URLSearchParams(location.search).get("embed") === "1";
// Milliseconds before another try.
const PAUSES = [500, 2000, 8000];
// Milliseconds before anything is loaded that the first screen does not need.
const LATER = 2000;
// theme.js says that this script is missing unless it finds this.
document.documentElement.dataset.boot = "";

// Milliseconds after which a server that does not answer is named.
const SILENCE = 20000;

/** Shows a sentence above everything else, and returns its element. */
function say(text) {
  const notice = document.createElement("p");
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  document.body.prepend(notice);
  return notice;
}

/** The compiled module. */
async function compiled() {
  const answer = await fetch(at(wasm));
  if (!answer.ok) throw new Error(`${answer.status} ${answer.url}`);
  // Some servers send another type, which is not compiled while it loads.
  if (answer.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** Whether the server no longer has the files of this page, which is then of an older build than the site. */
async function outdated() {
  const answers = [js, wasm].map((name) => fetch(at(name), { method: "HEAD", cache: "no-store" }));
  return (await Promise.all(answers)).some(({ status }) => status === 404);
}

/** Loads the page anew, but once for each build. An embed stores nothing. */
function reload() {
  if (embed || sessionStorage.getItem("shardwise.reloaded") === js) return false;
  sessionStorage.setItem("shardwise.reloaded", js);
  location.reload();
  return true;
}

// The module is in two halves (xtask/src/site/split.rs): a link to panels that are not on the first screen shows the late one.
const shown = /[?&]view=/.test(location.search);

/** Fetches the late half of the module, if it has one. Where it does not come, the module fetches it when it is called. */
const late = ({ fetchLate }) => fetchLate?.().catch(() => {});

/** Fetches the late half for the module that runs, and says when it is there (src/browser/background.rs). */
async function complete({ fetchLate }) {
  try {
    await fetchLate?.();
  } catch {
    return;
  }
  if ("complete" in document.documentElement.dataset) return;
  document.documentElement.dataset.complete = "";
  dispatchEvent(new CustomEvent("shardwise:complete"));
}

/** The script around the module, and the module, after as many tries as it takes; never where the page is loaded anew. */
async function loaded() {
  for (let tries = 0; ; tries += 1) {
    try {
      // Browsers remember a script that could not be imported: at another address it is another script.
      const script = import(at(tries ? `${js}?again=${tries}` : js));
      return await Promise.all([script, compiled(), shown && script.then(late)]);
    } catch (cause) {
      // Without a network, or a place to remember it, the page is not loaded anew.
      if (await outdated().then((is) => is && reload()).catch(() => false)) return new Promise(() => {});
      if (tries === PAUSES.length || typeof WebAssembly !== "object") throw cause;
      await new Promise((done) => setTimeout(done, PAUSES[tries]));
    }
  }
}

/** Says that the late half does not come: its server has another build, or there is no network. */
async function incomplete() {
  if (await outdated().then((is) => is && reload()).catch(() => false)) return;
  say("A part of the calculator could not be loaded. Check the connection and reload the page.");
}

let waiting;
const silence = setTimeout(() => {
  waiting = say("The calculator is still loading: its server has not sent all of it. Wait, or reload the page.");
}, SILENCE);
/** Ends the waiting, and what was said about it. */
function arrived() {
  clearTimeout(silence);
  waiting?.remove();
}

try {
  const [script, module] = await loaded();
  arrived();
  addEventListener("shardwise:incomplete", incomplete);
  await script.default({ module_or_path: module });
  // The late half comes when somebody begins, and at the latest before the page is kept.
  for (const kind of ["pointermove", "pointerdown", "keydown"]) addEventListener(kind, () => complete(script), { once: true });
  if (shown) complete(script);
  else if (!embed) setTimeout(() => complete(script), LATER);
} catch (cause) {
  arrived();
  say(typeof WebAssembly === "object"
    ? "The calculator could not be loaded. Check the connection and reload the page."
    : "This browser has no WebAssembly, which the calculator needs. Any current browser has it.");
  throw cause;
}
// Kept for when there is no network, but not where another page shows this one; `cargo xtask serve` names no worker. After
// everything else, and a page that cannot be kept is as good as any.
if (worker && navigator.serviceWorker && !embed) {
  setTimeout(() => import("./worker.js").then(({ keep }) => keep(at(worker))).catch(() => {}), LATER);
}
