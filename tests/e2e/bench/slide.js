// Runs in the page. Moves every slider up and down its range and measures, for each event, the time until the main thread
// has handled it, run the frame's callbacks, and laid out and painted the next frame.
const [moves] = arguments;
const names = ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"];
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// A message posted from a frame's callback is delivered after the frame's layout and paint.
const frame = () => new Promise((done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now());
  channel.port2.postMessage(null);
}));

const map = () => {
  const canvas = document.querySelector("canvas#map, #map canvas");
  return canvas ? canvas.toDataURL() : "";
};

const tasks = [];
const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
observer.observe({ type: "longtask" });
const reading = [];

const times = [];
let looked = 0;
let late = 0;
for (const name of names) {
  const slider = document.querySelector(`input[type=range][aria-label='${name}']`);
  if (!slider) continue;
  const [low, high] = [Number(slider.min), Number(slider.max)];
  for (let move = 0; move < moves; move += 1) {
    const share = 1 - Math.abs(1 - (2 * (move + 0.5)) / moves);
    const next = String(Math.round(low + share * (high - low)));
    // A coarse slider does not move with every step of ours, and then has no event.
    if (next === slider.value) continue;

    const look = move % 12 === 5;
    const start = performance.now();
    const before = look ? map() : "";
    if (look) reading.push([start, performance.now()]);
    await pause(15);

    const event = performance.now();
    slider.value = next;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    times.push((await frame()) - event);

    if (look) {
      const start = performance.now();
      looked += 1;
      if (map() === before) late += 1;
      reading.push([start, performance.now()]);
    }
  }
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  await pause(300);
}
await pause(200);
tasks.push(...observer.takeRecords());

// Reading the canvas back is our doing, not the page's.
const ours = (task) => reading.some(([from, to]) => task.startTime < to && from < task.startTime + task.duration);
const longest = Math.max(0, ...tasks.filter((task) => !ours(task)).map((task) => task.duration));
const read = reading.reduce((sum, [from, to]) => sum + to - from, 0);
return { times, looked, late, longest, read };
