// Runs in the page: what somebody does who looks at the first screen and opens nothing.
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const frame = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 500); });
const send = async (element, event) => { element.dispatchEvent(event); await frame(); };
const bubbling = { bubbles: true, cancelable: true, composed: true };
const names = ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"];
const key = (name, more) => new KeyboardEvent("keydown", { key: name, ...bubbling, ...more });

for (const name of names) {
  const slider = document.querySelector(`input[type=range][aria-label='${name}']`);
  const [low, high, first] = [Number(slider.min), Number(slider.max), slider.value];
  const places = [0, 0.1, 0.25, 0.4, 0.6, 0.8, 1, (first - low) / (high - low)];
  for (const place of places) {
    slider.value = String(low + place * (high - low));
    await send(slider, new Event("input", bubbling));
  }
  await send(slider, new Event("change", bubbling));
  await pause(350);

  const field = document.querySelector(`input[aria-label='${name}, typed']`);
  const { value } = field;
  field.focus();
  for (const text of ["", "n", "80", value]) {
    field.value = text;
    await send(field, new InputEvent("input", bubbling));
  }
  await send(field, key("Enter"));
  await send(field, new Event("change", bubbling));
  field.blur();
  await pause(100);
}

for (const id of ["map", "curve", "memory"]) {
  const canvas = document.getElementById(id);
  const box = canvas.getBoundingClientRect();
  for (const place of [0.02, 0.3, 0.5, 0.7, 0.98]) {
    const at = { clientX: box.left + place * box.width, clientY: box.top + place * box.height };
    await send(canvas, new PointerEvent("pointermove", { ...bubbling, ...at, pointerId: 1 }));
  }
  await send(canvas, new PointerEvent("pointerleave", { pointerId: 1 }));
  canvas.focus();
  for (const name of ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "Escape"]) await send(canvas, key(name));
  canvas.blur();
}

for (const more of [{}, { shiftKey: true }, {}, {}, { shiftKey: true }]) {
  await send(document.body, key(more.shiftKey ? "Z" : "z", { ctrlKey: true, ...more }));
}
for (const name of ["Undo", "Redo", "Copy link"]) {
  const button = [...document.querySelectorAll("button")].find(
    (button) => (button.getAttribute("aria-label") ?? button.textContent).trim() === name);
  button?.click();
  await frame();
}
await pause(300);
const theme = [...document.querySelectorAll("button")].find((button) => /theme|light|dark/i.test(
  button.getAttribute("aria-label") ?? button.textContent));
for (let time = 0; theme && time < 3; time += 1) { theme.click(); await frame(); }
await pause(300);
return theme ? "played" : "played without a theme";
