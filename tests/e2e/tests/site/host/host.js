// Keeps every message with the place of the frame that it came from.
window.said = [];
addEventListener("message", ({ data, source }) => {
  const from = [...document.querySelectorAll("iframe")].findIndex((frame) => frame.contentWindow === source);
  window.said.push({ from, ...data });
});
