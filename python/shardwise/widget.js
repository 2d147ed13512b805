// The figures that widget.py derives: sliders, a line of numbers, and two pictures.

/** Where a value stands on a slider, 0 to 1000, and back. */
const place = ({ min, max, scale }, value) =>
  1000 * (scale === 'linear' ? (value - min) / (max - min) : Math.log(value / min) / Math.log(max / min));
const value = ({ min, max, scale, integer }, place) => {
  const share = place / 1000;
  const exact = scale === 'linear' ? min + (max - min) * share : min * (max / min) ** share;
  return integer ? Math.round(exact) : Number(exact.toPrecision(3));
};
const percent = (share) => `${(100 * share).toPrecision(3)} %`;
const gib = (bytes) => `${(bytes / 2 ** 30).toPrecision(3)} GiB`;

function element(kind, name, text) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (text) made.textContent = text;
  return made;
}

function render({ model, el }) {
  const root = element('div', 'shardwise');
  const controls = element('div', 'shardwise-controls');
  const said = element('p', 'shardwise-said');
  said.setAttribute('role', 'status');
  const figures = element('div', 'shardwise-figures');
  root.append(controls, said, figures);
  el.append(root);
  const sliders = new Map();

  const slider = (row) => {
    const label = element('label', '', row.label);
    const input = element('input');
    const output = element('output');
    Object.assign(input, { type: 'range', min: 0, max: 1000, step: 1 });
    input.dataset.key = row.key;
    label.append(input, output);
    controls.append(label);
    const held = { row, input, output };
    input.addEventListener('input', () => model.send({ key: row.key, value: value(held.row, Number(input.value)) }));
    sliders.set(row.key, held);
    return held;
  };
  const draw = () => {
    for (const row of model.get('_sliders')) {
      const held = sliders.get(row.key) ?? slider(row);
      held.row = row;
      // The hand has the slider that it moves.
      if (document.activeElement !== held.input) held.input.value = place(row, row.value);
      held.output.textContent = `${row.value.toLocaleString('en')} ${row.unit}`.trim();
    }
    const shown = model.get('_shown');
    const verdict = { fits: 'Fits', tight: 'Tight fit', host_does_not_fit: 'Fits the GPUs, not the host', does_not_fit: 'Does not fit' }[shown.verdict];
    said.textContent = `${verdict}: needs ${gib(shown.needed_memory_bytes)} of ${gib(shown.capacity_bytes)}, `
      + `${percent(shown.fit_odds)} of such runs fit; ${percent(shown.mfu)} MFU, `
      + `${shown.step_time_s.toPrecision(3)} s a step, limited by ${shown.limiter.replaceAll('_', ' ')}.`;
    figures.replaceChildren(...['region', 'curve'].map((name) => {
      const picture = element('img');
      picture.alt = name === 'region' ? 'What fits over sequence length and model size' : 'MFU against link bandwidth';
      picture.src = `data:image/svg+xml,${encodeURIComponent(shown[name])}`;
      return picture;
    }));
  };
  model.on('change:_shown', draw);
  draw();
}

export default { render };
