// Before the first paint: the theme of the link (?theme=dark), else the one chosen last, else the system's.
(() => {
  const known = (name) => (name === "light" || name === "dark" ? name : null);
  const stored = () => {
    try {
      return localStorage.getItem("shardwise.theme");
    } catch {
      return null; // Storage can be forbidden; the system's theme is a fine answer.
    }
  };
  const asked = new URLSearchParams(location.search).get("theme");
  const theme = asked === "auto" ? null : known(asked) ?? known(stored());
  if (theme) document.documentElement.dataset.theme = theme;
})();
