// Ranks strategies and micro-batches for a model on a cluster: node plan.mjs [cluster] [model] [gpus]
import { catalog, estimate, parameters, sweep } from 'shardwise';

const [cluster = 'dgx-h100', model = 'llama-3-70b', gpus = '256'] = process.argv.slice(2);
const known = catalog();
for (const [what, id, list] of [['cluster', cluster, known.clusters], ['model', model, known.models]]) {
  if (!list.some((entry) => entry.id === id)) {
    console.error(`There is no ${what} “${id}”. There are: ${list.map((entry) => entry.id).join(', ')}`);
    process.exit(1);
  }
}

const names = new Map(parameters().filter((row) => row.kind === 'choice')
  .flatMap((row) => row.options.map((option) => [`${row.key}=${option.key}`, option.label])));
const plans = [];
for (const tp of [1, 2, 4, 8]) {
  for (const recompute of ['none', 'selective', 'full']) {
    const base = { cluster, model, gpus, tp, recompute, seq: '8k' };
    const strategies = ['zero1', 'shard-grad-op', 'full-shard', 'hybrid-shard'];
    const points = sweep(base, { strategy: strategies, mbs: [1, 2, 4, 8] }, { run: true });
    for (let point = 0; point < points.length; point += 1) {
      if (!points.fits[point]) continue;
      const [row, column] = [Math.floor(point / points.shape[1]), point % points.shape[1]];
      plans.push({
        strategy: names.get(`strategy=${points.axes[0].values[row]}`),
        tp,
        mbs: points.axes[1].values[column],
        recompute,
        'MFU %': Number((100 * points.mfu[point]).toFixed(1)),
        'tokens/s/GPU': Math.round(points.tokens_per_s_per_gpu[point]),
        'headroom GiB': Number((points.headroom_memory_bytes[point] / 2 ** 30).toFixed(1)),
        'GPU-hours': Math.round(points.run.gpu_hours[point]),
        link: points.link(row, column),
      });
    }
  }
}
plans.sort((one, other) => other['MFU %'] - one['MFU %']);
if (plans.length === 0) {
  console.log(`Nothing of what was tried fits. ${model} on ${gpus} GPUs of ${cluster} needs more of them, or a pipeline.`);
} else {
  const shown = plans.slice(0, 10).map(({ link: _, ...plan }) => plan);
  console.table(shown);
  const best = estimate(plans[0].link);
  console.log(`The fastest, limited by ${best.limiter.replaceAll('_', ' ')}: #${best.link}`);
  for (const issue of best.issues) console.log(`${issue.severity}: ${issue.message}`);
}
