import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/core/errors.js';
import { stopAllOnExit } from '../../tools/test-stores/start-server.js';
import { circumstances } from '../shared/machine.js';
import { LOCAL_RESULTS } from '../shared/places.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { BENCHED_STORES, type BenchedStore, benchedStore } from './benched-stores.js';
import { exactQueries, readTexts, writeTexts } from './dataset.js';
import { compareAnswers } from './equal-answers.js';
import type { Prepared, StoreMeasurement } from './measure-store.js';
import type { Failure } from './store-process.js';
import { runOnStore } from './store-process.js';
import { ANSWERS, renderAnswers, renderSpeed, SPEED, writePage } from './stores-page.js';

const SIZES = [20_000, 100_000];
const MEASURE = fileURLToPath(new URL('measure-store.ts', import.meta.url));

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    size: { type: 'string', multiple: true },
    'equal-answers': { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
  },
});

const say = (text: string): void => console.error(text);

function chosenStores(): readonly BenchedStore[] {
  try {
    return values.only?.map(benchedStore) ?? BENCHED_STORES;
  } catch (error) {
    say(messageOf(error));
    return process.exit(2);
  }
}

function chosenSizes(): readonly number[] {
  const sizes = values.size?.map(Number) ?? SIZES;
  if (sizes.every((size) => Number.isInteger(size) && size >= 100)) return sizes;
  say('--size is a number of chunks, at least 100.');
  return process.exit(2);
}

/** Every store alone, one after the other. */
async function measureAll(stores: readonly BenchedStore[], sizes: readonly number[]) {
  const results: StoreMeasurement[] = [];
  const failures: Failure[] = [];
  const texts = await readTexts();
  for (const size of sizes)
    await withTemporaryFolder(async (folder) => {
      say(`preparing ${size} chunks and what exact search finds among them`);
      const input: Prepared = {
        size,
        texts: await writeTexts(texts, size, folder),
        queries: exactQueries(size),
      };
      for (const store of stores)
        try {
          say(`${store.name}, ${size} chunks`);
          const result = await runOnStore(store, { file: MEASURE, input, folder, say });
          results.push(result as StoreMeasurement);
        } catch (error) {
          const message = messageOf(error);
          say(message);
          failures.push({ store: store.name, size, error: message.slice(0, 500) });
        }
    });
  return { results, failures };
}

function publish(name: string, report: object, rendered: string): void {
  mkdirSync(LOCAL_RESULTS, { recursive: true });
  const file = join(LOCAL_RESULTS, name);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  console.log(values.json ? JSON.stringify(report, null, 2) : `${rendered}\n\nAll of it: ${file}`);
}

stopAllOnExit();
if (values['write-docs']) {
  writePage();
} else {
  const before = circumstances();
  const stores = chosenStores();
  if (values['equal-answers']) {
    const report = await compareAnswers(stores, say);
    publish(ANSWERS, { ...before, ...report }, renderAnswers(report));
    process.exitCode = report.failures.length > 0 ? 1 : 0;
  } else {
    const report = await measureAll(stores, chosenSizes());
    publish(SPEED, { ...before, ...report }, renderSpeed(report.results));
    process.exitCode = report.failures.length > 0 ? 1 : 0;
  }
}
