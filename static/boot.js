// Starts the Wasm module. The build writes the names of its files into the attributes of this script's element (Trunk.toml).
const { js, wasm, worker } = document.querySelector("script[data-wasm]").dataset;
const at = (name) => new URL(name, document.baseURI);
const embed = new URLSearchParams(location.search).get("embed") === "1";
// Milliseconds before another try.
const PAUSES = [500, 2000, 8000];
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

/** The script around the module, and the module, after as many tries as it takes; never where the page is loaded anew. */
async function loaded() {
  for (let tries = 0; ; tries += 1) {
    try {
      // Browsers remember a script that could not be imported: at another address it is another script.
      return await Promise.all([import(at(tries ? `${js}?again=${tries}` : js)), compiled()]);
    } catch (cause) {
      // Without a network, or a place to remember it, the page is not loaded anew.
      if (await outdated().then((is) => is && reload()).catch(() => false)) return new Promise(() => {});
      if (tries === PAUSES.length || typeof WebAssembly !== "object") throw cause;
      await new Promise((done) => setTimeout(done, PAUSES[tries]));
    }
  }
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
  const [{ default: init }, module] = await loaded();
  arrived();
  await init({ module_or_path: module });
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
  setTimeout(() => import("./worker.js").then(({ keep }) => keep(at(worker))).catch(() => {}), 2000);
}
