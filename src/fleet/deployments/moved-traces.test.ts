import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { anthropicWire } from '../../../tests/fakes/wire/anthropic-wire.js';
import { chatReply } from '../../../tests/fakes/wire/chat-wire.js';
import { startWireServer } from '../../../tests/fakes/wire/wire-server.js';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { keysOfVectors } from '../../embedding/prune-vectors.js';
import { SqliteValues } from '../../faces/service/retained/sqlite-values.js';
import { RagDeploymentModel } from '../../operations/deployment-model.js';
import { filesWith } from '../../testing/files-with.js';
import { createHashEmbedder } from '../../testing/hash-embedder.js';
import { createKnowledgeDeployments } from './create-knowledge-deployments.js';
import type { KnowledgeDeploymentService } from './knowledge-deployment-service.js';
import { customerOwned, TestServers, testDeployments } from './test-deployments.js';

const DOCUMENT = {
  id: 'g',
  title: 'The vexillumtitle',
  text: 'The zirconflorin is kept in the archive.',
  metadata: { client: 'ombudsfact' },
};
const WORDS = ['vexillumtitle', 'zirconflorin', 'ombudsfact', 'quagganote'];

/** An index that two tenants share. */
async function shared(config: RAGConfigInput, servers = new TestServers()) {
  const folder = temporaryFolder();
  const deployments = await testDeployments(folder, servers, config);
  const globex = (await deployments.of({ tenant: 'globex' })).view;
  const acme = (await deployments.of({ tenant: 'acme' })).view;
  await acme.push([{ id: 'a', text: 'The palimpsest of Acme.' }]);
  await globex.push([DOCUMENT]);
  return { folder, data: join(folder, 'data'), servers, deployments, globex, acme };
}

/** A shared index that keeps vectors, of another tenant up to now. */
async function withVectors() {
  const folder = temporaryFolder();
  const vectors = join(folder, 'vectors');
  const deployments = await createKnowledgeDeployments(
    {
      cwd: folder,
      dataDir: join(folder, 'data'),
      embedder: { ...createHashEmbedder(), isCheap: false },
      config: { provider: 'libsql', embedding: { cache: { path: vectors } } },
    },
    new TestServers(),
  );
  onTestFinished(() => deployments.close());
  await (await deployments.of({ tenant: 'acme' })).view.push([{ id: 'a', text: 'The lamp of Acme.' }]);
  const ofOthers = keysOfVectors(vectors);
  expect(ofOthers).not.toEqual([]);
  return { folder, vectors, deployments, ofOthers };
}

const found = async (data: string): Promise<string[]> =>
  (await Promise.all(WORDS.map((word) => filesWith(data, word)))).flat();

const move = (deployments: KnowledgeDeploymentService) => deployments.moveTenant(customerOwned('globex'));

test('results that are kept on disk go with a tenant that moves to a customer', async () => {
  const { data, deployments, globex } = await shared({ retrieval: { cache: { enabled: true } } });
  await globex.search({ text: 'zirconflorin', options: { mode: 'lexical' } });
  expect(await filesWith(data, 'zirconflorin')).toContain('results.db');
  await move(deployments);
  expect(await found(data)).toEqual([]);
});

test('results that an earlier configuration kept go with a tenant that moves, too', async () => {
  const { data, folder, servers, deployments, globex } = await shared({
    retrieval: { cache: { enabled: true } },
  });
  await globex.search({ text: 'zirconflorin', options: { mode: 'lexical' } });
  await deployments.close();
  const later = await testDeployments(folder, servers, { retrieval: { cache: { enabled: false } } });
  expect(await filesWith(data, 'zirconflorin')).toContain('results.db');
  await move(later);
  expect(await found(data)).toEqual([]);
});

test('what a service remembers of a tenant with an index of its own is forgotten, and goes with a move', async () => {
  const { data, deployments } = await shared({});
  await deployments.moveTenant({ tenantId: 'globex', model: RagDeploymentModel.Dedicated });
  const values = new SqliteValues(data);
  onTestFinished(() => values.close());
  const remember = (key: string) =>
    values.set({ kind: 'shown', tenant: 'globex', key }, `What is the ${key}?`, 3_600_000);
  await remember('quagganote');
  const { view } = await deployments.of({ tenant: 'globex' });
  await view.push([{ id: 'other', text: 'Another note.' }]);
  await view.forget({ documents: ['other'] });
  expect(await filesWith(data, 'quagganote')).toEqual([]);
  await remember('quagganote');
  await move(deployments);
  expect(await found(data)).toEqual([]);
});

