import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/evaluation/random.js';
import type { ProxyMode } from '../../src/testing/faulty-proxy.js';
import type { SpawnedService } from '../e2e/start-service.js';
import { IS_LONG } from '../long-forms.js';
import { type Caller, KnownDocuments } from './known-documents.js';
import { Load, newReport, summaryOf } from './load.js';
import { type ModelServer, startModelServer } from './model-server.js';
import { type Answered, resultsIn, search } from './requests.js';
import { type Faulty, type Form, HAS_SERVERS, Scene, STATIC, VARIABLES } from './scene.js';

/** Parts killed at random moments, one after the other. */
const KILLS = 20;
/** How long a level may be waited for on a busy machine. */
const PATIENCE_MS = 60_000;

interface Fault {
  readonly parts: readonly Faulty[];
  readonly modes: readonly ProxyMode[];
}

type ByPart<Value> = Readonly<Record<Form, Readonly<Partial<Record<Faulty, Value>>>>>;

/** The level of a question that was not asked before, while parts are out. */
const LEVELS: ByPart<number> = {
  postgres: { ledger: 4, store: 4, embedder: 3, reranker: 1, redis: 0, llm: 0 },
  chroma: { store: 3, embedder: 3, reranker: 1, redis: 0, llm: 0 },
};

/** With `RAGSTONE_SLOW=1` each part goes through all of them. */
const ALL_MODES = ['cut', 'frozen', 'slow'] as const;
/** Else each part is killed once, and frozen or slow where another limit ends the waiting. */
const MODES: ByPart<readonly ProxyMode[]> = {
  postgres: {
    ledger: ['cut', 'frozen'],
    store: ['cut'],
    embedder: ['cut'],
    reranker: ['cut'],
    redis: ['cut'],
    llm: ['frozen'],
  },
  chroma: {
    store: ['cut', 'slow'],
    embedder: ['frozen'],
    reranker: ['frozen'],
    redis: ['frozen'],
    llm: ['cut'],
  },
};
/** Part in the middle of whose outage a process starts; with `RAGSTONE_SLOW=1` each that a search needs. */
const OUT_AT_START: Readonly<Record<Form, Faulty>> = { postgres: 'ledger', chroma: 'store' };

/**
 * Tests of a service whose parts are killed, frozen, slowed and brought back under the load of two tenants. Nobody is shown what is not for
 * them, nobody waits for longer than a request may, each response says its level, and full service is back without a restart.
 */
