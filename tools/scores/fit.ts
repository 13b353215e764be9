/**
 * Fits how well a passage matches (`src/retrieval/match`), on train data alone:
 *
 *   npx tsx tools/questions/fetch.ts && npx tsx tools/scores/fit.ts [--data ../shared/data]
 *
 * A right passage among the first five is to be told from the first five for questions about another subject, and from what
 * lies far down the list; a wrong passage about the right thing is neither. Then the scale: .5 is what few questions about
 * another subject reach, .7 what most right passages do. No weight is
 * negative, so more of what matches never scores lower. Writes `src/retrieval/match/match-parameters.ts`; format it with
 * `npx biome check --write src/retrieval` afterwards.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { profileOf } from '../../src/analysis/query-profile.js';
import { loadWordRarity } from '../../src/embedding/static/word-rarity.js';
import type { Engine, SearchResult } from '../../src/index.js';
import {
  MATCH_FEATURES,
  type MatchFeature,
  matchFeaturesOf,
} from '../../src/retrieval/match/match-features.js';
import { type Case, fitLogistic } from '../answers/logistic.js';
import { type JudgedQuery, judgedCollections, strangersTo } from './collections.js';
import { withEngine } from './with-engine.js';

const { values: options } = parseArgs({
  options: { data: { type: 'string', default: '../shared/data' }, fetched: { type: 'string' } },
});

const POOL = 100;
const STRANGERS = 50;
/** Far down a list hardly anything matches: every so many passages from there on. */
const FAR = 40;
const FAR_STEP = 6;
/** How much questions about another subject count, and passages far down, beside right ones. */
const WEIGHTS = { strange: 2, far: 0.3 };
/** Share of questions about another subject that find nothing at .5, and of right passages that reach .7. */
const EMPTY = 0.92;
const REACHED = 0.75;
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

const rarityOf = await loadWordRarity();
const collections = await judgedCollections('train', options);

async function observe(mode: 'hybrid' | 'lexical'): Promise<Observed[]> {
  const observed: Observed[] = [];
  for (const collection of collections)
    await withEngine(collection.index, {}, async (engine) => {
      for (const query of collection.queries)
        observed.push(await observeOwn(engine, query, { kind: collection.kind, mode }));
      for (const { text } of strangersTo(collection, collections, STRANGERS)) {
        const first = (await listOf(engine, text, mode)).slice(0, 5).map(({ features }) => features);
        observed.push({ kind: 'strange', right: [], wrong: first, first });
      }
    });
  return observed;
}

async function observeOwn(
  engine: Engine,
  { text, isRight, isOwn = () => false }: JudgedQuery,
  { kind, mode }: { readonly kind: string; readonly mode: 'hybrid' | 'lexical' },
): Promise<Observed> {
  const list = (await listOf(engine, text, mode)).filter(({ result }) => !isOwn(result));
  const first = list.slice(0, 5);
  return {
    kind,
    right: first.filter(({ result }) => isRight(result)).map(({ features }) => features),
    wrong: list
      .slice(FAR)
      .filter(({ result }, i) => i % FAR_STEP === 0 && !isRight(result))
      .map(({ features }) => features),
    first: first.map(({ features }) => features),
  };
}

async function listOf(
  engine: Engine,
  text: string,
  mode: 'hybrid' | 'lexical',
): Promise<readonly { readonly result: SearchResult; readonly features: Features }[]> {
  const search = async (by: 'hybrid' | 'lexical' | 'dense') =>
    (
      await engine.search({
        text,
        options: { mode: by, topK: POOL, minSimilarity: 0, nearDuplicates: 'keep', explainScore: true },
      })
    ).results;
  const nearest = mode === 'lexical' ? [] : await search('dense');
  const cosines = nearest.map(({ explanation }) => explanation?.semanticScore ?? 0);
  const context = {
    query: profileOf(text, rarityOf),
    ...(mode === 'lexical' ? {} : { background: Math.min(...cosines) }),
  };
  return (await search(mode)).map((result) => ({
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
      },
      context,
    ),
  }));
}

function modelOf(observed: readonly Observed[], names: readonly MatchFeature[]) {
  const counts = new Map<string, number>();
  for (const { kind } of observed) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const all = observed.flatMap(({ right, wrong }) => [...right, ...wrong]);
  const scale = names.map((name) => spreadOf(all.map((features) => features[name])));
  const rowOf = (features: Features) =>
    names.map((name, j) => (features[name] - (scale[j]?.mean ?? 0)) / (scale[j]?.deviation ?? 1));
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
    EMPTY,
  );
  const right = observed.filter(({ kind }) => kind === 'documentation').flatMap(bestRight);
  const good = quantile(right.map(logitOf), 1 - REACHED);
  const slope = (GOOD - HALF) / Math.max(0.3, good - half);
  const raw = weights.map((weight, j) => (slope * weight) / (scale[j]?.deviation ?? 1));
  const offset = names.reduce((sum, _, j) => sum + (raw[j] ?? 0) * (scale[j]?.mean ?? 0), 0);
  return {
    bias: rounded(HALF + slope * (bias - half) - offset),
    weights: Object.fromEntries(names.map((name, j) => [name, rounded(raw[j] ?? 0)])),
  };
}

const bestRight = ({ right }: Observed): Features[] => right.slice(0, 1);

function spreadOf(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) || 1 };
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? 0;

const rounded = (value: number): number => Number(value.toFixed(3));

const all = modelOf(await observe('hybrid'), MATCH_FEATURES);
const words = modelOf(
  await observe('lexical'),
  MATCH_FEATURES.filter((name) => name !== 'nearness'),
);
console.error({ all, words });
await writeFile(
  'src/retrieval/match/match-parameters.ts',
  `// Fitted by the method of tools/scores/fit.ts, which writes this file anew; change the tool, not this file.
import type { MatchFeature } from './match-features.js';

interface MatchModel {
  readonly bias: number;
  readonly weights: Readonly<Partial<Record<MatchFeature, number>>>;
}

/** Logistic regressions: with vectors, and of words alone. */
export const MATCH_PARAMETERS: Readonly<Record<'all' | 'words', MatchModel>> = ${JSON.stringify({ all, words })};
`,
);
