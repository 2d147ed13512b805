// Runs in the page: what somebody can do before the rest of the module is there.
const frame = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 500); });
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const names = ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"];

for (const name of names) {
  const slider = document.querySelector(`input[type=range][aria-label='${name}']`);
  const [low, high, first] = [Number(slider.min), Number(slider.max), slider.value];
  for (const place of [0, 0.1, 0.25, 0.4, 0.6, 0.8, 1, (first - low) / (high - low)]) {
    slider.value = String(low + place * (high - low));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await frame();
  }
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  // The address follows, and what is computed once the scenario stands still.
  await pause(350);
}
