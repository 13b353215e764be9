/**
 * A process that writes, deletes and searches until it is told to end or is killed: `writing-process.ts CONFIG STATE SEED`. Each line on
 * stdout tells what is begun, what was acknowledged, and what a search was wrong about. `end` on stdin ends it.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEngine } from '../../src/index.js';
import { seededRandom } from '../../src/testing/vector-store/records.js';
import { type Line, type State, TENANTS, textOf, wordOf } from './stream.js';

const [config = '{}', state = '{"versions":{},"unsure":{}}', seed = '0', dataDir = ''] =
  process.argv.slice(2);
const given = JSON.parse(state) as State;
const versions = new Map(Object.entries(given.versions));
/** They are written anew, as what they never were, before anything is expected of them. */
const unsure = new Map(Object.entries(given.unsure));
const random = seededRandom(Number(seed));
const tell = (line: Line): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const engine = await createEngine({ config: JSON.parse(config) as object, dataDir });
let isEnding = false;
process.stdin.on('data', () => {
  isEnding = true;
});
/** What is being changed, and how often something was. */
let busy: string | undefined;
let changes = 0;

const write = async (): Promise<void> => {
  while (!isEnding) {
    const tenant = TENANTS[Math.floor(random() * TENANTS.length)] ?? 'a';
    const key = `${tenant}/doc-${Math.floor(random() * 12)}`;
    const before = versions.get(key) ?? -(unsure.get(key) ?? 0);
    const isDeletion = before > 0 && random() < 0.35;
    // A deleted document has a number too, so that it is never written as it was.
    const after = isDeletion ? -before : Math.abs(before) + 1;
    busy = key;
    tell({ kind: 'begun', key, version: after });
    try {
      if (isDeletion) {
        const { documents } = await engine.list({ limit: 100 }, { tenant });
        const found = documents.find(({ externalId }) => externalId === key);
        if (found !== undefined) await engine.delete([found.id], { tenant });
        else tell({ kind: 'wrong', what: `${key} is not listed` });
      } else await engine.push([{ id: key, text: textOf(key, after) }], { tenant });
      versions.set(key, after);
      tell({ kind: 'acknowledged', key, version: after });
    } catch (error) {
      // It may be there or not; the next one of it has a number of its own.
      versions.delete(key);
      unsure.set(key, Math.abs(after));
      tell({ kind: 'failed', key, version: after, why: String(error) });
      await sleep(50);
    }
    busy = undefined;
    changes += 1;
  }
};

const search = async (): Promise<void> => {
  while (!isEnding) {
    const keys = [...versions.keys()].filter((key) => key !== busy);
    const key = keys[Math.floor(Math.random() * keys.length)];
    if (key === undefined) {
      await sleep(20);
      continue;
    }
    const version = versions.get(key) ?? 0;
    const [tenant = ''] = key.split('/');
    try {
      const found = await engine.search(wordOf(key, Math.abs(version)), { tenant });
      const texts = found.results.map(({ content }) => content);
      const foreign = texts.find((text) => !text.includes(`tenant-${tenant}-only`));
      if (foreign !== undefined) tell({ kind: 'wrong', what: `${key} found ${foreign}` });
      const isThere = texts.some((text) => text.includes(wordOf(key, Math.abs(version))));
      if (versions.get(key) === version && busy !== key && isThere !== version > 0)
        tell({ kind: 'wrong', what: `${key} version ${version}: ${isThere ? 'found' : 'not found'}` });
      tell({
        kind: 'searched',
        isFailover: found.noticeKinds.includes('store-failover'),
        level: found.degradationLevel,
      });
    } catch (error) {
      tell({ kind: 'wrong', what: `a search failed: ${String(error)}` });
    }
    await sleep(10);
  }
};

tell({ kind: 'ready' });
await Promise.all([write(), search()]);
await engine.close();
tell({ kind: 'ended', changes });
process.exit(0);
