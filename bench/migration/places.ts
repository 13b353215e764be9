import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { slicesOf } from '../../src/core/slices.js';
import { openEngine } from '../../src/engine/create-engine.js';
import type { RAGSettingsInput, SearchResponse } from '../../src/index.js';
import { type Issue, textOfIssue } from '../sync/jira-issues.js';

const SERVERS: Readonly<Record<string, string | undefined>> = {
  postgres: process.env.RAGSTONE_TEST_POSTGRES_URL,
  opensearch: process.env.RAGSTONE_TEST_OPENSEARCH_URL,
  chroma: process.env.RAGSTONE_TEST_CHROMA_URL,
};
export const STORES = ['lancedb', 'postgres', 'opensearch', 'chroma'];

const PUSHED_AT_ONCE = 1_000;

/** An index of one store. */
export interface Place {
  readonly config: RAGSettingsInput;
  readonly dataDir: string;
  readonly cwd: string;
}

export function placeIn(home: string, store: string, name: string): Place {
  const url = SERVERS[store];
  if (store !== 'lancedb' && url === undefined)
    throw new Error(`RAGSTONE_TEST_${store.toUpperCase()}_URL names no server.`);
  const namespace = `bench${createHash('sha256').update(home).digest('hex').slice(0, 8)}`;
  const config = {
    provider: store as NonNullable<RAGSettingsInput['provider']>,
    ...(url === undefined ? {} : { storage: { server: { url, namespace } } }),
  };
  return { config, dataDir: join(home, name), cwd: home };
}

/** Pushes the issues, unless an earlier run did; says how many seconds it took. */
export async function buildOnce(place: Place, issues: readonly Issue[]): Promise<number | undefined> {
  const mark = `${place.dataDir}.${issues.length}-issues`;
  if (existsSync(mark)) return undefined;
  const began = performance.now();
  const { engine } = await openEngine(place);
  for (const some of slicesOf(issues, PUSHED_AT_ONCE))
    await engine.push(
      some.map((issue) => ({
        id: issue.issuekey,
        title: issue.title,
        text: textOfIssue(issue),
      })),
    );
  await engine.close();
  writeFileSync(mark, '');
  return Math.round((performance.now() - began) / 1_000);
}

/** Results of all queries, by ids. A degraded search says nothing of a store, and is made again when the machine had time to recover. */
export async function answersOf(place: Place, queries: readonly string[], topK: number): Promise<string[][]> {
  const { engine } = await openEngine(place);
  const found: string[][] = [];
  for (const text of queries) {
    const options = { topK, minSimilarity: 0 };
    found.push(await whole(async () => engine.search({ text, options })));
  }
  await engine.close();
  return found;
}

const PATIENCE = 10;

async function whole(search: () => Promise<SearchResponse>): Promise<string[]> {
  for (let attempt = 1; attempt <= PATIENCE; attempt++) {
    const { results, degradation } = await search();
    if (degradation === undefined) return results.map(({ id }) => id);
    console.error(`degraded: ${JSON.stringify(degradation)}`);
    await sleep(2_000);
  }
  throw new Error(`A search was degraded ${PATIENCE} times: the overlap would say nothing.`);
}

export async function removeIndex(place: Place): Promise<void> {
  const { engine } = await openEngine(place);
  await engine.clear();
  await engine.close();
  rmSync(place.dataDir, { recursive: true, force: true });
}
