// Starts the Wasm module, in the page and in a thread beside it. Trunk writes the names of its files into the attributes of this
// script's element (Trunk.toml).
const script = globalThis.document?.querySelector("script[data-wasm]");
const { js, wasm, worker } = script?.dataset ?? {};
const at = (name) => new URL(name, document.baseURI);
const embed = new URLSearchParams(location.search).get("embed") === "1";
// Milliseconds before another try.
const PAUSES = [500, 2000, 8000];

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

/** A thread that runs this script too, and is ready when the module is; none where the page may have none, as in a sandbox. */
function thread() {
  try {
    if (!HTMLCanvasElement.prototype.transferControlToOffscreen) return null;
    const thread = new Worker(import.meta.url, { type: "module" });
    // One that fails before the page listens.
    thread.addEventListener("error", () => { script.thread = null; });
    return thread;
  } catch {
    return null;
  }
}

/** In the page. */
async function start() {
  // theme.js says that this script is missing unless it finds this.
  document.documentElement.dataset.boot = "";
  try {
    // The page finds it there (src/browser/worker.rs).
    script.thread = thread();
    const [{ default: init }, module] = await loaded();
    script.thread?.postMessage({ js: String(at(js)), module });
    await init({ module_or_path: module });
  } catch (cause) {
    const notice = document.createElement("p");
    notice.setAttribute("role", "alert");
    notice.textContent = typeof WebAssembly === "object"
      ? "The calculator could not be loaded. Check the connection and reload the page."
      : "This browser has no WebAssembly, which the calculator needs. Any current browser has it.";
    document.body.prepend(notice);
    throw cause;
  }
  // Kept for when there is no network, but not where another page shows this one; `cargo xtask serve` names no worker. After
  // everything else, and a page that cannot be kept is as good as any.
  if (worker && navigator.serviceWorker && !embed) {
    setTimeout(() => import("./worker.js").then(({ keep }) => keep(at(worker))).catch(() => {}), 2000);
  }
}

/** In the thread, where the module finds no window and listens for work (src/worker.rs); what comes before it listens waits. */
function listen() {
  addEventListener("message", async ({ data: { js, module } }) => {
    const waiting = [];
    const wait = ({ data }) => waiting.push(data);
    addEventListener("message", wait);
    const { default: init } = await import(js);
    await init({ module_or_path: module });
    removeEventListener("message", wait);
    for (const data of waiting) dispatchEvent(new MessageEvent("message", { data }));
  }, { once: true });
  // To the page a thread that fails to start is one with an error.
  addEventListener("unhandledrejection", ({ reason }) => setTimeout(() => { throw reason; }));
}

if (script) start();
else listen();
