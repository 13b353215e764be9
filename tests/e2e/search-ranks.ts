// A process of its own: searches for the words of the ranks that it is sent, one after the other, and tells how each was answered.
// Arguments: the folder, and the settings of `rag.retrieval.cache` as JSON.
import { tracingChannel } from 'node:diagnostics_channel';
import { createEngine } from '../../src/index.js';

/** How a search was answered. */
export interface RankAnswer {
  readonly rank: number;
  /** The document that was found first. */
  readonly first: string | undefined;
  readonly cache: string;
  readonly tookMs: number;
  readonly noticeKinds: readonly string[];
}

const [cwd = '', cache = '{}'] = process.argv.slice(2);
const retrieval = { cache: JSON.parse(cache) as object, rerank: { enabled: false } };
const engine = await createEngine({ cwd, config: { provider: 'libsql', retrieval } });
let last = 'none';
tracingChannel('ragstone:search').asyncEnd.subscribe((payload) => {
  last = (payload as { cache: string }).cache;
});

async function answerOf(rank: number): Promise<RankAnswer> {
  const { results, tookMs, noticeKinds } = await engine.search(`word${rank}x`, { tenant: 'a' });
  return { rank, first: results[0]?.metadata.source, cache: last, tookMs, noticeKinds };
}

async function answerAll(ranks: readonly number[]): Promise<void> {
  const answers: RankAnswer[] = [];
  for (const rank of ranks) answers.push(await answerOf(rank));
  process.send?.(answers);
}

process.on('message', (ranks: readonly number[]) => void answerAll(ranks));
process.on('disconnect', () => void engine.close());
process.send?.('ready');
