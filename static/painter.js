// The page's module in a worker, where it derives and paints map and curves: src/browser/worker.rs starts this with the name of the
// module's script, and the module as the page compiled it. The module finds no window, listens and says so (src/worker.rs).
addEventListener("message", async ({ data: [script, module] }) => {
  try {
    const { default: init } = await import(`../${script}`);
    await init({ module_or_path: module });
  } catch (cause) {
    // To the page a worker that cannot start is one with an error.
    reportError(cause);
  }
}, { once: true });
