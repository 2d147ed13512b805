// Tests the type declarations: real answers, written as literals, are compiled against them, which
// finds missing and surplus keys. The package's examples in TypeScript are compiled, too.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalog, estimate, mixed, parameters, rank, sweep, understand } from 'shardwise';
import * as shardwise from 'shardwise';
import { scenarios } from './inputs.mjs';

/** As strict as TypeScript is, without the types of whatever lies in folders above. */
const OPTIONS = {
  strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022', module: 'nodenext', types: [],
};

/** What the compiler says of some code. */
function compiled(name, code) {
  writeFileSync(`${name}.ts`, code);
  writeFileSync(`${name}.json`, JSON.stringify({ compilerOptions: OPTIONS, files: [`${name}.ts`] }));
  const words = [process.env.SHARDWISE_TSC, '--project', `${name}.json`];
  return spawnSync(process.execPath, words, { encoding: 'utf8' }).stdout;
}

const IMPORTS = "import type { Catalog, Mixed, Parameter, ParameterKey, Ranking, Report, Sweep, Understood } from 'shardwise';\n";

/** Typed arrays are no JSON. */
function literal(value) {
  return JSON.stringify(value, (_, part) => (ArrayBuffer.isView(part) ? `${part.constructor.name}(1)` : part))
    .replaceAll(/"(Float64Array|Uint8Array)\(1\)"/g, 'new $1(1)');
}

test('every key of a real answer is declared, and the other way round', () => {
  const reports = scenarios().map((scenario) => estimate(scenario, { strict: false }));
  // A run that never ends.
  reports.push(estimate({ mtbf: 1, gpus: 16384, size: '300B', storage: 1e-9 }, { strict: false }));
  const { link: _, ...points } = sweep('v=1', { seq: [1024], strategy: ['ddp'] }, { run: true });
  const sentences = ['llama 3.1 8b qlora on 2x4090 with hyperdrive', '70B, 1T tokens, 30 days, cheapest', '7B on 8 H100, best layout'];
  const keys = Object.fromEntries(parameters().map(({ key }) => [key, true]));
  const code = [
    IMPORTS,
    ...reports.map((report, index) => `export const report${index}: Report = ${literal(report)};`),
    `export const points: Omit<Sweep, 'link'> = ${literal(points)};`,
    `export const keys: Record<ParameterKey, true> = ${literal(keys)};`,
    `export const parameters: Parameter[] = ${literal(parameters())};`,
    `export const ranking: Ranking = ${literal(rank({ model: 'llama-3-8b', gpus: 8, seq: '2k', cluster: 'dgx-h100' }, 2))};`,
    `export const two: Mixed = ${literal(mixed({ model: 'llama-3-8b', gpus: 16, seq: '4k', mbs: 1, cluster: 'dgx-h100' }, { cluster: 'dgx-a100-80', gpus: 8 }))};`,
    ...sentences.map((sentence, index) => `export const sentence${index}: Understood = ${literal(understand(sentence))};`),
    `export const catalog: Catalog = ${literal(catalog())};`,
  ];
  assert.equal(compiled('answers', code.join('\n')), '');
});

test('a key that is missing or too much does not compile', () => {
  const { mfu: _, ...less } = estimate('v=1');
  const said = compiled('wrong', `${IMPORTS}export const less: Report = ${literal(less)};
    export const more: Report = ${literal({ ...less, mfu: 1, speed: 1 })};`);
  assert.match(said, /'mfu' is missing/);
  assert.match(said, /'"speed"' does not exist/);
});

test('the declarations export what the package does', () => {
  const names = Object.keys(shardwise);
  assert.deepEqual(names.sort(), ['catalog', 'estimate', 'link', 'lint', 'mixed', 'parameters', 'plan', 'rank', 'read', 'sweep', 'understand']);
  assert.equal(compiled('names', `import { ${names.join(', ')} } from 'shardwise';
    export const functions: Function[] = [${names.join(', ')}];`), '');
});

test('a program in TypeScript compiles', () => {
  assert.equal(compiled('program', readFileSync('program.ts', 'utf8')), '');
});

test('the package holds its examples and licences', () => {
  for (const file of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE', 'index.d.ts', 'examples/notebook.html', 'examples/plan.mjs']) {
    assert.ok(existsSync(`node_modules/shardwise/${file}`), file);
  }
});

test('the example ranks plans', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['node_modules/shardwise/examples/plan.mjs'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /The fastest, limited by .*: #v=1&cluster=/);
});
