import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { createEngine, type Engine, type IndexResult, type Metadata } from '../../../index.js';
import { type TestService, testService } from '../test-service.js';

const RAG = '/api/ai/rag';
const ACME = { tenant: 'acme' };
const KEY = { id: 'k', key: randomBytes(32).toString('base64') };
const DOCUMENT = { id: 'note', tenantId: 'acme', content: 'Ann works in the archive.' };

/** With an audit log, and a field that is encrypted. */
async function openEngine(cwd: string, fields: string[] = []): Promise<Engine> {
  const encryption = fields.length === 0 ? {} : { encryption: { fields, keys: [KEY] } };
  const engine = await createEngine({
    config: { provider: 'libsql', security: encryption, audit: { enabled: true } },
    cwd,
  });
  onTestFinished(() => engine.close());
  return engine;
}

const search = async ({ call }: TestService, metadata?: object) =>
  call('acme', 'POST', `${RAG}/search`, {
    query: 'who works in the archive?',
    tenantId: 'acme',
    minScore: 0,
    ...(metadata === undefined ? {} : { metadata }),
  });

const metadataOf = async (service: TestService, asked?: object) =>
  ((await search(service, asked)).json().results as { metadata?: unknown }[]).map(({ metadata }) => metadata);

const bytesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

describe('metadata of a request', () => {
  test.each([
    ['an object', { customer: 'Vandelay', team: 'red', at: { desk: 4 } }],
    ['JSON in a text', JSON.stringify({ customer: 'Vandelay', team: 'red', at: { desk: 4 } })],
    [
      'names that mean something else',
      {
        customer: 'Vandelay',
        team: 'red',
        title: 'T',
        tags: 1,
        lines: 'x',
        $tenant: 'globex',
        knowledgeId: 2,
      },
    ],
    ['a text that is none', 'customer Vandelay'],
    ['a text that only begins as one', '{ customer Vandelay'],
  ])('is given back as it is: %s', async (_, metadata) => {
    const service = await testService();
    expect((await service.call('acme', 'POST', `${RAG}/index`, { ...DOCUMENT, metadata })).status).toBe(200);
    const [given] = await metadataOf(service);
    if (typeof metadata === 'string' && metadata.startsWith('{"'))
      expect(JSON.parse(String(given))).toEqual(JSON.parse(metadata));
    else expect(given).toEqual(metadata);
    if (typeof metadata === 'string' && !metadata.startsWith('{"')) return;
    expect(await metadataOf(service, { team: 'red' })).toHaveLength(1);
    expect(await metadataOf(service, { team: 'blue' })).toEqual([]);
    const { documents } = await service.engine.list({ filters: { metadata: { team: 'red' } } }, ACME);
    expect(documents.map(({ metadata: { customer } }) => customer)).toEqual(['Vandelay']);
    const receipt = await service.engine.forget({ filter: { op: 'eq', field: 'team', value: 'red' } }, ACME);
    expect(receipt.documents).toBe(1);
  });

  test.each(['title', 'source'])('is found by the name of a caller where that is %s', async (field) => {
    const service = await testService();
    await service.call('acme', 'POST', `${RAG}/index`, { ...DOCUMENT, metadata: { [field]: 'Vandelay' } });
    await service.engine.push([{ id: 'other', text: 'Cor works in the archive.', title: 'Kramerica' }], ACME);
    expect(await metadataOf(service, { [field]: 'Vandelay' })).toEqual([{ [field]: 'Vandelay' }]);
    expect(await metadataOf(service, { [field]: 'Penske' })).toEqual([]);
    const own = field === 'title' ? 'Kramerica' : 'other';
    expect(await metadataOf(service, { [field]: own })).toHaveLength(1);
    const filter = { op: 'eq', field, value: 'Vandelay' } as const;
    const { documents } = await service.engine.list({ filter }, ACME);
    expect(documents.map(({ externalId }) => externalId)).toEqual(['note']);
    const others = await service.engine.list({ filter: { op: 'not', filter } }, ACME);
    expect(others.documents.map(({ externalId }) => externalId)).toEqual(['other']);
    expect(await service.engine.forget({ filter }, ACME)).toMatchObject({ documents: 1 });
  });

  test('that is encrypted stands in no file, is shown to readers, and is filtered by no name', async () => {
    const cwd = temporaryFolder();
    const engine = await openEngine(cwd, ['customer']);
    const service = await testService({ engine });
    const { call } = service;
    const headers = { 'idempotency-key': 'once' };
    const metadata = { customer: ['Vandelay'], team: 'red' };
    await call('acme', 'POST', `${RAG}/index`, { ...DOCUMENT, metadata }, headers);
    await call('acme', 'POST', `${RAG}/index/batch`, {
      tenantId: 'acme',
      documents: [{ id: 'b', content: 'Bob works in the archive.', metadata: JSON.stringify(metadata) }],
    });
    expect(await metadataOf(service, { team: 'red' })).toEqual(
      expect.arrayContaining([metadata, JSON.stringify({ team: 'red', customer: ['Vandelay'] })]),
    );
    for (const field of ['customer', 'knowledgeMetadata.customer', 'knowledgeMetadata']) {
      expect((await search(service, { [field]: 'Vandelay' })).status).toBe(400);
      await expect(
        engine.forget({ filter: { op: 'eq', field, value: 'Vandelay' } }, ACME),
      ).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
    }
    expect((await engine.verify({}, ACME)).drift).toEqual([]);
    await engine.close();
    expect(bytesIn(join(cwd, '.ragstone'))).toContain('archive');
    expect(bytesIn(join(cwd, '.ragstone'))).not.toContain('Vandelay');
  });
});

