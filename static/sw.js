// Keeps the calculator for when there is no network. `cargo xtask build` fills in the list of its files and a hash over them
// and puts this file beside index.html (xtask/src/site/worker.rs). Nothing of one build is ever served with another's.
const BUILD = "{build}";
const FILES = {files};

// The caches of a host are shared by all that it hosts.
const OURS = `shardwise ${registration.scope} `;
const CACHE = OURS + BUILD;
const page = new URL("./", location.href);

self.addEventListener("install", (event) => {
  // What has a hash in its name may come from the browser's own cache, everything else is asked for.
  const fresh = (name) => new Request(name, { cache: /-[0-9a-f]{16}/.test(name) ? "default" : "no-cache" });
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map(fresh))));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(OURS) && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== page.origin || !url.pathname.startsWith(page.pathname)) return;
  // A window that still shows another build gets no texts of this one.
  const build = url.searchParams.get("v");
  // The page's query and fragment are for the page.
  url.search = url.hash = "";
  const name = url.pathname.slice(page.pathname.length).replace(/^index\.html$/, "");
  if (!FILES.includes(name || "./")) return;
  if (name && build && !FILES.includes(build)) event.respondWith(Response.error());
  else event.respondWith(caches.open(CACHE).then((cache) => cache.match(url)).then((kept) => kept ?? fetch(request)));
});

// Said by the page when somebody presses "Reload".
self.addEventListener("message", ({ data }) => {
  if (data === "take over") self.skipWaiting();
});
