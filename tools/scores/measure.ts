/**
 * What scores keep and what they leave out, through the whole engine:
 *
 *   npx tsx tools/questions/fetch.ts && npx tsx tools/scores/measure.ts [--data ../shared/data] [--side train] [--model NAME] [--rerank builtin]
 *
 * Of the queries with a right passage among the first five: how many keep it at .5 and at .7. Of first results that match
 * strongly: how many are right. Of questions about another subject: how many find nothing at .5.
 */
import { parseArgs } from 'node:util';
import { matchBandOf } from '../../src/index.js';
import { type JudgedQuery, judgedCollections, strangersTo } from './collections.js';
import { openReranker, withEngine } from './with-engine.js';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    fetched: { type: 'string' },
    side: { type: 'string', default: 'test' },
    only: { type: 'string', default: '' },
    model: { type: 'string' },
    rerank: { type: 'string', default: 'reader' },
  },
});
if (options.side !== 'test' && options.side !== 'train') throw new Error('--side is "train" or "test".');

const SHOWN = 10;
const STRANGERS = 60;

interface Asked {
  readonly scores: readonly number[];
  /** Place of the first right result; absent where none is shown. */
  readonly right: number | undefined;
}

const reranker = await openReranker(options.rerank);
const collections = await judgedCollections(options.side, options);
const byKind = new Map<string, { own: Asked[]; strange: Asked[] }>();
console.log(
  '| collection | queries | first | in five | kept at .5 | kept at .7 | strong and first, right | strangers | nothing at .5 | median scores at 1, 2, 3, 5, 10 |\n|---|---|---|---|---|---|---|---|---|---|',
);
for (const collection of collections.filter(({ name }) => name.includes(options.only))) {
  const { own, strange } = await withEngine(
    collection,
    { model: options.model, reranker },
    async (engine) => {
      const ask = async ({ text, isRight, isOwn = () => false }: JudgedQuery): Promise<Asked> => {
        const { results } = await engine.search({ text, options: { topK: SHOWN + 1, minSimilarity: 0 } });
        const counted = results.filter((result) => !isOwn(result)).slice(0, SHOWN);
        const right = counted.findIndex(isRight);
        return { scores: counted.map(({ score }) => score), right: right === -1 ? undefined : right };
      };
      return {
        own: await inOrder(collection.queries, ask),
        strange: await inOrder(strangersTo(collection, collections, STRANGERS), ask),
      };
    },
  );
  console.log(rowOf(collection.name, own, strange));
  const kind = byKind.get(collection.kind) ?? { own: [], strange: [] };
  byKind.set(collection.kind, {
    own: [...kind.own, ...own],
    strange: [...kind.strange, ...strange],
  });
}
for (const [kind, { own, strange }] of byKind) console.log(rowOf(`all: ${kind}`, own, strange));

async function inOrder(
  queries: readonly JudgedQuery[],
  ask: (query: JudgedQuery) => Promise<Asked>,
): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const query of queries) asked.push(await ask(query));
  return asked;
}

function rowOf(name: string, own: readonly Asked[], strange: readonly Asked[]): string {
  const inFive = own.filter(({ right }) => right !== undefined && right < 5);
  const keptAt = (least: number) =>
    shareOf(inFive, ({ scores, right }) => (scores[right ?? 0] ?? 0) >= least);
  const strong = own.filter(({ scores: [best] }) => best !== undefined && matchBandOf(best) === 'strong');
  const medians = [1, 2, 3, 5, 10].map((place) =>
    median(own.flatMap(({ scores }) => scores[place - 1] ?? [])),
  );
  const cells = [
    name,
    own.length,
    shareOf(own, ({ right }) => right === 0),
    shareOf(own, ({ right }) => right !== undefined && right < 5),
    keptAt(0.5),
    keptAt(0.7),
    `${strong.filter(({ right }) => right === 0).length} of ${strong.length}`,
    strange.length,
    shareOf(strange, ({ scores }) => (scores[0] ?? 0) < 0.5),
    medians.map((value) => value.toFixed(2)).join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

function shareOf<Item>(items: readonly Item[], holds: (item: Item) => boolean): string {
  return items.length === 0 ? '' : (items.filter(holds).length / items.length).toFixed(3);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
