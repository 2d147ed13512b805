// Wraps the module, which uses texts and arrays of numbers, with objects. Types and units:
// index.d.ts.
import * as engine from './shardwise.js';

/** More points than this are more memory than a page should take. */
const MOST_POINTS = 1_000_000;

/** The columns of a sweep, in the module's order: of every one, and of the whole run after them. */
const columns = () => engine.columns().split('\n\n').map((names) => names.split('\n'));
/** Columns of small whole numbers. */
const WHOLE = new Set(['fits', 'limiter']);

export function estimate(scenario, options) {
  return JSON.parse(engine.estimate(...asked('estimate', scenario, options)));
}

export function link(scenario, page, options) {
  if (page !== undefined && typeof page !== 'string' && !(page instanceof URL)) {
    throw new TypeError(`link: the page must be an address as text or URL, not ${kind(page)}.`);
  }
  const fragment = engine.link(...asked('link', scenario, options));
  return page === undefined ? fragment : `${String(page).split('#')[0]}#${fragment}`;
}

export function rank(scenario, most = 10, options = {}) {
  if (!isRecord(options)) throw new TypeError(`rank: options must be an object, not ${kind(options)}.`);
  const { batch, hold = [], ...others } = options;
  const given = asked('rank', scenario, others);
  checkNumber('rank', 'batch', batch);
  checkTexts('rank', 'hold', 'keys of parameters', hold);
  return JSON.parse(engine.rank(...given, batch, hold, count('rank', 'layouts', most)));
}

export function mixed(scenario, others, options) {
  if (!isRecord(others)) throw new TypeError(`mixed: the other GPUs must be an object with their values, not ${kind(others)}.`);
  const pairs = Object.entries(others).filter(([, value]) => value !== undefined);
  const given = asked('mixed', scenario, options);
  return JSON.parse(engine.mixed(...given, pairs.map(([key, value]) => `${key}=${word('mixed', key, value)}`)));
}

/** Refuses a given value that is not a number. */
function checkNumber(caller, name, value) {
  if (value !== undefined && typeof value !== 'number') {
    throw new TypeError(`${caller}: ${name} must be a number, not ${kind(value)}.`);
  }
}

/** Refuses what is not a list of texts. */
function checkTexts(caller, name, what, values) {
  if (!isList(values) || !Array.from(values).every((value) => typeof value === 'string')) {
    throw new TypeError(`${caller}: ${name} must be a list of ${what}.`);
  }
}

export function plan(scenario, question = 'fewest', options = {}) {
  if (!isRecord(options)) throw new TypeError(`plan: options must be an object, not ${kind(options)}.`);
  const { days, budget, batch, sure, clusters = [], hold = [], most = 24, ...others } = options;
  const given = asked('plan', scenario, others);
  const own = { cheapest: 'days', fastest: 'budget' }[question];
  for (const [name, value] of Object.entries({ days, budget })) {
    if (value === undefined) continue;
    if (name !== own) throw new TypeError(`plan: “${name}” is no limit of “${question}”.`);
    checkNumber('plan', name, value);
  }
  checkNumber('plan', 'batch', batch);
  checkNumber('plan', 'sure', sure);
  checkTexts('plan', 'clusters', 'their ids', clusters);
  checkTexts('plan', 'hold', 'keys of parameters', hold);
  const limits = [days ?? budget, batch, sure];
  return JSON.parse(engine.plan(...given, String(question), ...limits, clusters, hold, count('plan', 'answers', most)));
}

export function read(scenario, ...files) {
  const options = isOptions(files.at(-1)) ? files.pop() : undefined;
  const bytes = files.map((file) => {
    const data = isRecord(file) ? file.data : file;
    if (typeof data === 'string') return new TextEncoder().encode(data);
    if (data instanceof Uint8Array) return data;
    throw new TypeError(`read: a file must be text, bytes, or { name, data }, not ${kind(data)}.`);
  });
  const names = files.map((file) => (isRecord(file) ? String(file.name ?? '') : ''));
  return JSON.parse(engine.read(...asked('read', scenario, options), names, bytes));
}

export function lint(scenario, ...files) {
  const brought = read(scenario, ...files);
  if (brought.kind !== 'run') throw new Error('lint: this is not the configuration of a run; read() says what it is.');
  if (brought.missing.length > 0) throw Object.assign(new RangeError(brought.missing.join(' ')), { code: 'missing' });
  return brought.offers;
}

export function understand(words, link = '', options) {
  if (typeof words !== 'string') throw new TypeError(`understand: the run must be text, not ${kind(words)}.`);
  return JSON.parse(engine.understand(words, engine.link(...asked('understand', link, options))));
}

