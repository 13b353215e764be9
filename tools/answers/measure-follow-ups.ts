import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rewriteByRules } from '../../src/answering/follow-up.js';
import { searchPassages } from '../../src/answering/search-passages.js';
import { createEngine, DegradationLevel, type Engine, type Retrieve } from '../../src/index.js';
import { type ConversationTask, readConversations } from './mtrag.js';

const TOP_K = 5;

/** Recall@5 of multi-turn questions over the passages of all tasks, by what is searched for. */
export async function measureFollowUps(file: string) {
  const tasks = readConversations(file);
  const multi = tasks.filter(({ turns }) => turns.filter(({ role }) => role === 'user').length > 1);
  const ids = multi.map(({ id }) => id).sort();
  const reporting = multi.filter(({ id }) => ids.indexOf(id) % 2 === 1);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ragstone-follow-ups-'));
  const engine = await createEngine({
    config: { provider: 'memory', chunking: { strategy: 'whole' } },
    dataDir,
  });
  try {
    const passages = new Map(tasks.flatMap((task) => task.passages.map((each) => [each.id, each] as const)));
    await engine.index({
      documents: [...passages.values()].map(({ id, title, text }) => ({
        id,
        text,
        ...(title === '' ? {} : { title }),
      })),
    });
    const over = async (of: readonly ConversationTask[]) => ({
      tasks: of.length,
      lastTurn: await recall(of, (task) => plain(engine, lastTurns(task, 1))),
      withPreviousTurn: await recall(of, (task) => plain(engine, lastTurns(task, 2))),
      ours: await recall(of, (task) => rewritten(engine, task)),
    });
    return { passages: passages.size, reporting: await over(reporting), all: await over(multi) };
  } finally {
    await engine.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function recall(
  tasks: readonly ConversationTask[],
  search: (task: ConversationTask) => Promise<readonly string[]>,
): Promise<number> {
  let sum = 0;
  for (const task of tasks) {
    const gold = new Set(task.passages.map(({ id }) => id));
    const found = (await search(task)).filter((id) => gold.has(id)).length;
    sum += found / gold.size;
  }
  return sum / tasks.length;
}

const lastTurns = ({ turns }: ConversationTask, count: number): string =>
  turns
    .filter(({ role }) => role === 'user')
    .slice(-count)
    .map(({ content }) => content)
    .join('\n');

async function plain(engine: Engine, text: string): Promise<string[]> {
  // The baseline is BM25.
  const { results } = await engine.search({
    text,
    options: { topK: TOP_K, mode: 'lexical', nearDuplicates: 'keep' },
  });
  return results.map(({ metadata }) => metadata.source);
}

async function rewritten(engine: Engine, { turns }: ConversationTask): Promise<string[]> {
  const question = turns.at(-1)?.content ?? '';
  const retrieve: Retrieve = async (text, { topK }) => {
    const { results } = await engine.search({ text, options: { topK, nearDuplicates: 'keep' } });
    return {
      ranked: results.map(({ id, content, probability, metadata }) => ({
        score: probability,
        chunk: {
          id,
          content,
          documentId: metadata.source,
          tenant: 'default',
          source: 'mtrag',
          access: { groups: ['*'], level: 0 },
          identifiers: [],
          metadata: { source: metadata.source },
        },
      })),
      degradationLevel: DegradationLevel.FULL_RAG,
      notices: [],
    };
  };
  const standalone = rewriteByRules(question, turns.slice(0, -1));
  const { ranked } = await searchPassages(standalone, retrieve, { topK: TOP_K, mode: 'enhanced' });
  return ranked.map(({ chunk }) => chunk.documentId);
}
