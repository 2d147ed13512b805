// Starts the Wasm module. Trunk writes the names of its files into the attributes of this script's element (Trunk.toml).
const { js, wasm, worker } = document.querySelector("script[data-wasm]").dataset;
const at = (name) => new URL(name, document.baseURI);
try {
  const { default: init } = await import(at(js));
  await init({ module_or_path: at(wasm) });
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
