// The least that a page with these sliders could do: an event writes its value, six figures and a headline, and draws three
// canvases with as many lines, rectangles and words as the calculator draws, of values that cost nothing to compute.

const sliders = ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"];

// The calculator's canvases: identifier, width and height in CSS pixels.
const canvases = [
  ["map", 397, 336], ["curve", 397, 336], ["memory", 825, 112], ["step-memory", 825, 336], ["timeline", 300, 150],
  ["roofline", 397, 336], ["scaling", 397, 336], ["agreement", 825, 480],
];

// What the calculator draws on the canvases that follow a slider, as counted on its own page: lines of so many pieces each, in
// so many strokes; filled rectangles; words.
const drawn = {
  map: { lines: 142, pieces: 3, strokes: 21, rectangles: 36, words: 19, image: [189, 129] },
  curve: { lines: 342, pieces: 2, strokes: 39, rectangles: 1, words: 17 },
  memory: { lines: 120, pieces: 1, strokes: 17, rectangles: 12, words: 7 },
};

const make = (tag, parent, properties) => parent.appendChild(Object.assign(document.createElement(tag), properties));
const headline = document.querySelector("h1");
const figures = Array.from({ length: 6 }, () => make("output", document.querySelector("#figures")));
const contexts = new Map();
for (const [id, width, height] of canvases) {
  const context = make("canvas", document.querySelector("#plots"), { id, width, height }).getContext("2d");
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  contexts.set(id, context);
}

/** Draws a field of colours and stretches it over the canvas. */
const [columns, rows] = drawn.map.image;
const hidden = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
const field = new ImageData(columns, rows);
function stretch(context, value) {
  for (let at = 0; at < field.data.length; at += 4) {
    field.data[at] = (at + value) & 255;
    field.data[at + 1] = 128;
    field.data[at + 3] = 255;
  }
  hidden.getContext("2d").putImageData(field, 0, 0);
  context.drawImage(hidden, 0, 0, context.canvas.width, context.canvas.height);
}

function draw(id, value) {
  const context = contexts.get(id);
  const { width, height } = context.canvas;
  const { lines, pieces, strokes, rectangles, words, image } = drawn[id];
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, width, height);
  if (image) stretch(context, value);
  for (let at = 0; at < rectangles; at += 1) {
    context.fillStyle = `rgb(${(at * 7) & 255}, 100, 200)`;
    context.fillRect((at * width) / rectangles, 8, width / rectangles, 8);
  }
  const each = Math.ceil(lines / strokes);
  for (let stroke = 0; stroke < strokes; stroke += 1) {
    context.strokeStyle = stroke % 2 ? "#0b5cad" : "#57606a";
    context.lineWidth = 1 + (stroke % 2);
    context.beginPath();
    for (let line = 0; line < each; line += 1) {
      const [x, y] = [(line * width) / each, 20 + ((stroke * 13 + value) % (height - 40))];
      context.moveTo(x, y);
      for (let piece = 1; piece <= pieces; piece += 1) context.lineTo(x + (piece * 6) / pieces, y - 4);
    }
    context.stroke();
  }
  context.fillStyle = "#1b1f24";
  for (let word = 0; word < words; word += 1) {
    context.fillText(`${value + word} GiB`, (word * width) / words, height - 12 - (word % 3) * 14);
  }
}

function show(value) {
  headline.textContent = `A run with ${value} of something fits, with ${value} GiB to spare.`;
  figures.forEach((figure, at) => { figure.textContent = `${value + at} GiB`; });
  for (const id of Object.keys(drawn)) draw(id, value);
}

for (const name of sliders) {
  const row = make("p", document.querySelector("#controls"));
  make("label", row, { textContent: `${name} ` });
  const field = make("input", row, { type: "text", value: "100" });
  const slider = make("input", row, { type: "range", min: 0, max: 200, value: 100, ariaLabel: name });
  slider.addEventListener("input", () => {
    field.value = slider.value;
    show(Number(slider.value));
  });
}
show(100);