export function catalog() {
  return JSON.parse(engine.catalog());
}

export function parameters(scenario = {}, options) {
  return JSON.parse(engine.parameters(...asked('parameters', scenario, options)));
}

export function sweep(scenario, axes, options = {}) {
  if (!isRecord(options)) throw new TypeError(`sweep: options must be an object, not ${kind(options)}.`);
  const { run = false, ...others } = options;
  const base = asked('sweep', scenario, others);
  if (!isRecord(axes)) {
    throw new TypeError(`sweep: axes must be an object such as { seq: [4096, 8192] }, not ${kind(axes)}.`);
  }
  const keys = Object.keys(axes).filter((key) => axes[key] !== undefined);
  if (keys.length < 1 || keys.length > 2) {
    throw new TypeError(`sweep: axes must name one or two parameters, not ${keys.length}.`);
  }
  const own = keys.map((key) => engine.axis_key(key));
  const issues = JSON.parse(engine.issues(...base, own));
  const [outer, inner] = keys.map((key, index) => axis(base, own[index], key, axes[key]));
  const shape = keys.length === 2 ? [outer.values.length, inner.values.length] : [outer.values.length];
  const length = shape.reduce((product, count) => product * count, 1);
  if (length > MOST_POINTS) {
    throw new RangeError(`sweep: ${length} points are more than ${MOST_POINTS}. Sweep fewer values at a time.`);
  }
  const second = inner ?? { key: '', numbers: Float64Array.of(0) };
  const table = engine.sweep(...base, outer.key, outer.numbers, second.key, second.numbers, run === true);
  const [ofTheStep, ofTheRun] = columns();
  const column = (name, place) => {
    const numbers = table.slice(place * length, (place + 1) * length);
    return [name, WHOLE.has(name) ? Uint8Array.from(numbers) : numbers];
  };
  const result = {
    axes: [outer, inner].filter(Boolean).map(({ key, unit, values }) => ({ key, unit, values })),
    shape,
    length,
    ...Object.fromEntries(ofTheStep.map(column)),
    limiters: engine.limiters().split('\n'),
    issues: [...issues, ...outer.issues, ...(inner?.issues ?? [])],
    link(first, next = 0) {
      const [one, two] = [outer.numbers.at(place(first, shape[0])), second.numbers.at(place(next, shape[1] ?? 1))];
      return engine.point(...base, outer.key, one, second.key, two);
    },
  };
  if (run === true) {
    const columnsOfTheRun = ofTheRun.map((name, index) => column(name, ofTheStep.length + index));
    result.run = Object.fromEntries(columnsOfTheRun);
  }
  return result;
}

/** An index of an axis. */
function place(index, length) {
  if (Number.isInteger(index) && index >= 0 && index < length) return index;
  throw new RangeError(`link: ${String(index)} is not a place on an axis of ${length} values.`);
}

/** The table of parameters, once it is needed. */
let table;
function parameter(key) {
  table ??= new Map(parameters().map((row) => [row.key, row]));
  return table.get(key);
}

/** An axis with its values as numbers for the module and as the report has them. */
function axis(base, key, name, given) {
  const row = parameter(key);
  const wanted = isList(given) ? given : range(base, name, row, given);
  if (wanted.length === 0) throw new RangeError(`sweep: “${name}” needs one value or more.`);
  const resolved = row?.kind === 'number' ? numbers(base, row, wanted) : typed(base, key, wanted);
  return { key, unit: row?.unit ?? '', ...resolved };
}

/** Values of a number: those that are valid stand, the rest is read as a link's. */
function numbers(base, row, wanted) {
  const values = new Float64Array(wanted.length);
  const odd = [];
  for (let index = 0; index < wanted.length; index += 1) {
    const value = wanted[index];
    const isValid = typeof value === 'number' && value >= row.min && value <= row.max
      && (!row.integer || Number.isInteger(value));
    if (isValid) values[index] = value;
    else odd.push(index);
  }
  // Even without values, this returns the issue of an axis that changes nothing.
  const read = typed(base, row.key, odd.map((index) => wanted[index]));
  odd.forEach((index, order) => { values[index] = read.numbers[order]; });
  return { values, numbers: values, issues: read.issues };
}

/** Values as the module reads typed text. */
function typed(base, key, wanted) {
  const lines = Array.from(wanted, (value) => word('sweep', key, value).replace(/\s/g, ' '));
  // An empty line is a value, too.
  const read = JSON.parse(engine.resolve(...base, key, lines.map((line) => `${line}\n`).join('')));
  return { values: read.values, numbers: Float64Array.from(read.numbers), issues: read.issues };
}

