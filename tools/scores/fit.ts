/**
 * Fits how well a passage matches (`src/retrieval/match`), on train data alone:
 *
 *   npx tsx tools/questions/fetch.ts && npx tsx tools/scores/fit.ts [--data ../shared/data] [--only read]
 *
 * A right passage among the first five is to be told from the first five for questions about another subject, and from what
 * lies far down the list; a wrong passage about the right thing is neither. Of what the reader reads, its first 30, another model is fitted. Then the scale: .5 is what few questions about
 * another subject reach, .7 what most right passages do. No weight is
 * negative, so more of what matches never scores lower. Writes `src/retrieval/match/match-parameters.ts`; format it with
 * `npx biome check --write src/retrieval` afterwards.
 */

import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { meanAndDeviation } from '../../bench/shared/statistics.js';
import { profileOf } from '../../src/core/analysis/query-profile.js';
import { occurrencesOf } from '../../src/core/occurrences.js';
import { loadWordRarity } from '../../src/embedding/static/word-rarity.js';
import type { Engine, Reranker, SearchResult } from '../../src/index.js';
import {
  MATCH_FEATURES,
  type MatchFeature,
  matchFeaturesOf,
} from '../../src/retrieval/match/match-features.js';
import { MATCH_PARAMETERS, type MatchModel } from '../../src/retrieval/match/match-parameters.js';
import { type Case, fitLogistic } from '../answers/logistic.js';
import { type JudgedQuery, judgedCollections, strangersTo } from './collections.js';
import { openReranker, withEngine } from './with-engine.js';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    fetched: { type: 'string' },
    only: { type: 'string' },
  },
});

const POOL = 100;
const STRANGERS = 50;
/** Far down a list hardly anything matches: every so many passages from there on. */
const FAR = { from: 40, step: 6 };
const FAR_OF_READ = { from: 20, step: 2 };
/** How much questions about another subject count, and passages far down, beside right ones. */
const WEIGHTS = { strange: 2, far: 0.3 };
/** Share of questions about another subject that find nothing at .5 (the reader tells them better), and of right passages that reach .7. */
const EMPTY = { all: 0.92, words: 0.92, read: 0.95 };
const REACHED = { all: 0.75, words: 0.75, read: 0.7 };
/** Scores of .5 and .7 in log-odds, below the .95 that a passage without the identifier asked for has at most. */
const HALF = Math.log(0.5 / 0.45);
const GOOD = Math.log(0.7 / 0.25);

type Features = Readonly<Record<MatchFeature, number>>;

interface Observed {
  readonly kind: string;
  /** Right passages among the first five, and others that are to be told from them. */
  readonly right: readonly Features[];
  readonly wrong: readonly Features[];
  /** The first five, in order; and which of them are right. */
  readonly first: readonly Features[];
}

/** Which searches are observed, and of which features. */
type Kind = 'hybrid' | 'lexical' | 'read';

const rarityOf = await loadWordRarity();
const collections = await judgedCollections('train', options);

/** What the reader said of passages in the last search, by their text. */
let readings: ReadonlyMap<string, number> = new Map();

/** The reranker of one kind of searches, which tells what the reader says. */
async function openObserved(kind: Kind): Promise<Reranker> {
  const reranker = await openReranker(kind === 'read' ? 'reader' : 'builtin');
  return {
    ...reranker,
    async doRerank(query, candidates, signal) {
      const answer = await reranker.doRerank(query, candidates, signal);
      readings = new Map(
        answer.flatMap(({ index, reading }) =>
          reading === undefined ? [] : [[candidates[index]?.content ?? '', reading]],
        ),
      );
      return answer;
    },
  };
}

async function observe(kind: Kind): Promise<Observed[]> {
  const observed: Observed[] = [];
  const reranker = await openObserved(kind);
  for (const collection of collections)
    await withEngine(collection, { reranker }, async (engine) => {
      for (const query of collection.queries)
        observed.push(await observeOwn(engine, query, { of: collection.kind, kind }));
      for (const { text } of strangersTo(collection, collections, STRANGERS)) {
        const first = (await listOf(engine, text, kind)).slice(0, 5).map(({ features }) => features);
        observed.push({ kind: 'strange', right: [], wrong: first, first });
      }
    });
  // Where the reader did not read there is nothing to learn of it.
  return observed.filter(({ first }) => kind !== 'read' || first.length > 0);
}

async function observeOwn(
  engine: Engine,
  { text, isRight, isOwn = () => false }: JudgedQuery,
  { of, kind }: { readonly of: string; readonly kind: Kind },
): Promise<Observed> {
  const list = (await listOf(engine, text, kind)).filter(({ result }) => !isOwn(result));
  const first = list.slice(0, 5);
  const { from, step } = kind === 'read' ? FAR_OF_READ : FAR;
  return {
    kind: of,
    right: first.filter(({ result }) => isRight(result)).map(({ features }) => features),
    wrong: list
      .slice(from)
      .filter(({ result }, i) => i % step === 0 && !isRight(result))
      .map(({ features }) => features),
    first: first.map(({ features }) => features),
  };
}

