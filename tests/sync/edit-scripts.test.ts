import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RAGSettingsInput } from '../../src/config/schema/index.js';
import { createEngine, type Engine, type VectorStore } from '../../src/index.js';
import { createMemoryStore } from '../../src/stores/memory/memory-store.js';
import { createHashEmbedder } from '../../src/testing/index.js';
import { CrashingRuntime } from './crashing-runtime.js';
import {
  editScript,
  movedName,
  PLACES,
  type Place,
  POSSIBLE_NAMES,
  type Step,
  textOf,
} from './edit-script.js';
import { editedFiles, editedRepository, editedRows } from './edited-places.js';

const IS_WHOLE = process.env.RAGSTONE_SLOW === '1';
const SCRIPTS = IS_WHOLE ? 250 : 25;
const TIMEOUT_MS = IS_WHOLE ? 3_600_000 : 120_000;

const DAY = 24 * 3_600_000;
const STAFF = { tenant: 'default', groups: ['staff'], clearance: 9 };

/** A store that outlives the engines that open it, as a server does, and takes no part in transactions of the ledger. */
function lastingStore(): VectorStore {
  const memory = createMemoryStore();
  return new Proxy(memory, {
    get: (target, name) => {
      if (name === 'name') return 'lasting';
      if (name === 'capabilities') return { ...target.capabilities, persistent: true };
      if (name === 'close') return async () => undefined;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/** An index that is brought in step by one process after another. */
class SyncedIndex {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ragstone-synced-'));
  readonly #store: VectorStore | undefined;
  readonly #process = new CrashingRuntime(Date.parse('2026-01-01T00:00:00.000Z'));
  /** Moments of the last run that lived. */
  #usual = 60;
  deaths = 0;

  constructor(hasStoreOfItsOwn: boolean) {
    this.#store = hasStoreOfItsOwn ? lastingStore() : undefined;
  }

  /** Brings it in step, unless the process dies before. */
  async run(
    settings: RAGSettingsInput,
    { dies, force = false }: { dies?: number | undefined; force?: boolean } = {},
  ) {
    this.#process.now += DAY;
    const engine = await this.open(settings);
    this.#process.moments = 0;
    if (dies !== undefined) this.#process.dieAfter(Math.floor(dies * this.#usual));
    try {
      const result = await engine.index({ options: { force } });
      if (dies === undefined) this.#usual = this.#process.moments;
      return result;
    } catch (error) {
      if (!this.#process.isDead) throw error;
      this.deaths += 1;
      return undefined;
    } finally {
      this.#process.revive();
      await engine.close();
    }
  }

  open(settings: RAGSettingsInput): Promise<Engine> {
    const store = this.#store;
    return createEngine({
      cwd: this.#folder,
      embedder: createHashEmbedder({ dimensions: 8 }),
      runtime: this.#process.runtime,
      config: store === undefined ? { ...settings, provider: 'libsql' } : settings,
      ...(store === undefined ? {} : { store }),
    });
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What people did in the three places, and who may read what. */
class World {
  readonly places = { files: editedFiles(), code: editedRepository(), rows: editedRows() };
  readonly #texts = { files: new Map(), code: new Map(), rows: new Map() } as Record<
    Place,
    Map<string, number>
  >;
  readonly #removed = { files: new Map(), code: new Map(), rows: new Map() } as Record<
    Place,
    Map<string, number>
  >;
  readonly #restricted = new Set<string>();

  edit(step: Exclude<Step, { do: 'run' | 'outage' }>): void {
    const { place } = step;
    const texts = this.#texts[place];
    const pickOf = (names: Iterable<string>): string | undefined => {
      const sorted = [...names].sort();
      return sorted[step.pick % sorted.length];
    };
    const name = pickOf(step.do === 'restore' ? this.#removed[place].keys() : texts.keys());
    const free = pickOf(POSSIBLE_NAMES.filter((possible) => !texts.has(possible)));
    if (step.do === 'create') {
      if (free !== undefined) this.#write(place, free, step.text);
    } else if (name !== undefined) this.#change(step, name);
  }

  #change(step: Exclude<Step, { do: 'run' | 'outage' | 'create' }>, name: string): void {
    const { place } = step;
    if (step.do === 'edit') this.#write(place, name, step.text);
    else if (step.do === 'delete') this.#remove(place, name);
    else if (step.do === 'restore') this.#write(place, name, this.#removed[place].get(name) ?? 0);
    else if (step.do === 'restrict') this.#toggle(name);
    else if (step.do === 'move') this.#rename(place, name, movedName(name, step.to));
    else this.#rename(place, name, POSSIBLE_NAMES[step.to % POSSIBLE_NAMES.length] ?? name);
  }

  #remove(place: Place, name: string): void {
    const texts = this.#texts[place];
    this.places[place].remove(name);
    this.#removed[place].set(name, texts.get(name) ?? 0);
    texts.delete(name);
  }

  #rename(place: Place, from: string, to: string): void {
    const texts = this.#texts[place];
    if (texts.has(to)) return;
    this.places[place].rename(from, to);
    texts.set(to, texts.get(from) ?? 0);
    texts.delete(from);
  }

  #write(place: Place, name: string, text: number): void {
    this.places[place].write(name, textOf(text));
    this.#texts[place].set(name, text);
  }

  #toggle(name: string): void {
    if (!this.#restricted.delete(name)) this.#restricted.add(name);
  }

  get settings(): RAGSettingsInput {
    const named = [...this.#restricted].sort().map((name) => `/${name}`);
    return {
      sources: PLACES.map((place) => this.places[place].source),
      security: {
        access: {
          rules: [{ paths: ['secret/**', ...named], groups: ['staff'] }],
        },
      },
    };
  }

  /** Texts that are to be found, and how often. */
  get texts(): string[] {
    return PLACES.flatMap((place) =>
      [...this.#texts[place].values()].map((text) => `${place} ${textOf(text)}`),
    ).sort();
  }

  /** Names in files and rows that only the staff may read; a name in a repository may be an earlier one. */
  get restricted(): string[] {
    const isRestricted = (name: string): boolean => name.startsWith('secret/') || this.#restricted.has(name);
    return (['files', 'rows'] as const)
      .flatMap((place) =>
        [...this.#texts[place].keys()].filter(isRestricted).map((name) => `${place} ${name}`),
      )
      .sort();
  }

  close(): void {
    for (const place of Object.values(this.places)) place.close();
  }
}

/** All that an index holds, as those who may read everything and those who may read little see it. */
async function contentsOf(engine: Engine) {
  const seenBy = async (view: ReturnType<Engine['as']>) => {
    const { documents } = await view.list({ limit: 1000 });
    const texts = await Promise.all(documents.map(async ({ id }) => (await view.get(id))?.text));
    const { results } = await view.search({
      text: 'lantern dusk dawn',
      options: {
        mode: 'lexical',
        topK: 200,
        collapse: 'none',
        nearDuplicates: 'keep',
        minSimilarity: 0,
        rerank: false,
      },
    });
    return {
      documents: documents.map(
        ({ indexedAt: _, metadata: { createdAt: __, ...metadata }, ...document }, i) => ({
          ...document,
          metadata,
          text: texts[i],
        }),
      ),
      passages: results
        .map(({ id, content, metadata: { createdAt: _, indexedAt: __, ...metadata } }) => ({
          id,
          content,
          metadata,
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    };
  };
  const { states } = await engine.indexingStates({ limit: 1000 });
  return {
    staff: await seenBy(engine.as(STAFF)),
    others: await seenBy(engine.as({ tenant: 'default' })),
    chunks: states.map(({ id, vector_ids, status }) => ({ id, status, chunks: [...vector_ids].sort() })),
    failures: await engine.failures(),
    drift: (await engine.verify()).drift,
  };
}

async function contentsAfterRun(index: SyncedIndex, settings: RAGSettingsInput) {
  const result = await index.run(settings);
  expect(result?.stats.errors).toEqual([]);
  const engine = await index.open(settings);
  try {
    return await contentsOf(engine);
  } finally {
    await engine.close();
  }
}

async function runScript(script: readonly Step[], hasStoreOfItsOwn: boolean): Promise<number> {
  const world = new World();
  const index = new SyncedIndex(hasStoreOfItsOwn);
  const clean = new SyncedIndex(hasStoreOfItsOwn);
  try {
    for (const step of script) {
      if (step.do === 'run') await index.run(world.settings, step);
      else if (step.do === 'outage') {
        const giveBack = world.places[step.place].takeAway();
        await index.run(world.settings).finally(giveBack);
      } else world.edit(step);
    }
    const { settings } = world;
    const healed = await contentsAfterRun(index, settings);
    expect(healed).toEqual(await contentsAfterRun(clean, settings));
    const { documents } = healed.staff;
    expect(documents.map(({ source, text }) => `${source} ${text}`).sort()).toEqual(world.texts);
    const hidden = documents.filter(({ access: { groups } }) => !groups.includes('*'));
    expect(
      hidden.flatMap(({ source, externalId }) => (source === 'code' ? [] : `${source} ${externalId}`)).sort(),
    ).toEqual(world.restricted);
    expect(healed.others.documents).toHaveLength(documents.length - hidden.length);
    expect(new Set(healed.staff.passages.map(({ metadata }) => metadata.documentId)).size).toBe(
      documents.length,
    );
    expect(healed.drift).toEqual([]);
    return index.deaths;
  } finally {
    for (const part of [index, clean, world]) part.close();
  }
}

describe('after any edits, deaths and outages one run makes the index what a clean rebuild makes', () => {
  for (const [store, hasStoreOfItsOwn] of [
    ['a store in the file of the ledger', false],
    ['a store of its own', true],
  ] as const)
    it(
      store,
      async () => {
        let deaths = 0;
        const seed = IS_WHOLE ? Date.now() % 2 ** 31 : 20_260_101;
        const property = fc.asyncProperty(editScript, async (script) => {
          deaths += await runScript(script, hasStoreOfItsOwn);
        });
        await fc.assert(property, { numRuns: SCRIPTS, seed });
        console.log(`${SCRIPTS} scripts over ${store} with seed ${seed}: ${deaths} processes died`);
        expect(deaths).toBeGreaterThan(SCRIPTS / 4);
      },
      TIMEOUT_MS,
    );
});
