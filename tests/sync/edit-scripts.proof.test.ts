import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RAGSettingsInput } from '../../src/config/schema/index.js';
import { IS_LONG } from '../long-forms.js';
import { editScript, type Step } from './edit-script.js';
import { editedFiles, editedRepository, editedRows } from './edited-places.js';
import { editedProject, editedSite } from './edited-services.js';
import { EditedWorld } from './edited-world.js';
import { contentsOf } from './index-contents.js';
import { SyncedIndex } from './synced-index.js';

const TIMEOUT_MS = IS_LONG ? 3_600_000 : 300_000;

const HOUR = 3_600_000;
/** After so long every source is listed whole. */
const LONG = 8 * 24 * HOUR;

async function contentsAfterRun(index: SyncedIndex, settings: RAGSettingsInput) {
  const result = await index.run(settings);
  expect(result?.stats.errors).toEqual([]);
  const engine = await index.open(settings);
  try {
    return { ...(await contentsOf(engine)), graph: await index.graph() };
  } finally {
    await engine.close();
  }
}

type Contents = Awaited<ReturnType<typeof contentsAfterRun>>;

/** Of all graphs that were compared. */
let references = 0;

/** Runs a script, then once more without a fault; compares with a clean rebuild. Says how many processes died. */
async function runScript(
  script: readonly Step[],
  world: EditedWorld,
  hasStoreOfItsOwn: boolean,
  check: (contents: Contents) => void,
): Promise<number> {
  const now = (): number => world.now;
  const index = new SyncedIndex(hasStoreOfItsOwn, now);
  const clean = new SyncedIndex(hasStoreOfItsOwn, now);
  try {
    for (const step of script) {
      world.pass(HOUR);
      if (step.do === 'run') await index.run(world.settings, step);
      else if (step.do === 'outage') {
        const giveBack = world.places[step.place]?.takeAway();
        await index.run(world.settings).finally(giveBack);
      } else world.edit(step);
    }
    world.pass(LONG);
    const { settings } = world;
    const healed = await contentsAfterRun(index, settings);
    expect(healed).toEqual(await contentsAfterRun(clean, settings));
    expect(healed.drift).toEqual([]);
    expect(healed.graph.unread).toEqual([]);
    expect(healed.graph.notExamined).toEqual([]);
    expect(healed.graph.statements).toHaveLength(world.size);
    references += healed.graph.rows.flatMap(({ references = [] }) => references).length;
    const { documents, passages } = healed.staff;
    expect(documents).toHaveLength(world.size);
    expect(new Set(passages.map(({ metadata }) => metadata.documentId)).size).toBe(world.size);
    check(healed);
    return index.deaths;
  } finally {
    index.close();
    clean.close();
    await world.close();
  }
}

/** Texts and restrictions are those that were written, not only those of the rebuild. */
const checkOwn =
  (world: EditedWorld) =>
  ({ staff: { documents }, others }: Contents): void => {
    expect(documents.map(({ source, text }) => `${source} ${text}`).sort()).toEqual(world.texts);
    const hidden = documents.filter(({ access: { groups } }) => !groups.includes('*'));
    const named = ['files', 'rows'];
    expect(
      hidden
        .flatMap(({ source, externalId }) => (named.includes(source) ? `${source} ${externalId}` : []))
        .sort(),
    ).toEqual(world.restrictedNames(named));
    expect(others.documents).toHaveLength(documents.length - hidden.length);
  };

const ownWorld = async (): Promise<EditedWorld> =>
  new EditedWorld([editedFiles(), editedRepository(), editedRows()]);

async function servedWorld(): Promise<EditedWorld> {
  const clock = { now: Date.parse('2026-01-01T00:00:00.000Z') };
  return new EditedWorld([...(await editedProject()), await editedSite(clock)], clock);
}

/** Each with the number of its scripts, of which the gate runs a tenth. */
const CASES = [
  ['files, a repository and rows, in the file of the ledger', ownWorld, false, checkOwn, 250],
  ['files, a repository and rows, in a store of its own', ownWorld, true, checkOwn, 250],
  [
    'work items, a wiki and a site, in the file of the ledger',
    servedWorld,
    false,
    () => () => undefined,
    100,
  ],
] as const;

describe('after any edits, deaths and outages one run makes the index what a clean rebuild makes', () => {
  for (const [name, newWorld, hasStoreOfItsOwn, checkOf, scripts] of CASES)
    it(
      name,
      async () => {
        let deaths = 0;
        const numRuns = IS_LONG ? scripts : scripts / 10;
        const seed = IS_LONG ? Math.floor(Math.random() * 2 ** 31) : 20_260_101;
        const property = fc.asyncProperty(editScript, async (script) => {
          const world = await newWorld();
          deaths += await runScript(script, world, hasStoreOfItsOwn, checkOf(world));
        });
        // The shortest script that fails is looked for where there is time.
        await fc.assert(property, { numRuns, seed, endOnFailure: !IS_LONG });
        console.log(`${numRuns} scripts over ${name} with seed ${seed}: ${deaths} processes died`);
        expect(deaths).toBeGreaterThan(numRuns / 4);
        expect(references).toBeGreaterThan(numRuns);
      },
      TIMEOUT_MS,
    );
});
