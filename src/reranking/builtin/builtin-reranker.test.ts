import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profileOf } from '../../core/analysis/query-profile.js';
import type { RerankCandidate } from '../reranker.js';
import {
  BUILTIN_RERANKER_FILE,
  createBuiltinReranker,
  readRerankerModel,
  TreeEnsemble,
} from './builtin-reranker.js';
import { extractFeatures, FEATURES, type Feature } from './features.js';

const rarityOf = (word: string): number => Math.min(10, word.length);

const passage = (content: string, changes: Partial<RerankCandidate> = {}): RerankCandidate => ({
  content,
  headingPath: [],
  identifiers: [],
  fusedScore: 0.5,
  ...changes,
});

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom(
    '',
    ' ',
    'the of and',
    'getUserById PPR-9087',
    '锁定磁盘',
    'a'.repeat(5_000),
    '\ud800',
    'x '.repeat(4_000),
  ),
);
const anyNumber = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1e308));
const hostileCandidate: fc.Arbitrary<RerankCandidate> = fc.record(
  {
    content: hostileText,
    title: hostileText,
    headingPath: fc.array(hostileText, { maxLength: 3 }),
    identifiers: fc.array(hostileText, { maxLength: 3 }),
    semanticScore: anyNumber,
    keywordScore: anyNumber,
    fusedScore: anyNumber,
  },
  { requiredKeys: ['content', 'headingPath', 'identifiers', 'fusedScore'] },
);

function featuresOf(query: string, candidates: readonly RerankCandidate[]): Record<Feature, number>[] {
  const { values, width } = extractFeatures(profileOf(query, rarityOf), candidates);
  return candidates.map(
    (_, row) =>
      Object.fromEntries(FEATURES.map((name, i) => [name, values[row * width + i]])) as Record<
        Feature,
        number
      >,
  );
}

describe('extractFeatures', () => {
  it('is finite for any text and any score', () => {
    fc.assert(
      fc.property(hostileText, fc.array(hostileCandidate, { maxLength: 5 }), (query, candidates) => {
        const { values, rows, width } = extractFeatures(profileOf(query, rarityOf), candidates);
        expect(values).toHaveLength(rows * width);
        expect(values.every(Number.isFinite)).toBe(true);
      }),
    );
  });

  it('does not depend on the order of the candidates', () => {
    const pool = ['the lock is held', 'a crash leaves the lock', 'disk'].map((text, i) =>
      passage(text, { fusedScore: i / 3, semanticScore: i / 4 }),
    );
    const forward = featuresOf('crash lock', pool);
    expect(featuresOf('crash lock', pool.toReversed())).toEqual(forward.toReversed());
  });

  it.each<[Feature, RerankCandidate, RerankCandidate]>([
    ['coverage', passage('a crash leaves the lock behind'), passage('a crash leaves nothing')],
    ['exactCoverage', passage('crash and lock'), passage('crashed and locked')],
    ['pairs', passage('the crash lock of disks'), passage('a lock was there before the crash of the disks')],
    ['density', passage('crash lock x x x x x x'), passage('crash x x x x x x lock')],
    ['window', passage(`crash lock ${'x '.repeat(60)}`), passage(`crash ${'x '.repeat(60)} lock`)],
    ['titleCoverage', passage('x', { title: 'Crash of a lock' }), passage('crash lock', { title: 'Disk' })],
    ['titlePrecision', passage('x', { title: 'Crash' }), passage('x', { title: 'Crash of seven disks' })],
    [
      'headingCoverage',
      passage('x', { headingPath: ['Locks', 'Crash'] }),
      passage('x', { headingPath: ['Disks'] }),
    ],
    ['bm25PerMass', passage('lock lock crash'), passage('lock crash disk')],
    ['earliest', passage('x x x crash'), passage('crash x x x')],
    ['rarestMissing', passage('a lock'), passage('a crash')],
  ])('%s is higher for the first than for the second', (feature, higher, lower) => {
    const [first, second] = featuresOf('crash lock', [higher, lower]);
    expect(first?.[feature]).toBeGreaterThan(second?.[feature] ?? Number.NaN);
  });

  it('knows identifiers of the query', () => {
    const [holder, other] = featuresOf('why PPR-9087', [
      passage('x', { identifiers: ['ppr-9087'] }),
      passage('x', { identifiers: ['ppr-1'] }),
    ]);
    expect([holder?.identifiers, other?.identifiers]).toEqual([1, 0]);
  });

  it('finds words whose stem ends otherwise, compounds, and scripts without spaces', () => {
    const coverage = (query: string, text: string) => featuresOf(query, [passage(text)])[0]?.coverage;
    expect(coverage('studies', 'Studying')).toBe(1);
    for (const [query, word] of [
      ['use', 'Using'],
      ['die', 'dying'],
      ['cry', 'cried'],
      ['go', 'going'],
    ] as const)
      expect(coverage(query, word)).toBe(1);
    expect(coverage('user', 'call getUserById here')).toBe(1);
    expect(coverage('锁定', '锁定磁盘')).toBe(1);
    expect(coverage('Größe', 'die GRÖSSE')).toBe(1);
  });
});

