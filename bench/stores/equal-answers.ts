import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/core/errors.js';
import { computeMetric, mean } from '../../src/evaluation/metrics.js';
import { seededRandom } from '../../src/evaluation/random.js';
import { type RetrievalDataset, readRetrievalDataset } from '../../src/evaluation/retrieval-dataset.js';
import { corpusFolder, SHARED } from '../shared/places.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { type BenchedStore, benchedStore } from './benched-stores.js';
import type { AnswersInput, Rankings, StoreAnswers } from './store-answers.js';
import { type Failure, runOnStore } from './store-process.js';

/** Scans every vector, so what it finds is what there is. */
const EXACT = 'memory';
/** What the engine takes where nothing is configured and nothing is installed. */
const DEFAULT = 'libsql';
const KEP_QUERIES = 300;
const ANSWER = fileURLToPath(new URL('answers-of-store.ts', import.meta.url));

/** How a store's answers compare; shares of the first ten that both have, and nDCG@10 on SciFact. */
export interface AnswerComparison {
  readonly store: string;
  readonly scifact: {
    readonly denseOverlap: number;
    readonly ndcg: { readonly dense: number; readonly lexical: number; readonly hybrid: number };
    /** nDCG@10 of the store's own text ranking, with what it is; absent where it ranks no text. */
    readonly ownText?: { readonly name: string; readonly ndcg: number };
    /** Of hybrid, less the embedded default's. */
    readonly difference: number;
  };
  readonly keps: { readonly denseOverlap: number; readonly hybridOverlap: number };
}

export interface AnswerReport {
  readonly queries: { readonly scifact: number; readonly keps: number };
  readonly comparisons: readonly AnswerComparison[];
  readonly failures: readonly Failure[];
}

/**
 * Indexes SciFact and the KEPs by the engine in every store and compares what it finds with exact search and with the
 * embedded default. SciFact's training queries: equality can be seen on them as well, and no test query is looked at.
 */
export async function compareAnswers(
  stores: readonly BenchedStore[],
  say: (text: string) => void,
): Promise<AnswerReport> {
  const dataset = await readRetrievalDataset(`${SHARED}data/retrieval/scifact`, { split: 'train' });
  const input: AnswersInput = {
    documents: dataset.documents,
    queries: { scifact: dataset.queries, keps: headingQueries(corpusFolder('kubernetes-keps')) },
  };
  const failures: Failure[] = [];
  const answers = new Map<string, StoreAnswers>();
  const references = [EXACT, DEFAULT].map(benchedStore);
  await withTemporaryFolder(async (folder) => {
    for (const store of new Set([...references, ...stores]))
      try {
        say(`${store.name}: indexing and asking`);
        const answer = await runOnStore(store, { file: ANSWER, input, folder, say });
        answers.set(store.name, answer as StoreAnswers);
      } catch (error) {
        const message = messageOf(error);
        say(message);
        failures.push({ store: store.name, size: dataset.documents.length, error: message.slice(0, 500) });
      }
  });
  return {
    queries: { scifact: input.queries.scifact.length, keps: input.queries.keps.length },
    comparisons: compared(answers, dataset),
    failures,
  };
}

function compared(answers: ReadonlyMap<string, StoreAnswers>, dataset: RetrievalDataset): AnswerComparison[] {
  const [exact, standard] = [answers.get(EXACT), answers.get(DEFAULT)];
  if (exact === undefined || standard === undefined) return [];
  const ndcgOfDefault = ndcgOf(standard.scifact.hybrid, dataset);
  return [...answers].map(([store, { scifact, keps, ownText }]) => {
    const hybrid = ndcgOf(scifact.hybrid, dataset);
    return {
      store,
      scifact: {
        denseOverlap: overlapOf(scifact.dense, exact.scifact.dense),
        ndcg: { dense: ndcgOf(scifact.dense, dataset), lexical: ndcgOf(scifact.lexical, dataset), hybrid },
        ...(ownText === undefined
          ? {}
          : { ownText: { name: ownText.name, ndcg: ndcgOf(ownText.rankings, dataset) } }),
        difference: hybrid - ndcgOfDefault,
      },
      keps: {
        denseOverlap: overlapOf(keps.dense, exact.keps.dense),
        hybridOverlap: overlapOf(keps.hybrid, standard.keps.hybrid),
      },
    };
  });
}

const ndcgOf = (rankings: Rankings, { judgments }: RetrievalDataset): number =>
  mean(
    Object.entries(rankings).map(([query, ranking]) =>
      computeMetric({ name: 'ndcg', k: 10 }, ranking, judgments.get(query) ?? new Map()),
    ),
  );

/** Mean share of the expected that was found. */
const overlapOf = (actual: Rankings, expected: Rankings): number =>
  mean(
    Object.entries(expected).map(([query, wanted]) => {
      const found = new Set(actual[query]);
      return wanted.length === 0 ? 1 : wanted.filter((id) => found.has(id)).length / wanted.length;
    }),
  );

/** Headings of the documents as queries, for a corpus that nobody has judged; each with its document's title. */
function headingQueries(folder: string): { id: string; text: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  );
  const headings = files.sort().flatMap((file) => {
    const [title = '', ...rest] = [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/^#{1,4} +(.+)$/gm),
    ].map((match) => match[1] ?? '');
    return rest.map((heading) => `${title.replace(/^KEP-\d+:\s*/i, '')} ${heading}`);
  });
  const random = seededRandom(11);
  return [...new Set(headings)]
    .map((text) => ({ text, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, KEP_QUERIES)
    .map(({ text }, i) => ({ id: `heading-${i}`, text }));
}