/** An index as an earlier version made it: fields lie under `knowledgeMetadata`. */
async function earlierIndex(
  cwd: string,
  folded: Metadata = { customer: 'Vandelay', team: 'red', title: 'T' },
): Promise<void> {
  const engine = await openEngine(cwd);
  await engine.push(
    [
      { id: 'note', text: DOCUMENT.content, metadata: { knowledgeId: 'note', knowledgeMetadatX: folded } },
      {
        id: 'text',
        text: 'Bob works in the archive.',
        metadata: { knowledgeMetadatX: JSON.stringify(folded) },
      },
      { id: 'other', text: 'Cor works in the archive.', metadata: { team: 'blue' } },
    ],
    ACME,
  );
  await engine.close();
  const database = new Database(join(cwd, '.ragstone', 'ledger.db'));
  for (const table of ['document', 'store_body'])
    database.exec(
      `UPDATE ${table} SET metadata = replace(metadata, 'knowledgeMetadatX', 'knowledgeMetadata')`,
    );
  database.close();
}

const idsOf = async (engine: Engine, filters: object) =>
  (await engine.search({ text: 'archive', filters: { metadata: { ...filters } } }, ACME)).results
    .map(({ metadata }) => metadata.source)
    .sort();

const countsOf = ({ stats: { documentsProcessed, documentsRenewed } }: IndexResult) => ({
  documentsProcessed,
  documentsRenewed,
});

