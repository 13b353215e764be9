import { chmodSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { backUp, createEngine, type RAGSettingsInput, restoreBackup } from '../../src/index.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';

// A project and its index, written by tools/upgrade/write-data-folder.ts in November 2026.
const FIXTURE = fileURLToPath(new URL('../fixtures/index-2026-11', import.meta.url));

interface Expected {
  readonly config: RAGSettingsInput;
  readonly documents: number;
  readonly chunks: number;
  readonly found: readonly { readonly text: string; readonly first: string }[];
}

const expected = JSON.parse(readFileSync(join(FIXTURE, 'expected.json'), 'utf8')) as Expected;
const { config } = expected;

function project(): string {
  const cwd = temporaryFolder();
  cpSync(join(FIXTURE, 'docs'), join(cwd, 'docs'), { recursive: true });
  cpSync(join(FIXTURE, 'data'), join(cwd, '.ragstone'), { recursive: true });
  // Git keeps no modes of folders.
  chmodSync(join(cwd, '.ragstone'), 0o700);
  return cwd;
}

async function withEngine<T>(
  cwd: string,
  work: (engine: Awaited<ReturnType<typeof createEngine>>) => Promise<T>,
) {
  const engine = await createEngine({ cwd, config });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

const firstFound = (cwd: string) =>
  withEngine(cwd, async (engine) => {
    const found = [];
    for (const { text } of expected.found) {
      const { results } = await engine.search({ text });
      found.push({ text, first: results[0]?.content });
    }
    return found;
  });

/** What a version after the next one would leave: a schema that this one does not know. */
function changeVersion(cwd: string, component: 'ledger' | 'store', by: number): void {
  const database = new Database(join(cwd, '.ragstone', 'ledger.db'));
  database.prepare('UPDATE component SET version = version + ? WHERE name = ?').run(by, component);
  database.close();
}

test('it opens, finds the same, is processed anew once without a new vector, and is whole', async () => {
  const cwd = project();
  expect(await firstFound(cwd)).toEqual(expected.found);
  await withEngine(cwd, async (engine) => {
    const { documents, chunks } = expected;
    expect(await engine.status()).toMatchObject({ documents, chunks, failures: [] });
    expect(await engine.index()).toMatchObject({
      success: true,
      // Names such as C++ are identifiers since.
      stats: { documentsProcessed: 5, documentsDeleted: 0, chunksCreated: 0, embeddingsComputed: 0 },
    });
    expect(await engine.index()).toMatchObject({ stats: { documentsProcessed: 0 } });
    expect(await engine.verify()).toMatchObject({ ok: true, drift: [] });
    expect(await engine.status()).toMatchObject({ documents, chunks });
  });
  expect(await firstFound(cwd)).toEqual(expected.found);
});

test('what was pushed and who may read it is as it was', async () => {
  await withEngine(project(), async (engine) => {
    expect(await engine.get('note')).toMatchObject({ text: 'A note about marmalade.' });
    const question = { text: 'when is marmalade paid?' };
    const asked = async (groups: string[]) => {
      const { results } = await engine.as({ tenant: 'default', groups }).search(question);
      return results.map(({ content }) => content);
    };
    expect(await asked(['hr'])).toContain('Marmalade is paid in May.');
    expect(await asked(['sales'])).not.toContain('Marmalade is paid in May.');
  });
});

test('an edit after the upgrade is one document', async () => {
  const cwd = project();
  await withEngine(cwd, async (engine) => {
    await engine.index();
    rmSync(join(cwd, 'docs/table.md'));
    expect(await engine.index()).toMatchObject({ stats: { documentsProcessed: 0, documentsDeleted: 1 } });
    expect(await engine.verify()).toMatchObject({ ok: true });
  });
});

test.each([
  ['ledger', 'INDEX_SCHEMA_TOO_NEW'],
  ['store', 'STORE_SCHEMA_TOO_NEW'],
] as const)(
  'a newer %s is refused and left alone; the backup of before brings the index back',
  async (component, reason) => {
    const cwd = project();
    const archive = join(temporaryFolder(), 'before.tar.gz');
    await backUp(archive, { cwd, config });
    changeVersion(cwd, component, 1000);
    const refused = { reason, message: expect.stringMatching(/newer version of ragstone.*Update ragstone/s) };
    for (const text of ['oak', 'elm'])
      await withEngine(cwd, (engine) => expect(engine.search({ text })).rejects.toMatchObject(refused));
    await withEngine(cwd, (engine) => expect(engine.index()).rejects.toMatchObject(refused));
    changeVersion(cwd, component, -1000);
    expect(await firstFound(cwd)).toEqual(expected.found);

    changeVersion(cwd, component, 1000);
    rmSync(join(cwd, '.ragstone'), { recursive: true });
    await restoreBackup(archive, { cwd, config });
    expect(await firstFound(cwd)).toEqual(expected.found);
  },
);
