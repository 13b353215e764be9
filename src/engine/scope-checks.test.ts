import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../config/load-config.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { EVERYTHING } from '../core/filter.js';
import type { Engine } from '../operations/engine.js';
import { EngineResources } from '../resources/engine-resources.js';
import type { PushedDocument } from '../sources/push/push-source.js';
import { engineOver } from './create-engine.js';

// Each test stands for one check of a scope: `npm run test:scopes` takes the check away and expects the test to fail.

let cwd: string;
let opened: Engine[];
beforeEach(() => {
  cwd = temporaryFolder();
  opened = [];
});
afterEach(async () => {
  for (const engine of opened) await engine.close();
});

async function indexed(documents: readonly PushedDocument[], settings: RAGSettingsInput = {}) {
  const config = await loadConfig({ config: { provider: 'memory', ...settings }, cwd, env: {} });
  const resources = new EngineResources(config);
  const engine = engineOver(resources, cwd);
  opened.push(engine);
  if (documents.length > 0) await engine.index(documents);
  return { engine, resources };
}

const RESTRICTED = { level: 3 };

test('ask reads of a document around a passage only what the scope may read', async () => {
  const sections = ['The pump starts at nine.', 'The valve opens at ten.', 'The siren sounds at eleven.'];
  const text = sections.map((line, i) => `## Part ${i}\n\n${line}\n`).join('\n');
  const { engine, resources } = await indexed([{ id: 'plan', text, mediaType: 'text/markdown' }], {
    chunking: { strategy: 'recursive', maxSize: 45, overlap: 0 },
    context: { neighbours: 1 },
  });
  const question = { question: 'When does the pump start?', abstainBelow: 0, topK: 1 };
  const seen = async () =>
    (await engine.ask(question)).sources.map(({ chunk_text }) => chunk_text).join('\n');
  expect(await seen()).toContain('valve');
  // As in the moment in which a document is being restricted: some of its chunks are already.
  const { collection } = await resources.stores.collection();
  const { chunks } = await collection.list({ filter: EVERYTHING, limit: 10 });
  const valve = chunks.filter(({ content }) => content.includes('valve'));
  const vectors = await collection.get(
    valve.map(({ id }) => id),
    { includeVectors: true },
  );
  expect(vectors).toHaveLength(1);
  await collection.upsert(
    vectors.map((chunk) => ({
      ...chunk,
      vector: chunk.vector ?? new Float32Array(),
      searchText: 'valv open',
      access: { groups: ['*'], level: 3 },
    })),
  );
  expect(await seen()).toContain('pump');
  expect(await seen()).not.toContain('valve');
});

test('explain-miss ranks a document among those that the scope may read', async () => {
  const hidden = Array.from({ length: 20 }, (_, i) => ({
    id: `hidden-${i}`,
    text: `quokka quokka number ${i}`,
    access: RESTRICTED,
  }));
  const better = { id: 'better', text: 'quokka quokka sleeps' };
  const wanted = {
    id: 'wanted',
    text: 'a long report of the zoo in which a quokka is named once, among many other animals',
  };
  const { engine } = await indexed([...hidden, better, wanted], {
    retrieval: { fusion: { candidates: 1 } },
  });
  const query = { text: 'quokka', options: { topK: 1, mode: 'lexical' as const } };
  const explanation = await engine.explainMiss(query, 'wanted');
  expect(explanation.reason).toContain('it is number 2 by words');
});

test('explain-miss tells of no failure of another tenant', async () => {
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs/bad.md'), Buffer.from([0x67, 0xff, 0xfe, 0xfa, 0x00, 0x01]));
  const { engine } = await indexed([{ id: 'a', text: 'a quokka' }]);
  const acme = engine.as({ tenant: 'acme' });
  await acme.index({ paths: ['docs'] });
  expect(await acme.explainMiss('quokka', 'bad.md')).toMatchObject({ lostAt: 'failed' });
  expect(await engine.explainMiss('quokka', 'bad.md')).toMatchObject({ lostAt: 'not-indexed' });
  expect((await engine.status()).failures).toEqual([]);
});

