// Makes live figures of links: docs/book/embedding.md.
{
const page = document, tag = "shardwise-figure", frames = [], sheet = new CSSStyleSheet();
customElements.define(tag, class extends HTMLElement {});
const site = new URL("..", page.querySelector("script[src*='static/embed.js']").src);
sheet.replaceSync(`.shardwise{display:block;width:100%;border:0;transition:color 1ms .3s!important}
@media print{.shardwise{display:none}[data-live]::after{content:" "attr(data-live)}}`);
page.adoptedStyleSheets.push(sheet);

const look = () => page.querySelectorAll(`a[href*="view="],a[href*="embed=1"],${tag}`).forEach((it) => {
  if (it.dataset.live || it.href && it.closest(tag)) return;
  const ask = (key) => it.dataset[key] ?? it.getAttribute(key);
  let url;
  try { url = new URL(it.href ?? ask("src"), location) } catch { return }
  const query = url.searchParams, frame = page.createElement("iframe");
  // Only the site, as "javascript:" runs.
  if (!url.href.startsWith(site)) return;
  it.dataset.live = url;
  it[it.href ? "before" : "prepend"](frame);
  for (const key of ["view", "controls", "theme"]) if (ask(key)) query.set(key, ask(key));
  // Light letters, dark page.
  const theme = () => getComputedStyle(frame).color.split(",")[1] > 127 ? "dark" : "light";
  if (!/light|dark/.test(query.get("theme"))) {
    query.set("theme", theme());
    frame.ontransitionend = () => frame.contentWindow.postMessage({ type: "shardwise:set", link: "?theme=" + theme() }, "*");
  }
  query.set("embed", 1);
  const title = it.textContent, height = ask("height") ?? 500;
  frames.push(Object.assign(frame, { className: "shardwise", title, height, loading: "lazy", src: url }));
});
addEventListener("message", ({ data, origin, source }) => {
  const frame = frames.find((it) => it.contentWindow === source && it.src.startsWith(origin + "/"));
  if (frame && data?.height) frame.height = Math.min(data.height, 2e4);
  else frame?.ontransitionend?.();
});
new MutationObserver(look).observe(page, { subtree: true, childList: true });
look();
}
