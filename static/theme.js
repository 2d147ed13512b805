// Before the first paint: the theme of the link (?theme=dark), else the one chosen last, else the system's. An embed stores
// nothing and asks for nothing stored. And when boot.js, which says everything else, does not come, this says so.
(() => {
  const known = (name) => (name === "light" || name === "dark" ? name : null);
  const stored = () => {
    try {
      return localStorage.getItem("shardwise.theme");
    } catch {
      return null; // Storage can be forbidden; the system's theme is a fine answer.
    }
  };
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const embed = query.get("embed") === "1";
  const asked = query.get("theme");
  const theme = asked === "auto" ? null : known(asked) ?? (embed ? null : known(stored()));
  if (theme) root.dataset.theme = theme;
  root.classList.toggle("embed", embed);
  // The first screen in index.html is of a first visit: it is not shown in place of another scenario or view.
  root.classList.toggle("elsewhere", location.hash.length > 1 || [...query.keys()].some((key) => key !== "theme"));
  setTimeout(() => {
    if ("boot" in root.dataset) return;
    const notice = document.createElement("p");
    notice.setAttribute("role", "alert");
    notice.textContent = "The calculator could not be loaded. Check the connection and reload the page.";
    document.body.prepend(notice);
  }, 20000);
})();