test('the past of a tenant that moves to a customer goes with it; that of others stays', async () => {
  const { data, deployments, globex, acme } = await shared({ history: { keep: '1y' } });
  await globex.push([{ ...DOCUMENT, text: 'The quagganote lies beside it.' }]);
  await globex.push([{ ...DOCUMENT, id: 'deleted', text: 'The quagganote was here.' }]);
  await globex.delete(['deleted']);
  await acme.push([{ id: 'a', text: 'Another of Acme.' }]);
  expect(await filesWith(data, 'zirconflorin')).toContain('a text in ledger.db');
  await move(deployments);
  expect(await found(data)).toEqual([]);
  expect(await filesWith(data, 'palimpsest')).toContain('a text in ledger.db');
});

test('what a model wrote about the documents of a tenant that moves to a customer goes with it', async () => {
  const server = await startWireServer(anthropicWire, (request) => {
    const isGlobex = JSON.stringify(request.body).includes('zirconflorin');
    const text = isGlobex ? 'Of a quagganote.' : 'Of an Acme context.';
    return chatReply(anthropicWire, request, { kind: 'answer', text });
  });
  onTestFinished(() => server.close());
  const { data, deployments } = await shared({
    chat: { model: 'anthropic:claude-haiku-4-5-20251001', maxRetries: 0 },
    modelProviders: { anthropic: { apiKey: 'test-key', baseUrl: `${server.url}/v1` } },
    indexing: { contextual: { enabled: true } },
  });
  expect(await filesWith(join(data, 'cache'), 'quagganote')).not.toEqual([]);
  await move(deployments);
  expect(await found(data)).toEqual([]);
  expect(await filesWith(join(data, 'cache'), 'Acme context')).not.toEqual([]);
});

test('a removal that broke off before its end is done by the same move again', async () => {
  const { data, deployments, globex } = await shared({
    history: { keep: '1y' },
    retrieval: { cache: { enabled: true } },
  });
  await globex.search({ text: 'zirconflorin', options: { mode: 'lexical' } });
  const reader = new Database(join(data, 'ledger.db'));
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM revision').get();
  await expect(move(deployments)).rejects.toMatchObject({ reason: 'INDEX_LOCKED' });
  reader.exec('COMMIT');
  reader.close();
  expect(await deployments.getDeploymentConfig('globex')).toMatchObject({
    model: 'CustomerOwned',
    move: { stage: 'cleaning' },
  });
  expect(await move(deployments)).toMatchObject({ model: 'CustomerOwned', copied: 0 });
  expect(await deployments.getDeploymentConfig('globex')).not.toHaveProperty('move');
  expect(await found(data)).toEqual([]);
});

test('no vector of a customer is kept in a file of the operator', async () => {
  const { vectors, deployments, ofOthers } = await withVectors();
  const { view } = await deployments.of({ tenant: 'globex' });
  await view.push([DOCUMENT]);
  await view.search('zirconflorin');
  await move(deployments);
  expect(keysOfVectors(vectors)).toEqual(ofOthers);
  await view.push([{ ...DOCUMENT, id: 'h', text: 'The quagganote lies beside it.' }]);
  await view.search('quagganote');
  expect(keysOfVectors(vectors)).toEqual(ofOthers);
});

test('vectors of a tenant that had an index of its own go with it; those of others stay', async () => {
  const { folder, vectors, deployments, ofOthers } = await withVectors();
  await deployments.saveDeploymentConfig({ tenantId: 'globex', model: 'Dedicated' });
  const { view } = await deployments.of({ tenant: 'globex' });
  await view.push([DOCUMENT]);
  await view.search('zirconflorin');
  await move(deployments);
  expect(keysOfVectors(vectors)).toEqual(ofOthers);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(files.filter((path) => path.endsWith('.vectors') && !path.startsWith('vectors'))).toEqual([]);
});

test('filters of a tenant with a store of the customer are not logged by the library', async () => {
  const { data, deployments, globex } = await shared({ audit: { enabled: true, library: true } });
  await move(deployments);
  await globex.search({ text: 'archive', filters: { metadata: { client: 'auditedclient' } } });
  await globex.list({ filters: { metadata: { client: 'auditedclient' } } });
  expect(await filesWith(data, '"action":"list"')).not.toEqual([]);
  expect(await filesWith(data, 'auditedclient')).toEqual([]);
});
