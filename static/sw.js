// Keeps the calculator for when there is no network. `cargo xtask build` fills in the list of its files and a hash over them
// and puts this file beside index.html (xtask/src/site/worker.rs). Nothing of one build is ever served with another's.
const BUILD = "{build}";
const FILES = {files};

// The caches of a host are shared by all that it hosts.
const OURS = `shardwise ${registration.scope} `;
const CACHE = OURS + BUILD;
const page = new URL("./", location.href);

// What has a hash in its name may come from the browser's own cache, everything else is asked for.
const fresh = (name) => new Request(name, { cache: /-[0-9a-f]{12,16}/.test(name) ? "default" : "no-cache" });
/** Takes all files, or none. */
const fill = () => caches.open(CACHE).then((cache) => cache.addAll(FILES.map(fresh)));

self.addEventListener("install", (event) => event.waitUntil(fill()));

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(OURS) && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))));
});

/** A kept file. Browsers may empty caches: then it comes from the network, and all are taken again. */
async function answer(event, url) {
  const kept = await caches.open(CACHE).then((cache) => cache.match(url));
  if (kept) return kept;
  event.waitUntil(fill().catch(() => {}));
  return fetch(event.request);
}

/** The documentation is not kept. */
const documentation = (request) => fetch(request).catch(() => new Response(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>shardwise</title>
<p>There is no network, and the documentation is not kept for that. <a href="${page.pathname}">The calculator</a> is.</p>
</html>`, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } }));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== page.origin || !url.pathname.startsWith(page.pathname)) return;
  // A window that still shows another build gets no texts of this one.
  const build = url.searchParams.get("v");
  // The page's query and fragment are for the page.
  url.search = url.hash = "";
  const name = url.pathname.slice(page.pathname.length).replace(/^index\.html$/, "");
  if (request.mode === "navigate" && name.startsWith("docs/")) event.respondWith(documentation(request));
  if (!FILES.includes(name || "./")) return;
  if (name && build && !FILES.includes(build)) event.respondWith(Response.error());
  else event.respondWith(answer(event, url));
});

// Said by the page when somebody presses "Reload".
self.addEventListener("message", ({ data }) => {
  if (data === "take over") self.skipWaiting();
});
