import { afterEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/create-engine.js';
import type { Engine, EngineView } from '../../src/operations/engine.js';
import { RESTRICTED_NOTICE } from '../../src/stores/scope-reach.js';
import { temporaryFolder } from './temporary-folder.js';

const DEEDS = ['sleeps under the old bridge', 'eats the bark of trees', 'digs in the sand', 'has a pouch'];
const OPEN = ['quokka', 'wombat', 'numbat', 'bilby'].flatMap((animal, a) =>
  DEEDS.map((deed, d) => ({
    id: `${animal}-${d}`,
    title: `About the ${animal}`,
    text: `The ${animal} ${deed}. Keepers noted it ${a + 2} times at station ${d + 1}.\n\nThe ${animal} is watched.`,
    metadata: { tags: ['animals'] },
  })),
);
/** Full of the words that are asked for, of typing mistakes, and of a word that nothing else holds. */
const HIDDEN = Array.from({ length: 10 }, (_, i) => ({
  id: `secret-${i}`,
  title: 'About the quokka budget',
  text: `The quokka programme pays ${i} thousand in sallaries, quokka quokka, codename ZEBRAFISH-${i}, QKA (Quokka Keeper Allowance).`,
  metadata: { tags: ['money'] },
}));

const opened: Engine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

/** Whatever a reader may be told, but for times. */
async function answersTo(engine: EngineView) {
  const explained = { explainScore: true, topK: 50 };
  const answers = {
    hybrid: await engine.search({ text: 'where does the quokka sleep', options: explained }),
    mistyped: await engine.search({ text: 'quoka buget sallaries', options: explained }),
    named: await engine.search({ text: 'ZEBRAFISH-3 QKA', options: explained }),
    documents: await engine.search({ text: 'quokka', options: { ...explained, collapse: 'document' } }),
    lexical: await engine.search({ text: 'quokka budget', options: { ...explained, mode: 'lexical' } }),
    dense: await engine.search({ text: 'quokka budget', options: { ...explained, mode: 'dense' } }),
    filtered: await engine.search({ text: 'quokka', filters: { tags: ['money'] } }),
    answer: await engine.ask({ question: 'Where does the quokka sleep?', topK: 50 }),
    unanswered: await engine.ask('How high is the ZEBRAFISH budget?'),
    list: await engine.list(),
    page: await engine.list({ limit: 3 }),
    hidden: (await engine.get('secret-1')) ?? 'none',
  };
  return JSON.parse(
    JSON.stringify(answers, (key, value) => (TIMES.has(key) ? undefined : value)),
  ) as typeof answers;
}

const TIMES: ReadonlySet<string> = new Set(['tookMs', 'stages']);
const withoutNotice = (answers: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answers, (key, value) =>
      key === 'notices' || key === 'noticeKinds'
        ? (value as string[]).filter((one) => one !== RESTRICTED_NOTICE && one !== 'documents-hidden')
        : value,
    ),
  );

/** Made of how common words are in the tenant, which docs/scopes.md tells of. */
const WEIGHED: ReadonlySet<string> = new Set([
  ...[
    'score',
    'match',
    'probability',
    'movedBy',
    'explanation',
    'confidence',
    'similarity',
    'n',
    'further',
    'used',
  ],
]);
const withoutWeights = (answers: unknown): unknown =>
  JSON.parse(
    JSON.stringify(withoutNotice(answers), (key, value: unknown) => {
      if (WEIGHED.has(key)) return undefined;
      if (key !== 'results' && key !== 'sources') return value;
      return (value as { documentId?: string; id?: string }[]).toSorted((a, b) =>
        JSON.stringify(a.id ?? a.documentId) < JSON.stringify(b.id ?? b.documentId) ? -1 : 1,
      );
    }),
  );

describe.each(['memory', 'libsql'] as const)(
  '%s: to a scope that may not read them, documents',
  (provider) => {
    const begun = async () => {
      const embedding = { adaptQueries: false };
      const engine = await createEngine({ config: { provider, embedding }, cwd: temporaryFolder() });
      opened.push(engine);
      await engine.push(OPEN);
      return engine;
    };

    it('of another tenant change nothing in any answer, and nothing in status', async () => {
      const engine = await begun();
      const all = async () => ({
        ...(await answersTo(engine)),
        miss: await engine.explainMiss('ZEBRAFISH-3 quokka', 'wombat-1'),
        unknown: await engine.explainMiss('ZEBRAFISH-3', 'secret-3'),
        verified: await engine.verify(),
        // Left out where the index holds other tenants too.
        status: {
          ...(await engine.status()),
          bytes: {},
          lastRun: {},
          reading: {},
          vectorIndex: '',
          textIndex: '',
        },
      });
      const before = await all();
      const acme = engine.as({ tenant: 'acme' });
      await acme.push(HIDDEN);
      expect((await acme.search('ZEBRAFISH-3')).results).not.toEqual([]);
      expect(await all()).toEqual(before);
      await acme.delete(HIDDEN.map(({ id }) => id));
      expect(await all()).toEqual(before);
    });

    it.each<[string, { groups?: string[]; level?: number }]>([
      ['of another group', { groups: ['board'] }],
      ['above its clearance', { level: 2 }],
    ])('%s change nothing but what words weigh, and nothing once they are gone', async (_, access) => {
      const engine = await begun();
      const before = await answersTo(engine);
      const board = engine.as({ tenant: 'default', groups: ['board'], clearance: 2 });
      await board.push(HIDDEN.map((document) => ({ ...document, access })));
      expect((await board.search('ZEBRAFISH-3')).results).not.toEqual([]);
      const during = await answersTo(engine);
      expect(withoutWeights(during)).toEqual(withoutWeights(before));
      expect(withoutNotice(during.dense)).toEqual(before.dense);
      expect(JSON.stringify(during)).not.toMatch(/ZEBRAFISH-\d+ is|secret-|Allowance/);
      await board.delete(HIDDEN.map(({ id }) => id));
      // Whether there is more than a scope may read is counted once for each run.
      await engine.push(OPEN);
      expect(await answersTo(engine)).toEqual(before);
    });
  },
);
