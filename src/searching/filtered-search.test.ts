import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DegradationLevel } from '../core/degradation.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-filtered-'));
  engine = await createEngine({ cwd: folder, config: { provider: 'memory' } });
  await engine.index({ documents: [{ id: 'audit.md', text: 'Audit logs are kept for 30 days.' }] });
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

test('a filter that leaves nothing is named, and nothing to rerank is no degradation', async () => {
  const response = await engine.search({ text: 'audit logs', filters: { metadata: { team: 'payments' } } });
  expect(response.results).toEqual([]);
  expect(response.notices).toEqual([expect.stringContaining('No document has a field team')]);
  expect(response.degradationLevel).toBe(DegradationLevel.FULL_RAG);
});

test('a filter that admits passages, and a search without one, say nothing', async () => {
  const filtered = await engine.search({ text: 'audit logs', filters: { source: ['push:documents'] } });
  expect(filtered.results).toHaveLength(1);
  expect(filtered.notices).toEqual([]);
  const unfiltered = await engine.search({ text: 'xylophone', filters: {}, options: { mode: 'lexical' } });
  expect(unfiltered.results).toEqual([]);
  expect(unfiltered.notices).toEqual([]);
});

test('a source or a type that nothing has is told with those that the scope may read', async () => {
  await engine.index([
    { id: 'ticket', text: 'An audit is due.', metadata: { sourceType: 'ticket' } },
    { id: 'pay', text: 'An audit of pay.', metadata: { sourceType: 'salary' }, access: { groups: ['hr'] } },
  ]);
  const told = async (filters: object, scope = { tenant: 'default', groups: [] as string[] }) =>
    (await engine.search({ text: 'audit', filters }, scope)).notices.join('\n');
  expect(await told({ source: ['documents'] })).toContain(
    'There is no source documents; there is push:documents.',
  );
  const types = await told({ sourceType: ['tickets'] });
  expect(types).toContain('There is no source type tickets; there are document, ticket.');
  expect(types).not.toContain('salary');
  expect(await told({ sourceType: ['tickets'] }, { tenant: 'default', groups: ['hr'] })).toContain('salary');
  expect(await told({ source: ['documents'] }, { tenant: 'other', groups: [] })).not.toContain('push');
});

test('a field that no document has, and a value, are told with those that the scope may read', async () => {
  const documents = [
    {
      id: 'a',
      text: 'An audit is due.',
      metadata: { status: 'draft', owner: 'Ann', tags: ['Pay', 'Law'], level: 3 },
    },
    { id: 'b', text: 'An audit is done.', metadata: { status: 'final', lead: { name: 'Bo' } } },
    {
      id: 'c',
      text: 'A secret audit.',
      metadata: { status: 'secret', hidden: 1 },
      access: { groups: ['hr'] },
    },
  ];
  await engine.index(documents);
  const told = async (query: object, scope = { tenant: 'default', groups: [] as string[] }) =>
    (await engine.search({ text: 'audit', ...query }, scope)).notices.join('\n');
  const field = await told({ filters: { metadata: { statu: 'draft' } } });
  expect(field).toContain('No document has a field statu; there are');
  for (const name of ['status', 'owner', 'tags', 'level', 'lead']) expect(field).toContain(name);
  expect(field).not.toContain('hidden');
  expect(await told({ filters: { metadata: { status: 'Draft' } } })).toContain(
    'No document has status Draft (capitals count); there are draft, final.',
  );
  expect(await told({ filters: { tags: ['tax'] } })).toContain(
    'No document has tags tax; there are Law, Pay.',
  );
  expect(await told({ filters: { metadata: { 'lead.name': 'Cy' } } })).toContain(
    'No document has lead.name Cy; there is Bo.',
  );
  expect(await told({ filter: { op: 'eq', field: 'level', value: '3' } })).toContain(
    'No document has level 3; there is 3.',
  );
  expect(await told({ filters: { metadata: { status: 'draft', owner: 'Bo' } } })).toContain(
    'No document has owner Bo; there is Ann.',
  );
  expect(await told({ filters: { metadata: { status: 'final', owner: 'Ann' } } })).toContain(
    'No indexed passage passes the filters',
  );
  expect(
    await told({ filters: { metadata: { status: 'none' } } }, { tenant: 'default', groups: ['hr'] }),
  ).toContain('secret');
});

test('a value in another case is among those that are told, and lists are told with all that they hold', async () => {
  await engine.index(
    Array.from({ length: 20 }, (_, at) => ({
      id: `p${at}`,
      text: `Audit ${at}.`,
      metadata: { owner: `Person ${String.fromCharCode(65 + at)}`, teams: ['all', `T${at % 3}`] },
    })),
  );
  const told = async (metadata: Record<string, string>) =>
    (await engine.search({ text: 'audit', filters: { metadata } })).notices.join('\n');
  expect(await told({ owner: 'person t' })).toMatch(
    /^No document has owner person t \(capitals count\); there are Person T, Person A, .* and others\.$/,
  );
  expect(await told({ teams: 'T9' })).toBe('No document has teams T9; there are T0, T1, T2, all.');
});

test('documents of which something was not read are found by its kind, and the kinds that there are told', async () => {
  const page = (name: string, body: string) =>
    writeFileSync(join(folder, name), `<main><p>An audit of ${name}.</p>${body}</main>`);
  page('a.html', '<img src="a.png">');
  page('b.html', '<p>x</p>');
  await engine.index({ paths: ['a.html', 'b.html'] });
  const found = async (unread: string | string[]) => {
    const { results, notices } = await engine.search({ text: 'audit', filters: { metadata: { unread } } });
    return { titles: [...new Set(results.map(({ metadata }) => metadata.source))], notices };
  };
  expect(await found('pictures')).toEqual({ titles: ['a.html'], notices: [] });
  expect(await found(['charts', 'pictures'])).toMatchObject({ titles: ['a.html'] });
  expect(await found('charts')).toMatchObject({
    titles: [],
    notices: ['No document has unread charts; there is pictures.'],
  });
  const listed = await engine.list({ filters: { metadata: { unread: 'pictures' } } });
  expect(listed.documents.map(({ title }) => title)).toEqual(['a.html']);
});