test('filters that admit only what the scope may not read leave nothing, as any others', async () => {
  const { engine } = await indexed([
    { id: 'open', text: 'a quokka' },
    { id: 'pay', text: 'salaries', metadata: { team: 'hr' }, access: RESTRICTED },
  ]);
  const notices = async (team: string) =>
    (await engine.search({ text: 'salaries', filters: { metadata: { team } } })).notices;
  expect(await notices('hr')).toEqual(await notices('nobody'));
  expect((await notices('hr')).join()).toContain('No document has a field team');
});

test('verify compares no source that another tenant holds', async () => {
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs/plan.md'), 'a quokka');
  const { engine } = await indexed([{ id: 'a', text: 'a wombat' }], {
    sources: [{ type: 'files', name: 'docs', paths: ['docs'] }],
  });
  const acme = engine.as({ tenant: 'acme' });
  await acme.index();
  writeFileSync(join(cwd, 'docs/salaries.md'), 'not indexed yet');
  expect((await acme.verify()).drift).toHaveLength(1);
  expect((await engine.verify()).drift).toEqual([]);
});

test('verify names no abandoned source of another project', async () => {
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs/plan.md'), 'a quokka');
  const { engine } = await indexed([]);
  const [zoo, garden] = ['zoo', 'garden'].map((project) => engine.as({ tenant: 'default', project }));
  await zoo?.index({ paths: ['docs'] });
  await garden?.index([{ id: 'a', text: 'a wombat' }]);
  rmSync(join(cwd, 'docs'), { recursive: true });
  expect((await zoo?.verify())?.drift).toMatchObject([{ kind: 'source-abandoned' }]);
  expect((await garden?.verify())?.drift).toEqual([]);
});

test('explain-miss finds no document of another project', async () => {
  const { engine } = await indexed([]);
  const [zoo, garden] = ['zoo', 'garden'].map((project) => engine.as({ tenant: 'default', project }));
  await zoo?.index([{ id: 'plan', text: 'a quokka' }]);
  await garden?.index([{ id: 'note', text: 'a quokka' }]);
  expect(await garden?.explainMiss('quokka', 'plan')).toMatchObject({
    lostAt: 'not-indexed',
    reason: 'The index holds no document "plan".',
  });
});

test('explain-miss counts only what the scope may read', async () => {
  const hidden = Array.from({ length: 9 }, (_, i) => ({
    id: `h${i}`,
    text: `salary ${i}`,
    access: RESTRICTED,
  }));
  const open = ['a quokka', 'a wombat at noon', 'the pump'].map((text, i) => ({ id: `o${i}`, text }));
  const { engine } = await indexed([...hidden, ...open], { retrieval: { fusion: { candidates: 1 } } });
  const query = { text: 'quokka', options: { topK: 1, mode: 'dense' as const } };
  expect((await engine.explainMiss(query, 'o2')).reason).toContain('of 3 by meaning');
});

test('a rebuild by one tenant loses no document that another one indexed from the same source', async () => {
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs/plan.md'), 'a quokka');
  const { engine } = await indexed([], { sources: [{ type: 'files', name: 'docs', paths: ['docs'] }] });
  const acme = engine.as({ tenant: 'acme' });
  await acme.index();
  await engine.index({ options: { force: true } });
  expect((await acme.search('quokka')).results).toHaveLength(1);
});

test('status lists no source of another tenant', async () => {
  const { engine } = await indexed([{ id: 'a', text: 'a quokka' }]);
  await engine.as({ tenant: 'acme' }).index([
    { id: 'b', text: 'a wombat' },
    { id: 'c', text: 'the pump' },
  ]);
  expect((await engine.status()).sources).toHaveLength(1);
});

test('status of a project lists no source of another', async () => {
  const { engine } = await indexed([]);
  const [zoo, garden] = ['zoo', 'garden'].map((project) => engine.as({ tenant: 'default', project }));
  await zoo?.index([{ id: 'a', text: 'a quokka' }]);
  await garden?.index([{ id: 'b', text: 'a wombat' }]);
  expect((await garden?.status())?.sources).toHaveLength(1);
});

