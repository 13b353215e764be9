import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAnswerable, type Question, readQuestionSet } from '../../src/evaluation/question-set.js';
import { evaluateQuestions } from '../../src/evaluation/score-questions.js';
import type { ToldDegradation } from '../../src/index.js';
import type { SpawnedService } from '../e2e/start-service.js';
import { IS_LONG } from '../long-forms.js';
import type { Caller } from './known-documents.js';
import { type ModelServer, startModelServer } from './model-server.js';
import { type Answered, ask, resultsIn, search } from './requests.js';
import { type Faulty, HAS_SERVERS, Scene, VARIABLES } from './scene.js';

const DATA = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
const PLAYBOOK = join(DATA, 'corpora/ise-playbook');
const CUTOFF = 5;
const QUESTIONS = join(DATA, 'questions/ise.jsonl');
if (HAS_SERVERS && !existsSync(PLAYBOOK))
  console.warn('the quality of each level is not measured: shared/data/corpora is absent');

interface Row {
  readonly level: number;
  readonly out: readonly Faulty[];
  /** Level of a question that was not asked before. */
  readonly fresh: number;
}

/** Without the embedder first: the vector of a question that was asked before is kept. */
const ROWS: readonly Row[] = [
  ...(IS_LONG ? [{ level: 3, out: ['embedder'] as const, fresh: 3 }] : []),
  { level: 3, out: ['store'], fresh: 3 },
  { level: 1, out: ['reranker'], fresh: 1 },
  { level: 0, out: [], fresh: 0 },
  { level: 2, out: ['store'], fresh: 3 },
  ...(IS_LONG ? [{ level: 2, out: ['embedder'] as const, fresh: 3 }] : []),
];

interface Measured {
  /** `hit@5` */
  readonly hits: number;
  /** What responses say that is expected to be lost of it. */
  readonly loss: number;
}

describe.skipIf(!HAS_SERVERS || !existsSync(PLAYBOOK))(
  `Service under faults, what its levels are worth (${VARIABLES.join(', ')})`,
  { timeout: 240_000 },
  () => {
    let models: ModelServer;
    let scene: Scene;
    let service: SpawnedService;
    let caller: Caller;
    let questions: Question[];
    let asked = 0;
    /** By level and what was out. */
    const measured = new Map<string, Measured>();

    beforeAll(async () => {
      models = await startModelServer();
      scene = await Scene.make('chroma', models.port, {
        sources: [{ name: 'playbook', type: 'files', root: 'playbook', paths: ['**/*.md'] }],
        // With the vector of a question that was asked before nothing is lost without the embedder.
        keepsVectors: false,
      });
      cpSync(PLAYBOOK, join(scene.cwd, 'playbook'), { recursive: true });
      questions = (await readQuestionSet(QUESTIONS)).filter(isAnswerable);
      caller = await scene.caller('acme', 'acme', []);
      service = await scene.serve();
      const { answered } = await ask(service.url, caller, 'POST', '/rag/index', {});
      expect(answered.status, answered.text).toBe(200);
    });

    afterAll(async () => {
      await scene.end();
      await models.stop();
      console.log(`hit@5 by level: ${JSON.stringify(Object.fromEntries(measured))}`);
    });

    const find = async (query: string): Promise<Answered> =>
      (await search(service.url, caller, query, CUTOFF)).answered;

    /** The answer at a level. On a busy machine parts that are well are late, too, and then it is another one. */
    async function answeredAt(level: number, query: string): Promise<Answered> {
      for (let turn = 0; ; turn++) {
        const answered = await find(query);
        if (answered.level === level) return answered;
        expect(turn, `${query}: level ${answered.level} in place of ${level}`).toBeLessThan(50);
        await sleep(200);
      }
    }

    /** Questions of no interest, until three in a row have a level. */
    async function settled(level: number): Promise<void> {
      for (let inARow = 0, turn = 0; inARow < 3; turn++) {
        inARow = (await find(`wombat ${asked++}`)).level === level ? inARow + 1 : 0;
        expect(turn, `level ${level} was not reached`).toBeLessThan(300);
        await sleep(50);
      }
    }

    /** The questions of the set, each of which is answered at the level and says what it is expected to lose. */
    async function measure(level: number): Promise<Measured> {
      let loss = 0;
      const { hit } = await evaluateQuestions({
        questions,
        cutoffs: [CUTOFF],
        search: async (query) => {
          const answered = await answeredAt(level, query);
          const { degradation } = JSON.parse(answered.text) as ToldDegradation;
          loss = degradation?.expectedLoss.loss ?? 0;
          return resultsIn(answered).map(({ source, content }) => ({ path: source, content }));
        },
      });
      return { hits: hit[CUTOFF] ?? 0, loss };
    }

    it.each(ROWS)('all is answered at level $level without $out', async ({ level, out, fresh }) => {
      // What was kept of searches is of no use after a write.
      const note = { id: 'note', tenantId: 'acme', content: `The wombat ${asked++}.` };
      if (level !== 2) await ask(service.url, caller, 'POST', '/api/ai/rag/index', note);
      scene.set(out, 'cut');
      try {
        await settled(fresh);
        measured.set([level, ...out].join(' without '), await measure(level));
      } finally {
        scene.set(out, 'pass');
      }
      await settled(0);
    });

    it('no level loses more than its responses say', () => {
      expect(measured.size).toBe(ROWS.length);
      const { hits: full = 0 } = measured.get('0') ?? {};
      expect(full).toBeGreaterThan(0.7);
      for (const [level, { hits, loss }] of measured) expect(hits, level).toBeGreaterThanOrEqual(full - loss);
    });
  },
);
