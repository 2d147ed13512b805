// Keeps the calculator for when there is no network (sw.js), and says when a new version of it is ready. Loaded by boot.js
// when all else is there.
let wanted = false;

/** One quiet line, at the end of the page; nothing moves. */
function tell(registration) {
  if (document.querySelector(".update")) return;
  const bar = document.createElement("div");
  bar.className = "update";
  bar.setAttribute("role", "status");
  const button = (text, act) => {
    const it = document.createElement("button");
    it.type = "button";
    it.className = "small-button";
    it.textContent = text;
    it.addEventListener("click", act);
    return it;
  };
  // The address holds the scenario: a reload loses nothing.
  const reload = button("Reload", () => {
    wanted = true;
    if (registration.waiting) registration.waiting.postMessage("take over");
    else location.reload();
  });
  bar.append("A new version is ready.", reload, button("Later", () => bar.remove()));
  document.body.append(bar);
}

/** Starts keeping the site of this worker; a worker that waits replaces one that this page began with. */
export async function keep(address) {
  const container = navigator.serviceWorker;
  const began = container.controller;
  const registration = await container.register(address, { updateViaCache: "none" });
  const watch = (worker) => worker?.addEventListener("statechange", () => {
    if (worker.state === "installed" && container.controller) tell(registration);
  });
  if (registration.waiting && began) tell(registration);
  watch(registration.installing);
  registration.addEventListener("updatefound", () => watch(registration.installing));
  container.addEventListener("controllerchange", () => {
    if (wanted) location.reload();
    // Another window took the new version: this one still shows the old.
    else if (began) tell(registration);
  });
}
