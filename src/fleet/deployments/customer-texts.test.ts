import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { AzureSearchService } from '../../../tests/fakes/services/azure-search/azure-search-service.js';
import { driverOptions } from '../../platform/sqlite/encrypted-file.js';
import { createLanceDbStore } from '../../stores/lancedb/lancedb-store.js';
import { createLibsqlStore } from '../../stores/libsql/libsql-store.js';
import { createMemoryStore } from '../../stores/memory/memory-store.js';
import { createUsearchStore } from '../../stores/usearch-store.js';
import type { VectorStore } from '../../stores/vector-store.js';
import { backUp } from '../backup/back-up.js';
import { restoreBackup } from '../backup/restore.js';

import { DOCUMENT, expectNoText, MINE, operator, wordsIn } from './test-customer-texts.js';

describe('no word of a tenant that has a store of its own stands in a file of the operator', () => {
  const stores: readonly (readonly [string, (path: string) => VectorStore])[] = [
    ['libsql', (path) => createLibsqlStore({ path: join(path, 'store.db') })],
    ['lancedb', (path) => createLanceDbStore({ path })],
    ['usearch', (path) => createUsearchStore({ path })],
  ];

  it.each(stores)('with %s', async (_, create) => {
    const theirs = temporaryFolder();
    await expectNoText(operator({ mine: () => named(create(theirs)) }), MINE);
  });

  it.each(['lancedb', 'usearch'] as const)('that moved out of %s', async (provider) => {
    const theirs = temporaryFolder();
    const mine = (): VectorStore => named(createLanceDbStore({ path: theirs }));
    await expectNoText(operator({ mine }, { provider }), MINE);
  });

  it('with a store in memory', async () => {
    const { folder, open } = operator({ mine: () => named(createMemoryStore()) });
    const deployments = await open();
    await deployments.saveDeploymentConfig({ ...MINE, isActive: true });
    const { view } = await deployments.of({ tenant: 'globex' });
    await view.push([DOCUMENT]);
    expect((await view.search({ text: 'quagganote', options: { mode: 'lexical' } })).results).toHaveLength(1);
    expect(wordsIn(folder)).toEqual([]);
    await deployments.close();
    expect(wordsIn(folder)).toEqual([]);
  });

  it('with Azure AI Search', async () => {
    const service = await AzureSearchService.start({ apiKey: 'customers-own-key' });
    onTestFinished(() => service.stop());
    await expectNoText(operator({}), {
      ...MINE,
      provider: 'azure_ai_search',
      searchEndpoint: service.url,
      apiKeySecretName: 'vault:search',
    });
  });
});

it('files that an earlier version left in clear are encrypted when they are opened', async () => {
  const theirs = temporaryFolder();
  const { folder, open } = operator({ mine: () => named(createLanceDbStore({ path: theirs })) });
  const before = await open();
  await before.saveDeploymentConfig(MINE);
  await (await before.of({ tenant: 'globex' })).view.push([DOCUMENT]);
  await before.close();
  const held = await createLanceDbStore({ path: theirs }).describe('file-key');
  for (const path of databasesIn(folder)) decrypt(path, String(held?.fingerprint.replace('file-key-', '')));
  expect(wordsIn(folder)).not.toEqual([]);
  const after = await open();
  const { view } = await after.of({ tenant: 'globex' });
  expect((await view.search({ text: 'quagganote', options: { mode: 'lexical' } })).results).toHaveLength(1);
  expect(wordsIn(folder)).toEqual([]);
  expect((await view.verify()).drift).toEqual([]);
});

it('a key that is gone from the store opens no file, and nothing is written over', async () => {
  const theirs = temporaryFolder();
  const path = join(theirs, 'store.db');
  const { folder, open } = operator({ mine: () => named(createLibsqlStore({ path })) });
  const before = await open();
  await before.saveDeploymentConfig(MINE);
  await (await before.of({ tenant: 'globex' })).view.push([DOCUMENT]);
  await before.close();
  const store = createLibsqlStore({ path });
  await store.drop('file-key');
  await store.close();
  const after = await open();
  const { view } = await after.of({ tenant: 'globex' });
  await expect(view.search('quagganote')).rejects.toMatchObject({
    reason: 'SERVICE_UNAVAILABLE',
    cause: { reason: 'ENCRYPTION_FAILED', message: expect.stringContaining('cannot be decrypted') },
  });
  await expect(view.push([DOCUMENT])).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
  expect(wordsIn(folder)).toEqual([]);
});

it('a backup holds the files as they are, encrypted, and they are read again where it is restored', async () => {
  const theirs = temporaryFolder();
  const mine = (): VectorStore => named(createLanceDbStore({ path: theirs }));
  const { folder, open } = operator({ mine });
  const before = await open();
  await before.saveDeploymentConfig(MINE);
  await (await before.of({ tenant: 'globex' })).view.push([DOCUMENT]);
  const config = { provider: 'libsql' as const };
  const { path } = await backUp('copy.tar', { cwd: folder, config });
  expect(wordsIn(folder)).toEqual([]);
  await before.close();
  rmSync(join(folder, '.ragstone'), { recursive: true });
  await restoreBackup(path, { cwd: folder, config });
  const after = await open();
  const { view } = await after.of({ tenant: 'globex' });
  expect((await view.search({ text: 'quagganote', options: { mode: 'lexical' } })).results).toHaveLength(1);
  expect((await view.verify()).drift).toEqual([]);
});

const databasesIn = (folder: string): string[] =>
  readdirSync(join(folder, '.ragstone', 'deployments'), { recursive: true, withFileTypes: true })
    .filter(({ name }) => ['ledger.db', 'store.db'].includes(name))
    .map((entry) => join(entry.parentPath, entry.name));

/** Leaves a file as an earlier version made it. */
function decrypt(path: string, key: string): void {
  const settings = driverOptions(1_000, key);
  const database = new Database(path, settings);
  database.exec(`VACUUM INTO '${path}-clear'`);
  database.close();
  const copy = new Database(`${path}-clear`, settings);
  copy.exec("PRAGMA rekey = ''");
  copy.close();
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  renameSync(`${path}-clear`, path);
}

/** Under a name that no store of Ragstone has. */
const named = (store: VectorStore): VectorStore =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'name') return 'mine';
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