export function serviceUnderFaults(form: Form): void {
  describe.skipIf(!HAS_SERVERS)(
    `SpawnedService under faults, its index in ${form} (${VARIABLES.join(', ')})`,
    { timeout: IS_LONG ? 900_000 : 240_000 },
    () => {
      let models: ModelServer;
      let scene: Scene;
      let service: SpawnedService;
      let readers: Caller[];
      let load: Load;
      const known = new KnownDocuments();
      const report = newReport();
      const random = seededRandom(Number(process.env.RAGSTONE_SEED ?? 17));
      let asked = 0;

      beforeAll(async () => {
        models = await startModelServer();
        scene = await Scene.make(form, models.port);
        readers = [
          await scene.caller('acme-hr', 'acme', ['hr']),
          await scene.caller('acme-it', 'acme', ['it']),
          await scene.caller('globex-hr', 'globex', ['hr']),
          await scene.caller('globex-it', 'globex', ['it']),
        ];
        const writers = [
          await scene.caller('acme-writer', 'acme', ['hr', 'it']),
          await scene.caller('globex-writer', 'globex', ['hr', 'it']),
        ];
        service = await scene.serve();
        load = await Load.begin({ url: service.url, readers, writers, known, random, report });
        await settled(service, 0);
      });

      afterAll(async () => {
        await load.stop();
        await scene.end();
        await models.stop();
        console.log(`${form}: ${JSON.stringify(summaryOf(report))}`);
      });

      const fresh = (): string => `quokka ${asked++} zyx`;

      const one = async ({ url }: SpawnedService, query: string): Promise<Answered> => {
        const caller = readers[asked % readers.length] as Caller;
        return load.checked(caller, 'probe', await search(url, caller, query));
      };

      /**
       * Searches of questions that were not asked before, until they have a level some times in a row, and name one of `because`: on a busy
       * machine parts that are well are late, too.
       */
      async function settled(
        where: SpawnedService,
        level: number,
        because: readonly Faulty[] = [],
      ): Promise<Answered> {
        let inARow = 0;
        const levels: (number | undefined)[] = [];
        for (const end = performance.now() + PATIENCE_MS; ; await sleep(50)) {
          const answered = await one(where, fresh());
          levels.push(answered.level);
          const isNamed = because.length === 0 || because.some((part) => answered.text.includes(`"${part}"`));
          inARow = answered.level === level && isNamed ? inARow + 1 : 0;
          if (inARow === 3) return answered;
          if (performance.now() > end)
            throw new Error(
              `Level ${level} was not reached: ${levels.join(' ')}; ${answered.text.slice(0, 500)}`,
            );
        }
      }

      async function restored(where: SpawnedService, outage: readonly Faulty[]): Promise<void> {
        const since = performance.now();
        scene.set(outage, 'pass');
        await settled(where, 0);
        report.restoredMs.push(Math.round(performance.now() - since));
      }

      async function goThrough({ parts, modes }: Fault, isCold: boolean): Promise<void> {
        const level = Math.max(...parts.map((part) => LEVELS[form][part] ?? 0));
        let cold: SpawnedService | undefined;
        try {
          for (const [at, part] of parts.entries()) scene.set([part], modes[at] ?? 'cut');
          // What is out beside these is not asked while they are.
          const decisive = parts.filter((part) => level > 0 && LEVELS[form][part] === level);
          const answered = await settled(service, level, decisive);
          if (level === 4) {
            expect(answered.text).toContain(STATIC);
            expect(resultsIn(answered)).toEqual([]);
          }
          if (isCold) cold = await scene.startCold();
          if (cold !== undefined) await settled(cold, level, decisive);
        } finally {
          // Whatever is wrong, the tests that follow find all parts well.
          scene.set(parts, 'pass');
        }
        await restored(service, parts);
        if (cold !== undefined) {
          await settled(cold, 0);
          cold.process.kill('SIGKILL');
          await cold.ended;
        }
        expect(load.takeViolations()).toEqual([]);
      }

      const parts = Object.keys(LEVELS[form]) as Faulty[];
      const faults = parts.flatMap((part) =>
        (IS_LONG ? ALL_MODES : (MODES[form][part] ?? [])).map((mode) => [part, mode] as const),
      );
      it.each(faults)('whose %s is %s, and comes back', async (part, mode) => {
        const isNeeded = IS_LONG ? (LEVELS[form][part] ?? 0) > 1 : part === OUT_AT_START[form];
        await goThrough({ parts: [part], modes: [mode] }, isNeeded && mode === 'cut');
      });

      const pairs = parts.flatMap((one, at) => parts.slice(at + 1).map((other) => [one, other] as const));
      it.skipIf(!IS_LONG).each(pairs)('whose %s and %s are out at once, and come back', async (...both) => {
        for (const modes of [
          ['cut', 'cut'],
          ['frozen', 'cut'],
          ['cut', 'slow'],
        ] as const)
          await goThrough({ parts: both, modes }, false);
      });

      it.skipIf(!IS_LONG)(`whose parts are killed ${KILLS} times at random moments`, async () => {
        for (let kill = 0; kill < KILLS; kill++) {
          const part = parts[Math.floor(random() * parts.length)] as Faulty;
          await sleep(random() * 300);
          scene.set([part], 'cut');
          await sleep(random() * 1_000);
          scene.set([part], 'pass');
          if (kill % 5 === 4) await restored(service, []);
        }
        expect(load.takeViolations()).toEqual([]);
      });

      it('finds again what it found before, while nothing is written, and says so', async () => {
        await load.readAlone();
        const caller = readers[0] as Caller;
        const query = 'the wombat that was asked before';
        const before = await search(service.url, caller, query);
        expect(before.answered.level).toBe(0);
        scene.set(['store'], 'cut');
        await settled(service, LEVELS[form].store ?? 0);
        const kept = load.checked(caller, 'kept', await search(service.url, caller, query));
        expect(kept.level).toBe(2);
        const ids = (answered: Answered): string[] => resultsIn(answered).map(({ chunkId }) => chunkId);
        expect(ids(kept)).toEqual(ids(before.answered));
        await restored(service, ['store']);
        load.writeAgain();
        expect(load.takeViolations()).toEqual([]);
      });

      it('has lost nothing that was acknowledged, and shows nothing that was taken away', async () => {
        await load.stop();
        for (const caller of readers) {
          const sure = known.sureFor(caller);
          for (const { document, token } of sure) {
            const { answered } = await search(service.url, caller, `note ${document}`);
            if (token !== undefined) expect(answered.text, caller.name).toContain(token);
            else
              expect(answered.text, caller.name).not.toMatch(
                new RegExp(`ver-${caller.tenant}-${document}-\\d`),
              );
          }
        }
        expect(load.takeViolations()).toEqual([]);
        expect(report.acknowledged).toBeGreaterThan(20);
      });
    },
  );
}