describe('an index of an earlier version', () => {
  test.each<[string, (engine: Engine, cwd: string) => Promise<void>]>([
    [
      'the next run',
      async (engine, cwd) => {
        writeFileSync(join(cwd, 'a.txt'), 'A file.');
        const { notices } = await engine.index({ paths: [join(cwd, 'a.txt')] });
        expect(notices).toContainEqual(expect.stringContaining('2 documents were brought in step'));
      },
    ],
    [
      'the next run, which a dry run counts',
      async (engine, cwd) => {
        writeFileSync(join(cwd, 'a.txt'), 'A file.');
        const request = { paths: [join(cwd, 'a.txt')] };
        const dry = await engine.index({ ...request, options: { dryRun: true } });
        expect(dry.stats).toMatchObject({ documentsProcessed: 3, documentsRenewed: 2 });
        expect(dry.notices).toContainEqual(expect.stringContaining('2 documents would be brought in step'));
        const again = await engine.index({ ...request, options: { dryRun: true } });
        expect(again.stats).toMatchObject(countsOf(dry));
        const run = await engine.index(request);
        expect(run.stats).toMatchObject(countsOf(dry));
        expect((await engine.index(request)).stats).not.toHaveProperty('documentsRenewed');
      },
    ],
    ['the next push', async (engine) => void (await engine.push([{ id: 'new', text: 'New.' }], ACME))],
    ['a rotation', async (engine) => expect(await engine.rotateEncryption()).toMatchObject({ rewritten: 2 })],
  ])(
    'answers under the names of callers, is named by status, and brought in step by %s',
    async (_, bringInStep) => {
      const cwd = temporaryFolder();
      await earlierIndex(cwd);
      const engine = await openEngine(cwd);
      const service = await testService({ engine });
      expect(await metadataOf(service, { team: 'red' })).toEqual([
        { customer: 'Vandelay', team: 'red', title: 'T' },
      ]);
      expect(await idsOf(engine, { team: 'red' })).toEqual(['note']);
      expect(await idsOf(engine, { team: 'blue' })).toEqual(['other']);
      for (const name of ['knowledgeMetadata.team', 'knowledgeMetadata.knowledgeMetadata.team'])
        expect(await idsOf(engine, { [name]: 'blue' })).toEqual(['other']);
      expect(await idsOf(engine, { 'knowledgeMetadata.team': 'red' })).toEqual(['note']);
      expect(await idsOf(engine, { 'knowledgeMetadata.title': 'T' })).toEqual(['note']);
      const notRed = await engine.search(
        { text: 'archive', filter: { op: 'not', filter: { op: 'exists', field: 'team' } } },
        ACME,
      );
      expect(notRed.results.map(({ metadata }) => metadata.source)).toEqual(['text']);
      const listed = await engine.list({ filters: { metadata: { team: 'red' } } }, ACME);
      expect(listed.documents.map(({ externalId }) => externalId).sort()).toEqual(['note', 'text']);
      const plan = await engine.forget(
        { filter: { op: 'eq', field: 'team', value: 'red' }, dryRun: true },
        ACME,
      );
      expect(plan.documents).toBe(2);
      const old = 'Fields of 2 documents lie under `knowledgeMetadata`';
      expect((await engine.status(ACME)).notices).toContainEqual(expect.stringContaining(old));
      await bringInStep(engine, cwd);
      expect((await engine.status(ACME)).notices).not.toContainEqual(
        expect.stringContaining('knowledgeMetadata'),
      );
      expect((await engine.verify({}, ACME)).drift).toEqual([]);
      expect(await idsOf(engine, { team: 'red' })).toEqual(['note', 'text']);
      expect(await idsOf(engine, { 'knowledgeMetadata.team': 'red' })).toEqual(['note', 'text']);
      expect(await idsOf(engine, { 'knowledgeMetadata.title': 'T' })).toEqual(['note']);
      // Those who may read a document are no field of it.
      expect(await idsOf(engine, { 'knowledgeMetadata.$tenant': 'acme' })).toEqual([]);
      const filter = { op: 'not', filter: { op: 'exists', field: 'knowledgeMetadata.team' } } as const;
      const bare = await engine.search({ text: 'archive', filter }, ACME);
      const ids = bare.results.map(({ metadata }) => metadata.source);
      expect(ids.filter((id) => id !== 'new')).toEqual([]);
      const named = { op: 'eq', field: 'knowledgeMetadata.team', value: 'red' } as const;
      expect(await engine.forget({ filter: named, dryRun: true }, ACME)).toMatchObject({ documents: 2 });
      await engine.close();
      expect(bytesIn(join(cwd, '.ragstone'))).not.toContain('knowledgeMetadata"');
    },
  );

  test('with a field that is marked since is refused as a filter, and shown', async () => {
    const cwd = temporaryFolder();
    await earlierIndex(cwd);
    const engine = await openEngine(cwd, ['customer']);
    for (const field of ['customer', 'knowledgeMetadata.customer'])
      await expect(idsOf(engine, { [field]: 'Vandelay' })).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
    expect(await idsOf(engine, { team: 'red' })).toEqual(['note']);
  });

  test('is listed and forgotten by a name with dots, and a search by it says that it may miss documents', async () => {
    const cwd = temporaryFolder();
    await earlierIndex(cwd, { 'a.b': 'red', at: { 'desk.no': 4 } });
    const engine = await openEngine(cwd);
    const filters = { metadata: { 'a.b': 'red' } };
    const { documents } = await engine.list({ filters }, ACME);
    expect(documents.map(({ externalId }) => externalId).sort()).toEqual(['note', 'text']);
    const filter = { op: 'eq', field: 'a.b', value: 'red' } as const;
    expect(await engine.forget({ filter, dryRun: true }, ACME)).toMatchObject({ documents: 2 });
    const before = await engine.search({ text: 'archive', filters }, ACME);
    expect(before.noticeKinds).toContain('filters-incomplete');
    const bare = await engine.search({ text: 'archive', filters: { sourceType: ['document'] } }, ACME);
    expect(bare.noticeKinds).not.toContain('filters-incomplete');
    await engine.push([{ id: 'new', text: 'New.' }], ACME);
    const after = await engine.search({ text: 'archive', filters }, ACME);
    expect(after.noticeKinds).not.toContain('filters-incomplete');
    expect(after.results.map(({ metadata }) => metadata.source).sort()).toEqual(['note', 'text']);
  });
});
