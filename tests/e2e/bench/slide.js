// Runs in the page. Moves every slider up and down its range and measures, for each event, the time until the main thread
// has handled it, run the frame's callbacks, and laid out and painted the next frame; or, where asked to look, until the map is
// another picture.
const [moves, look] = arguments;
const names = ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"];
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// A message posted from a frame's callback is delivered after the frame's layout and paint.
const frame = () => new Promise((done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now());
  channel.port2.postMessage(null);
}));

// The map in a few pixels, whoever paints it.
const small = new OffscreenCanvas(80, 60).getContext("2d", { willReadFrequently: true });
const map = () => {
  const canvas = document.querySelector("canvas#map, #map canvas");
  if (!canvas) return "";
  small.drawImage(canvas, 0, 0, 80, 60);
  return small.getImageData(0, 0, 80, 60).data.join();
};

/** The time until the map is another than before; none where it is still the same after many frames. */
async function painted(before) {
  for (let frames = 0; frames < 40; frames += 1) {
    const now = await frame();
    if (map() !== before) return now;
  }
  return null;
}

const tasks = [];
const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
observer.observe({ type: "longtask" });

const times = [];
for (const name of names) {
  const slider = document.querySelector(`input[type=range][aria-label='${name}']`);
  if (!slider) continue;
  const [low, high] = [Number(slider.min), Number(slider.max)];
  for (let move = 0; move < moves; move += 1) {
    const share = 1 - Math.abs(1 - (2 * (move + 0.5)) / moves);
    const next = String(Math.round(low + share * (high - low)));
    // A coarse slider does not move with every step of ours, and then has no event.
    if (next === slider.value) continue;

    const before = look ? map() : "";
    await pause(15);

    const event = performance.now();
    slider.value = next;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const end = look ? await painted(before) : await frame();
    if (end) times.push(end - event);
  }
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  await pause(300);
}
await pause(200);
tasks.push(...observer.takeRecords());

const longest = Math.max(0, ...tasks.map((task) => task.duration));
return { times, longest };