async function listOf(
  engine: Engine,
  text: string,
  kind: Kind,
): Promise<readonly { readonly result: SearchResult; readonly features: Features }[]> {
  const search = async (by: 'hybrid' | 'lexical' | 'dense') =>
    (
      await engine.search({
        text,
        options: { mode: by, topK: POOL, minSimilarity: 0, nearDuplicates: 'keep', explainScore: true },
      })
    ).results;
  const nearest = kind === 'hybrid' ? await search('dense') : [];
  const cosines = nearest.map(({ explanation }) => explanation?.semanticScore ?? 0);
  const context = {
    query: profileOf(text, rarityOf),
    ...(kind === 'hybrid' ? { background: Math.min(...cosines) } : {}),
  };
  const results = await search(kind === 'lexical' ? 'lexical' : 'hybrid');
  return results
    .filter(({ content }) => kind !== 'read' || readings.has(content))
    .map((result) => ({
      result,
      features: matchFeaturesOf(
        {
          chunk: {
            content: result.content,
            metadata: { ...result.metadata, headingPath: [...result.metadata.headingPath] } as never,
          },
          ...(result.explanation?.semanticScore === undefined
            ? {}
            : { semanticScore: result.explanation.semanticScore }),
          ...(kind === 'read' ? { reading: readings.get(result.content) ?? 0 } : {}),
        },
        context,
      ),
    }));
}

function modelOf(
  observed: readonly Observed[],
  names: readonly MatchFeature[],
  { empty, reached }: { readonly empty: number; readonly reached: number },
): MatchModel {
  const counts = occurrencesOf(observed.map(({ kind }) => kind));
  const all = observed.flatMap(({ right, wrong }) => [...right, ...wrong]);
  const scale = names.map((name) => meanAndDeviation(all.map((features) => features[name])));
  const rowOf = (features: Features) =>
    names.map((name, j) => (features[name] - (scale[j]?.mean ?? 0)) / (scale[j]?.deviation || 1));
  const cases = observed.flatMap(({ kind, right, wrong }): Case[] => {
    const share = 1 / (counts.get(kind) ?? 1);
    const weight = share * (kind === 'strange' ? WEIGHTS.strange : WEIGHTS.far);
    return [
      ...right.map((features) => ({ x: rowOf(features), y: 1, weight: share / right.length })),
      ...wrong.map((features) => ({ x: rowOf(features), y: 0, weight: weight / wrong.length })),
    ];
  });
  const [bias = 0, ...weights] = fitLogistic(cases, { isNonNegative: () => true });
  const logitOf = (features: Features) =>
    rowOf(features).reduce((sum, value, j) => sum + value * (weights[j] ?? 0), bias);
  const strange = observed.filter(({ kind }) => kind === 'strange');
  const half = quantile(
    strange.map(({ first: [best] }) => (best === undefined ? Number.NEGATIVE_INFINITY : logitOf(best))),
    empty,
  );
  const right = observed.filter(({ kind }) => kind === 'documentation').flatMap(bestRight);
  const good = quantile(right.map(logitOf), 1 - reached);
  const slope = (GOOD - HALF) / Math.max(0.3, good - half);
  const raw = weights.map((weight, j) => (slope * weight) / (scale[j]?.deviation || 1));
  const offset = names.reduce((sum, _, j) => sum + (raw[j] ?? 0) * (scale[j]?.mean ?? 0), 0);
  return {
    bias: rounded(HALF + slope * (bias - half) - offset),
    weights: Object.fromEntries(names.map((name, j) => [name, rounded(raw[j] ?? 0)])),
  };
}

const bestRight = ({ right }: Observed): Features[] => right.slice(0, 1);

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? 0;

const rounded = (value: number): number => Number(value.toFixed(3));

const OF_WORDS = MATCH_FEATURES.filter((name) => name !== 'nearness' && name !== 'reading');
const FEATURES = {
  all: [...OF_WORDS, 'nearness'],
  words: OF_WORDS,
  // How near the vectors are says nothing beside the reader: with it, strangers are told apart worse (docs/research/scores.md).
  read: [...OF_WORDS, 'reading'],
} as const satisfies Record<string, readonly MatchFeature[]>;
const OBSERVED = { all: 'hybrid', words: 'lexical', read: 'read' } as const;

const parameters: Record<keyof typeof FEATURES, MatchModel> = { ...MATCH_PARAMETERS };
for (const name of ['all', 'words', 'read'] as const)
  if (options.only === undefined || options.only === name)
    parameters[name] = modelOf(await observe(OBSERVED[name]), FEATURES[name], {
      empty: EMPTY[name],
      reached: REACHED[name],
    });
console.error(parameters);
await writeFile(
  'src/retrieval/match/match-parameters.ts',
  `// Fitted by the method of tools/scores/fit.ts, which writes this file anew; change the tool, not this file.
import type { MatchFeature } from './match-features.js';

export interface MatchModel {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<MatchFeature, number>>>;
}

/** Logistic regressions: with vectors, of words alone, and of words and what the reader says. */
export const MATCH_PARAMETERS: Readonly<Record<'all' | 'words' | 'read', MatchModel>> = ${JSON.stringify(parameters)};
`,
);
process.exit(0);
