// Starts the Wasm module. Trunk writes the names of its files into the attributes of this script's element (Trunk.toml).
const { js, wasm, worker } = document.querySelector("script[data-wasm]").dataset;
const at = (name) => new URL(name, document.baseURI);
try {
  // The last two are there where the module was cut in two (xtask/src/site/split.rs).
  const { default: init, rest, restEarly } = await import(at(js));
  // A link is read by the rest.
  if (location.hash.length > 1 || location.search) await restEarly?.("high");
  await init({ module_or_path: at(wasm) });
  // A second after the first picture, or as soon as somebody does something; an embed has its rest already.
  if (!document.documentElement.classList.contains("embed")) await new Promise((done) => {
    for (const kind of ["scroll", "pointermove", "pointerdown", "keydown", "focusin"]) {
      addEventListener(kind, done, { once: true, passive: true });
    }
    setTimeout(done, 1000);
  });
  await rest?.();
  dispatchEvent(new Event("rest"));
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
if (worker && navigator.serviceWorker && new URLSearchParams(location.search).get("embed") !== "1") {
  setTimeout(() => import("./worker.js").then(({ keep }) => keep(at(worker))).catch(() => {}), 2000);
}
