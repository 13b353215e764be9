import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { SearchResponse } from '../operations/engine.js';

const SUBJECTS = [
  'gateway',
  'ledger',
  'reader',
  'writer',
  'queue',
  'index',
  'cache',
  'router',
  'proxy',
  'store',
];
const VERBS = [
  'waits',
  'retries',
  'answers',
  'fails',
  'starts',
  'stops',
  'rotates',
  'signs',
  'logs',
  'drains',
];
const FILLER = 'The limit holds for the whole day and for each tenant. '.repeat(6);

const documents = Array.from({ length: 100 }, (_, i) => ({
  id: `d${i}.md`,
  text: `# Note ${i}\n\nThe ${SUBJECTS[i % 10]} ${VERBS[Math.floor(i / 10)]} after ${i} seconds. ${FILLER}`,
}));
const queries = Array.from(
  { length: 20 },
  (_, i) => `when does the ${SUBJECTS[i % 10]} that ${VERBS[(i * 3) % 10]} reach its limit ${i}`,
);

const seen = ({ results, lanes, degradationLevel }: SearchResponse) => ({
  results: results.map(({ id, score }) => [id, score]),
  lanes: lanes.map(({ lane, status }) => [lane, status]),
  degradationLevel,
});

// Deadlines used to count the work of all the other searches.
it('200 searches at once find what each finds alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-parallel-'));
  const engine = await createEngine({ cwd: folder, config: { provider: 'lancedb' } });
  try {
    await engine.index({ documents });
    const alone: ReturnType<typeof seen>[] = [];
    for (const query of queries) {
      let response = await engine.search(query);
      // What the reader has no time for is read by the next search.
      while (response.lanes.some(({ reason }) => reason?.includes('has not read')))
        response = await engine.search(query);
      alone.push(seen(response));
    }
    const many = Array.from({ length: 10 }, () => queries).flat();
    const together = await Promise.all(many.map((query) => engine.search(query)));
    expect(together.map(seen)).toEqual(many.map((_, i) => alone[i % queries.length]));
  } finally {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  }
});