test('ask does not tell whether a word is in what the scope may not read', async () => {
  const { engine } = await indexed([
    { id: 'open', text: 'The pump of the Wombat station starts at nine every morning.' },
    { id: 'pay', text: 'Quetzalcoatl is paid by the hour.', access: RESTRICTED },
  ]);
  const missing = async (name: string) =>
    JSON.stringify(await engine.ask({ question: `When does the pump of ${name} start?` })).replaceAll(
      name,
      'NAME',
    );
  const [ofSecret, ofNobody] = [await missing('Quetzalcoatl'), await missing('Xiuhtecuhtli')];
  expect(ofNobody).toContain('NAME');
  expect(outcomeIn(ofSecret)).toEqual(outcomeIn(ofNobody));
});

const outcomeIn = (answer: string): unknown => {
  const { outcome, answer: text, notices, missing } = JSON.parse(answer) as Record<string, unknown>;
  return { outcome, text, notices, missing };
};

test('verify names nothing of another tenant that the store lost', async () => {
  const { engine, resources } = await indexed([{ id: 'a', text: 'a quokka' }]);
  const acme = engine.as({ tenant: 'acme' });
  await acme.index([{ id: 'b', text: 'a wombat' }]);
  const { collection } = await resources.stores.collection();
  await collection.delete({ op: 'eq', field: '$tenant', value: 'acme' });
  expect((await acme.verify()).drift).toHaveLength(1);
  expect((await engine.verify()).drift).toEqual([]);
});

test('status tells of no failure of another tenant in a source that both index', async () => {
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs/plan.md'), 'a quokka');
  const { engine } = await indexed([], { sources: [{ type: 'files', name: 'docs', paths: ['docs'] }] });
  await engine.index();
  writeFileSync(join(cwd, 'docs/bad.md'), Buffer.from([0x67, 0xff, 0xfe, 0xfa, 0x00, 0x01]));
  const acme = engine.as({ tenant: 'acme' });
  await acme.index();
  expect((await acme.status()).failures).toHaveLength(1);
  expect((await engine.status()).failures).toEqual([]);
});

test('verify names nothing of another project that the store lost', async () => {
  const { engine, resources } = await indexed([]);
  const [zoo, garden] = ['zoo', 'garden'].map((project) => engine.as({ tenant: 'default', project }));
  await zoo?.index([{ id: 'a', text: 'a quokka' }]);
  await garden?.index([{ id: 'b', text: 'a wombat' }]);
  const { collection } = await resources.stores.collection();
  await collection.delete({ op: 'eq', field: '$project', value: 'zoo' });
  expect((await zoo?.verify())?.drift).toHaveLength(1);
  expect((await garden?.verify())?.drift).toEqual([]);
});

test('verify names no document of another tenant whose run was interrupted', async () => {
  const { engine, resources } = await indexed([{ id: 'a', text: 'a quokka' }]);
  const acme = engine.as({ tenant: 'acme' });
  await acme.index([{ id: 'b', text: 'a wombat' }]);
  const ledger = await resources.ledger.writing({ check: false });
  const generation = (await ledger.live())?.generation ?? 0;
  const documents = await ledger.reader(generation).documents(undefined, 10);
  const ofAcme = documents.filter(({ tenant }) => tenant === 'acme').map(({ documentId }) => documentId);
  await ledger.writer(generation, 'interrupted').planDeletion(ofAcme);
  const kinds = async (e: Pick<Engine, 'verify'>) => (await e.verify()).drift.map(({ kind }) => kind);
  expect(await kinds(acme)).toContain('document-pending');
  expect(await kinds(engine)).toEqual([]);
});

test('status of a project counts no document of the same project of another tenant', async () => {
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs/plan.md'), 'a quokka');
  const { engine } = await indexed([], { sources: [{ type: 'files', name: 'docs', paths: ['docs'] }] });
  const [zoo, acme] = ['default', 'acme'].map((tenant) => engine.as({ tenant, project: 'zoo' }));
  await zoo?.index();
  await acme?.index();
  expect((await zoo?.status())?.documents).toBe(1);
});
