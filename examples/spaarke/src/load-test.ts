import type { RagstoneClient } from 'ragstone/client';
import type { CorpusQuestion } from './corpus/corpus.js';

/** How much is asked. */
export interface LoadOptions {
  /** Callers that each wait for their answer before they ask again. */
  readonly callers: number;
  /** Searches in all, and documents that are indexed one by one. */
  readonly searches: number;
  readonly writes: number;
}

/** Times of one kind of call, in milliseconds. */
export interface Timings {
  readonly calls: number;
  readonly failures: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface LoadReport {
  readonly search: Timings;
  readonly index: Timings;
  readonly embedding: Timings;
}

type Client = Pick<RagstoneClient, 'search' | 'indexDocument' | 'embed' | 'deleteKnowledgeDocument'>;

/** What one tenant asks, and how. */
export interface LoadTenant {
  readonly tenantId: string;
  readonly client: Client;
  readonly questions: readonly CorpusQuestion[];
}

/** A call that is made again counts as one that failed. */
const ONCE = { retries: 0 };

const amendment = (number: number) => ({
  id: `load-${number}`,
  documentName: `Load ${number}`,
  documentType: 'contract',
  tags: ['load'],
  content: `Amendment ${number}. The fee of ${number} euros is payable within 30 days of receipt. `.repeat(
    20,
  ),
});

/** Searches, then indexes, then embeds, spread over the tenants. A failed call counts as one; its time does not. */
export async function measureLoad(
  tenants: readonly LoadTenant[],
  { callers, searches, writes }: LoadOptions,
): Promise<LoadReport> {
  const at = (index: number): LoadTenant => {
    const tenant = tenants[index % tenants.length];
    if (tenant === undefined) throw new Error('A load needs a tenant.');
    return tenant;
  };
  const questionAt = (index: number): string => {
    const { questions } = at(index);
    return questions[Math.floor(index / tenants.length) % questions.length]?.question ?? '';
  };
  const search = await timed(searches, callers, (index) =>
    at(index).client.search({ query: questionAt(index) }, ONCE),
  );
  const index = await timed(writes, 1, (number) => at(number).client.indexDocument(amendment(number), ONCE));
  const embedding = await timed(searches, callers, (number) =>
    at(number).client.embed({ text: questionAt(number) }, ONCE),
  );
  for (let number = 0; number < writes; number += 1)
    await at(number).client.deleteKnowledgeDocument(`load-${number}`);
  return { search, index, embedding };
}

/** Calls as often as is said, by so many callers at a time. */
async function timed(
  count: number,
  callers: number,
  call: (index: number) => Promise<unknown>,
): Promise<Timings> {
  const times: number[] = [];
  let failures = 0;
  let next = 0;
  const begin = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const start = performance.now();
      try {
        await call(index);
        times.push(performance.now() - start);
      } catch {
        failures += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, worker));
  const seconds = (performance.now() - begin) / 1_000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.ceil(share * times.length) - 1] ?? Number.NaN;
  return {
    calls: count,
    failures,
    perSecond: times.length / seconds,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
  };
}
