// The module that reads files and writes settings (crates/files-worker), in a worker: src/browser/files_worker.rs asks it. The
// query has the build of the page, so that no cache puts one build's module beside another's page.
const loaded = import(`../files.js${location.search}`).then(async (module) => {
  await module.default({ module_or_path: new URL(`../files_bg.wasm${location.search}`, import.meta.url) });
  return module;
});

// A message is a number, a function's name and its arguments; the answer the number, and what the function gave or nothing.
addEventListener("message", async ({ data: [number, name, ...given] }) => {
  try {
    postMessage([number, (await loaded)[name](...given)]);
  } catch (cause) {
    console.error(cause);
    postMessage([number, null]);
  }
});
