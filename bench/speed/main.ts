import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { circumstances } from '../shared/machine.js';
import { assertPlacesExist, LOCAL_RESULTS } from '../shared/places.js';
import { builtinModel } from './builtin-model.js';
import { eventLoop } from './event-loop.js';
import { indexing } from './indexing.js';
import { memory } from './memory.js';
import { minilm } from './minilm.js';
import { rerun } from './rerun.js';
import { presentable, renderTable, type SpeedBenchmark, type SpeedResult } from './result.js';
import { search } from './search.js';
import { startUp } from './start-up.js';

const BENCHMARKS: readonly SpeedBenchmark[] = [
  indexing,
  eventLoop,
  rerun,
  minilm,
  search,
  memory,
  startUp,
  builtinModel,
];

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    small: { type: 'boolean', default: false },
  },
});

function chosen(): readonly SpeedBenchmark[] {
  const { only } = values;
  if (only === undefined) return BENCHMARKS;
  const unknown = only.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0) {
    const known = BENCHMARKS.map(({ name }) => name).join(', ');
    console.error(`There is no benchmark ${unknown.join(', ')}. There are ${known}.`);
    process.exit(2);
  }
  return BENCHMARKS.filter(({ name }) => only.includes(name));
}

assertPlacesExist();
const report = { ...circumstances(), isSmall: values.small, results: [] as SpeedResult[] };
for (const benchmark of chosen()) {
  const results = await benchmark.run({ isSmall: values.small, say: (text) => console.error(text) });
  report.results.push(...results.map(presentable));
}
mkdirSync(LOCAL_RESULTS, { recursive: true });
const file = join(LOCAL_RESULTS, 'speed.json');
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
if (values.json) console.log(JSON.stringify(report, null, 2));
else console.log(`${renderTable(report.results)}\n\nAll of it: ${file}`);
