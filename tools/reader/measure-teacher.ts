/**
 * How much of the gain of a teacher the reader has: both rescore the same first 30 passages of the built-in reranker, in one run.
 *
 *   npx tsx tools/questions/fetch.ts && npx tsx tools/reader/measure-teacher.ts [--data ../shared/data] [--teacher FOLDER] [--weights 8,16,32]
 *
 * `whole` is the cosine of the teacher with a whole passage at each weight, `parts` that of the most alike part, at the weight that ships.
 */

import { parseArgs } from 'node:util';
import { indexedTextOf } from '../../src/core/analysis/indexed-text.js';
import { dotProduct } from '../../src/core/dot-product.js';
import { logOddsOf } from '../../src/core/logistic.js';
import { slicesOf } from '../../src/core/slices.js';
import { createBertEmbedder } from '../../src/embedding/transformers/bert-embedder.js';
import type { Reranker } from '../../src/index.js';
import { createReaderReranker } from '../../src/reranking/reader/reader-reranker.js';
import { judgedCollections } from '../scores/collections.js';
import { openReranker, withEngine } from '../scores/with-engine.js';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    fetched: { type: 'string' },
    teacher: { type: 'string', default: '../shared/models/all-MiniLM-L6-v2' },
    weights: { type: 'string', default: '8,16,32' },
    only: { type: 'string', default: '' },
  },
});

const READ = 30;
const KINDS = ['documentation', 'visible folders'];

const teacher = await createBertEmbedder({ model: options.teacher });
const known = new Map<string, Float32Array>();
/** Vectors of texts, each read once in a run. */
async function vectorsOf(texts: readonly string[]): Promise<Float32Array[]> {
  const missing = [...new Set(texts)].filter((text) => !known.has(text));
  for (const some of slicesOf(missing, teacher.maxBatch)) {
    const vectors = await teacher.doEmbed(some, 'document');
    for (const [at, vector] of vectors.entries()) known.set(some[at] ?? '', vector);
  }
  return texts.map((text) => known.get(text) ?? new Float32Array());
}

const builtin = await openReranker('builtin');
const rerankers: Record<string, Reranker> = {
  builtin,
  reader: await openReranker('reader'),
  ...Object.fromEntries(
    options.weights.split(',').map((weight) => [`whole ${weight}`, teacherOver(Number(weight))]),
  ),
  parts: createReaderReranker({
    builtin,
    reader: {
      read: async ({ query = '', passages }) => {
        const [first, ...rest] = await vectorsOf([query, ...passages]);
        return { query: first, passages: rest };
      },
      close: async () => {},
    },
  }),
};

/** Scores are those of the built-in reranker, dealt out in the new order. */
function teacherOver(weight: number): Reranker {
  return {
    ...builtin,
    doRerank: async (query, candidates, signal) => {
      const scored = [...(await builtin.doRerank(query, candidates, signal))].sort(
        (a, b) => b.score - a.score || a.index - b.index,
      );
      const first = scored.slice(0, READ);
      const texts = first.flatMap(({ index }) => candidates[index] ?? []).map(indexedTextOf);
      const [asked = new Float32Array(), ...vectors] = await vectorsOf([query, ...texts]);
      const evidence = first.map(
        ({ score }, at) => logOddsOf(score) + weight * dotProduct(asked, vectors[at] ?? asked),
      );
      const order = first.map((_, at) => at).sort((a, b) => (evidence[b] ?? 0) - (evidence[a] ?? 0) || a - b);
      const dealt = order.map((at, place) => ({
        index: first[at]?.index ?? 0,
        score: first[place]?.score ?? 0,
      }));
      return [...dealt, ...scored.slice(READ)];
    },
  };
}

let current = builtin;
const switched: Reranker = { ...builtin, doRerank: (...asked) => current.doRerank(...asked) };
const places = new Map<string, Map<string, number[]>>();
for (const collection of await judgedCollections('test', options)) {
  if (!KINDS.includes(collection.kind) || !collection.name.includes(options.only)) continue;
  const group = collection.kind === 'documentation' ? 'test side' : collection.name;
  const found =
    places.get(group) ?? new Map<string, number[]>(Object.keys(rerankers).map((name) => [name, []]));
  places.set(group, found);
  await withEngine(collection, { reranker: switched }, async (engine) => {
    for (const [name, reranker] of Object.entries(rerankers)) {
      current = reranker;
      for (const { text, isRight } of collection.queries) {
        const { results } = await engine.search({ text, options: { topK: 10, minSimilarity: 0 } });
        found.get(name)?.push(results.findIndex(isRight));
      }
    }
  });
  print(group, found);
}

function print(group: string, found: ReadonlyMap<string, readonly number[]>): void {
  const share = (of: readonly number[], most: number): string =>
    (of.filter((place) => place >= 0 && place < most).length / of.length).toFixed(3);
  console.log(`${group} (${found.get('builtin')?.length ?? 0}): hit@1, hit@5, hit@10`);
  for (const [name, of] of found)
    console.log(`  ${name.padEnd(10)} ${[1, 5, 10].map((most) => share(of, most)).join(' ')}`);
}
process.exit(0);
