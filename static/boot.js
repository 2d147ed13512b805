// Starts the Wasm module. Trunk writes the names of its files into the attributes of this script's element (Trunk.toml).
const { js, wasm } = document.querySelector("script[data-wasm]").dataset;
const at = (name) => new URL(name, document.baseURI);
const say = (text) => {
  const notice = document.createElement("p");
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  document.body.prepend(notice);
};
const OFFLINE = "The calculator could not be loaded. Check the connection and reload the page.";
try {
  // `rest` is there where the module was cut in two (xtask/src/site/split.rs).
  const { default: init, rest } = await import(at(js));
  await init({ module_or_path: at(wasm) });
  // After the first picture: a frame's callbacks run before it is painted.
  await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 1000); });
  await rest?.();
  dispatchEvent(new Event("rest"));
} catch (cause) {
  say(typeof WebAssembly === "object"
    ? OFFLINE
    : "This browser has no WebAssembly, which the calculator needs. Any current browser has it.");
  throw cause;
}
