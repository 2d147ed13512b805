// mdBook copies the scripts that it adds; this one asks for the calculator's own, so that it is never an old copy.
(() => {
  const script = document.createElement("script");
  script.src = "/shardwise/static/embed.js";
  document.head.append(script);
})();