/** The values of `{ from, to, steps, scale }`. */
function range(base, key, row, given) {
  if (!isRecord(given)) {
    throw new TypeError(`sweep: “${key}” must be a list of values or { from, to, steps, scale }, not ${kind(given)}.`);
  }
  if (row?.kind !== 'number') throw new TypeError(`sweep: “${key}” has names for values: give them as a list.`);
  const { from = row.min, to = row.max, scale = row.scale === 'linear' ? 'linear' : 'log', steps = 50 } = given;
  const [low, high] = numbers(base, row, [from, to]).values;
  if (scale === 'doublings') return doublings(low, high);
  if (scale !== 'linear' && scale !== 'log') {
    throw new TypeError(`sweep: the scale of “${key}” must be linear, log or doublings, not ${kind(scale)}.`);
  }
  if (!Number.isInteger(steps) || steps < 2 || steps > MOST_POINTS) {
    throw new RangeError(`sweep: the steps of “${key}” must be a whole number from 2 to ${MOST_POINTS}, not ${String(steps)}.`);
  }
  if (scale === 'log' && !(low > 0 && high > 0)) {
    throw new RangeError(`sweep: “${key}” cannot be spread by equal ratios from or to 0: give another from, or scale linear.`);
  }
  const at = (share) => (scale === 'log' ? low * (high / low) ** share : low + (high - low) * share);
  const inside = (value) => Math.min(Math.max(value, Math.min(low, high)), Math.max(low, high));
  const values = Float64Array.from({ length: steps }, (_, index) => {
    if (index === 0) return low;
    if (index === steps - 1) return high;
    const value = inside(at(index / (steps - 1)));
    return row.integer ? Math.round(value) : value;
  });
  // Rounding can make neighboring small integers equal.
  return row.integer ? values.filter((value, index) => index === 0 || value !== values[index - 1]) : values;
}

/** Twice as much each time. */
function doublings(low, high) {
  if (!(low > 0 && high >= low)) {
    throw new RangeError('sweep: doublings go up, from more than 0.');
  }
  const values = [];
  for (let value = low; value <= high; value *= 2) values.push(value);
  return values;
}

/** The names of options that every function takes. */
const OPTIONS = ['strict', 'assume'];

/** Whether the last argument of `read` is its options, and not a file. */
function isOptions(value) {
  return isRecord(value) && !('data' in value) && Object.keys(value).every((key) => OPTIONS.includes(key));
}

/** A number of things that is at least one, and no more than the module counts. */
function count(caller, what, most) {
  if (Number.isInteger(most) && most >= 1 && most < 2 ** 32) return most;
  throw new RangeError(`${caller}: the number of ${what} must be a whole number from 1, not ${String(most)}.`);
}

/** What every function of the module takes: a scenario, whether it is read strictly, and whether what is missing is assumed. */
function asked(caller, scenario, options = {}) {
  if (!isRecord(options)) throw new TypeError(`${caller}: options must be an object, not ${kind(options)}.`);
  for (const [name, value] of Object.entries(options)) {
    if (!OPTIONS.includes(name)) throw new TypeError(`${caller}: there is no option “${name}”: there are ${OPTIONS.join(' and ')}.`);
    if (value !== undefined && typeof value !== 'boolean') {
      throw new TypeError(`${caller}: ${name} must be true or false, not ${kind(value)}.`);
    }
  }
  const { strict = true, assume = false } = options;
  return [text(caller, scenario), strict, assume];
}

/** A scenario as the module reads it: a link, or JSON with a link's keys. */
function text(caller, scenario) {
  if (typeof scenario === 'string') return scenario;
  if (scenario instanceof URL) return scenario.href;
  if (!isRecord(scenario)) {
    throw new TypeError(`${caller}: a scenario must be a link or an object with a link's keys, not ${kind(scenario)}.`);
  }
  // A report contains its scenario.
  const own = isRecord(scenario.scenario) ? scenario.scenario : scenario;
  const pairs = Object.entries(own).filter(([, value]) => value !== undefined);
  return JSON.stringify(Object.fromEntries(pairs.map(([key, value]) => [key, word(caller, key, value)])));
}

/** A value of a scenario as text: what JSON would make of a number, and of yes and no. */
function word(caller, key, value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  throw new TypeError(`${caller}: the value of “${key}” must be a number, text, true or false, not ${kind(value)}.`);
}

function isList(value) {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function isRecord(value) {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** What something is, for a sentence. */
function kind(value) {
  if (value === null) return 'null';
  if (isList(value)) return 'a list';
  if (typeof value === 'string') return `“${value.slice(0, 24)}”`;
  return { undefined: 'nothing', object: 'an object', function: 'a function' }[typeof value] ?? `a ${typeof value}`;
}
