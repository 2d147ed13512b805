// Runs the examples of README and book unchanged.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

/** The root of the project, above the published links. */
const ROOT = join(dirname(process.env.SHARDWISE_LINKS), '..', '..');
/** What an example finds beside it. */
const BEFORE = `const text = 'base_model: meta-llama/Llama-3.1-8B\\nsequence_len: 2048\\nmicro_batch_size: 1\\nadapter: lora\\n';
`;

test('the examples of the documentation run', () => {
  let count = 0;
  for (const page of ['README.md', 'npm/README.md', 'docs/book/programs.md']) {
    for (const [, block] of readFileSync(join(ROOT, page), 'utf8').matchAll(/```js\n([^]*?)```/g)) {
      // Cells of Observable are in another language.
      if (!block.startsWith('import ')) continue;
      // The second example of a page uses imports of the first.
      const goesOn = block.includes('estimate(') && !/import \{[^}]*estimate/.test(block);
      const shared = goesOn ? "import { estimate } from 'shardwise';\n" : '';
      writeFileSync('example.mjs', shared + BEFORE + block);
      const { status, stderr } = spawnSync(process.execPath, ['example.mjs'], { encoding: 'utf8' });
      assert.equal(status, 0, `${page}: ${block}\n${stderr}`);
      count += 1;
    }
  }
  assert.ok(count >= 4, `${count} examples`);
});
