import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { median, quantile, rounded } from '../shared/statistics.js';
import { syntheticTexts } from '../speed/synthetic-chunks.js';
import { writeFiles } from './corpus.js';
import type { Client, Reply } from './load.js';
import type { Server } from './server.js';

const SEARCH = '/api/ai/rag/search';
const PUSH = '/api/ai/rag/index';

/** A search as a caller sends it, by its number. */
export const searcher =
  ({ send }: Client, asked: readonly string[]) =>
  (number: number): Promise<Reply> =>
    send('POST', SEARCH, { query: asked[number % asked.length], minScore: 0 });

/** What HTTP adds to the engine's own time of a search, over one connection; p50 in milliseconds. */
export async function overhead(client: Client, asked: readonly string[], count: number) {
  const search = searcher(client, asked);
  const added: number[] = [];
  const engine: number[] = [];
  for (let number = 0; number < count; number++) {
    const start = performance.now();
    const { body } = await search(number);
    const took = Number(body.tookMs);
    engine.push(took);
    added.push(performance.now() - start - took);
  }
  return { p50Ms: rounded(median(added)), engineP50Ms: rounded(median(engine)) };
}

/** One document after the other, each asked for by the next request. */
export async function pushes({ send }: Client, count: number) {
  const times: number[] = [];
  let found = 0;
  for (let number = 0; number < count; number++) {
    const word = `zyx${number}quagga`;
    const content = `The ${word} of house ${number} was seen by the keeper of the gate. `.repeat(12);
    const start = performance.now();
    const { status } = await send('POST', PUSH, { id: word, content });
    times.push(performance.now() - start);
    const { body } = await send('POST', SEARCH, { query: word, minScore: 0 });
    if (status === 200 && JSON.stringify(body).includes(`"${word}"`)) found += 1;
  }
  return {
    p50Ms: rounded(median(times)),
    p95Ms: rounded(quantile(times, 0.95)),
    pushed: count,
    foundByNextRequest: found,
  };
}

/** Many callers that push at once. */
export async function pushesAtOnce({ send, connections }: Client, count: number) {
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      const start = performance.now();
      const content = `The ledger ${number} of the gate is kept by the keeper. `.repeat(12);
      const { status } = await send('POST', PUSH, { id: `many-${number}`, content });
      if (status === 200) times.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, caller));
  return {
    rate: rounded((times.length * 1000) / (performance.now() - start)),
    p95Ms: rounded(quantile(times, 0.95)),
    acknowledged: times.length,
  };
}

/** How late the server's event loop is while it indexes new files of a source. */
export async function indexingRun(
  { folder, texts }: { readonly folder: string; readonly texts: readonly string[] },
  { send }: Client,
  server: Server,
) {
  const files = await writeFiles(join(folder, 'more'), syntheticTexts(texts, 2_400));
  await server.report('reset');
  const start = performance.now();
  const { status } = await send('POST', '/rag/index');
  const { delayMs } = await server.report('read');
  return {
    status,
    files,
    seconds: rounded((performance.now() - start) / 1000),
    eventLoopDelayMs: { p50: rounded(delayMs.p50), p99: rounded(delayMs.p99), max: rounded(delayMs.max) },
  };
}

/** Resident memory under a steady load of searches and pushes, a sample each second. */
export async function memory(
  client: Client,
  server: Server,
  {
    asked,
    rate,
    minutes,
  }: { readonly asked: readonly string[]; readonly rate: number; readonly minutes: number },
) {
  const search = searcher(client, asked);
  const samples: number[] = [];
  const end = performance.now() + minutes * 60_000;
  let number = 0;
  while (performance.now() < end) {
    const due = performance.now() + 1000;
    const sent = Array.from({ length: Math.max(1, Math.round(rate)) }, () => search(number++));
    // The same few documents, so that the index does not grow.
    await client.send('POST', PUSH, { id: `soak-${number % 20}`, content: `The soak ${number} goes on.` });
    await Promise.all(sent);
    samples.push((await server.report('read')).rssMiB);
    await wait(Math.max(0, due - performance.now()));
  }
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  return {
    minutes,
    firstQuarterMiB: rounded(median(samples.slice(0, quarter))),
    lastQuarterMiB: rounded(median(samples.slice(-quarter))),
    maxMiB: rounded(Math.max(...samples)),
    searches: number,
  };
}