describe('TreeEnsemble', () => {
  it('predicts what the trainer predicts', async () => {
    const file = join(import.meta.dirname, 'test-predictions.json');
    const fixture: { rows: number[][]; scores: number[] } = JSON.parse(await readFile(file, 'utf8'));
    const ensemble = new TreeEnsemble(await readRerankerModel());
    expect(fixture.rows.length).toBeGreaterThan(20);
    expect(new Set(fixture.scores).size).toBeGreaterThan(10);
    fixture.rows.forEach((row, i) => {
      expect(ensemble.predict(Float32Array.from(row), 0)).toBeCloseTo(fixture.scores[i] ?? Number.NaN, 6);
    });
  });

  it('sends a value that equals a threshold to the left, and knows trees of one leaf', () => {
    const ensemble = new TreeEnsemble({
      trees: [
        { feature: [], threshold: [], left: [], right: [], leaf: [10] },
        { feature: [0, 1], threshold: [0.5, 2], left: [-1, -2], right: [1, -3], leaf: [1, 2, 3] },
      ],
    });
    const values = Float32Array.from([9, 9, 0.5, 0, 0.6, 2, 0.6, 2.1]);
    expect([2, 4, 6].map((start) => ensemble.predict(values, start))).toEqual([11, 12, 13]);
  });
});

describe('createBuiltinReranker', () => {
  it('gives every candidate one probability, whatever the text', async () => {
    const reranker = await createBuiltinReranker({ rarityOf });
    await fc.assert(
      fc.asyncProperty(
        hostileText,
        fc.array(hostileCandidate, { maxLength: 6 }),
        async (query, candidates) => {
          const scored = await reranker.doRerank(query, candidates);
          expect(scored.map(({ index }) => index)).toEqual(candidates.map((_, i) => i));
          for (const { score } of scored) expect(score > 0 && score < 1).toBe(true);
        },
      ),
    );
  });

  it('prefers the passage that holds the words together, at equal scores of the lanes', async () => {
    const reranker = await createBuiltinReranker({ rarityOf });
    const pool = [
      passage(
        'Disks are written by a process that may crash; nothing else is known of any lock in this long text.',
      ),
      passage('After a crash the lock is taken over by the next process.'),
      passage('Colours of the interface and how they are chosen by users.'),
    ];
    const scored = await reranker.doRerank('lock after a crash', pool);
    const best = scored.toSorted((a, b) => b.score - a.score)[0];
    expect(best?.index).toBe(1);
  });

  it('stops for a signal', async () => {
    const reranker = await createBuiltinReranker({ rarityOf });
    await expect(reranker.doRerank('q', [], AbortSignal.abort())).rejects.toMatchObject({
      reason: 'ABORTED',
    });
  });
});

describe('readRerankerModel', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reranker-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const shipped = async () => JSON.parse(await readFile(BUILTIN_RERANKER_FILE, 'utf8'));
  const tree = { feature: [0], threshold: [1], left: [-1], right: [-2], leaf: [1, 2] };

  it.each<[string, object]>([
    ['other features', { features: ['fused'] }],
    ['a walk without end', { trees: [{ ...tree, left: [0] }] }],
    ['a leaf that is not there', { trees: [{ ...tree, right: [-3] }] }],
    ['an unknown column', { trees: [{ ...tree, feature: [FEATURES.length] }] }],
    ['lists of unlike length', { trees: [{ ...tree, threshold: [] }] }],
    ['another version', { version: 2 }],
  ])('refuses a file with %s', async (_name, changes) => {
    const file = join(folder, 'reranker.json');
    await writeFile(file, JSON.stringify({ ...(await shipped()), ...changes }));
    await expect(readRerankerModel(file)).rejects.toMatchObject({ reason: 'MODEL_INVALID' });
  });

  it('names a file that is not there, or no JSON', async () => {
    const file = join(folder, 'no.json');
    await expect(readRerankerModel(file)).rejects.toMatchObject({ reason: 'MODEL_NOT_FOUND' });
    await writeFile(file, '{');
    await expect(readRerankerModel(file)).rejects.toMatchObject({ reason: 'MODEL_INVALID' });
  });
});
