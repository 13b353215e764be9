import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startAzureDevOps, WorkItemState } from '../../tests/fakes/services/azure-devops.js';
import { startConfluenceCloud } from '../../tests/fakes/services/confluence-cloud.js';
import { ConfluenceState } from '../../tests/fakes/services/confluence-state.js';
import type { FakeApi } from '../../tests/fakes/services/fake-api.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine, SearchQuery } from '../operations/engine.js';
import type { CreateEngineOptions } from '../operations/engine-options.js';
import { testSource } from './test-source.js';

const basic = (account: string): string => `Basic ${Buffer.from(account).toString('base64')}`;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(api: Promise<FakeApi>): Promise<FakeApi> {
  const running = await api;
  ends.push(() => running.stop());
  return running;
}

async function opened(config: NonNullable<CreateEngineOptions['config']>) {
  const cwd = mkdtempSync(join(tmpdir(), 'ragstone-services-'));
  const project = { config: { provider: 'libsql' as const, ...config }, cwd };
  const engine = await createEngine(project);
  ends.push(() => engine.close());
  return { engine, project };
}

async function found(engine: Engine, text: string, filters: SearchQuery['filters'] = {}): Promise<string[]> {
  const { results } = await engine.search({ text, filters, options: { minSimilarity: 0, topK: 10 } });
  return [...new Set(results.map(({ metadata }) => metadata.source))].sort();
}

/** A project with bugs about the same thing that differ in one field each. */
function bugs(): WorkItemState {
  const state = new WorkItemState();
  const bug = {
    'System.Title': 'A card is declined twice',
    'System.Description': '<p>The customer pays, and the card is declined twice.</p>',
    'System.State': 'Active',
    'System.AreaPath': 'Shop\\Payments\\Cards',
    'Microsoft.VSTS.Common.Priority': 1,
  };
  state.add(bug);
  state.add({ ...bug, 'System.State': 'Closed' });
  state.add({ ...bug, 'Microsoft.VSTS.Common.Priority': 2 });
  state.add({ ...bug, 'System.AreaPath': 'Shop\\Paymentsystems' });
  state.add({ ...bug, 'System.WorkItemType': 'Task' });
  state.wiki.add('/Runbooks/Declined cards', 'Who is declined twice is told to call the bank.');
  return state;
}

const shopAt = (baseUrl: string) => ({
  name: 'items',
  type: 'azure_devops' as const,
  baseUrl,
  organization: 'org',
  project: 'Shop',
  allowPrivateNetwork: true,
  auth: { pat: 'pat-1' },
});

/** Open bugs of the first priority in payments. */
const OPEN_P1 = {
  metadata: { workItemType: 'Bug', state: 'Active', priority: 1, areaPath: 'Shop\\Payments' },
};

test('Azure DevOps: open bugs of priority 1 in payments like this one, and the page that explains them', async () => {
  const state = bugs();
  const api = await started(startAzureDevOps(state, basic(':pat-1')));
  const { engine, project } = await opened({ sources: [shopAt(api.url)] });
  expect((await engine.index()).stats).toMatchObject({ documentsProcessed: 6 });
  const page = `wiki/${state.wiki.id}/1`;
  expect(await found(engine, 'card declined twice', OPEN_P1)).toEqual(['1']);
  expect(await found(engine, 'card declined twice')).toEqual(['1', '2', '3', '4', '5', page]);
  expect(await found(engine, 'call the bank', { metadata: { wiki: 'Shop.wiki' } })).toEqual([page]);

  const second = state.items.get(2);
  const third = state.items.get(3);
  if (second === undefined || third === undefined) throw new Error('no items');
  api.requests.length = 0;
  expect((await engine.index()).stats).toMatchObject({ documentsProcessed: 0, documentsDeleted: 0 });
  expect(api.requests.filter(({ path }) => /\/workitems$|\/pages\/\d+$/.test(path))).toEqual([]);
  state.change(second, { 'System.State': 'Active' });
  state.remove(third);
  api.requests.length = 0;
  expect((await engine.index()).stats).toMatchObject({ documentsProcessed: 1, documentsDeleted: 1 });
  expect(api.requests.flatMap(({ query }) => query.ids ?? [])).toEqual(['2']);
  expect(await found(engine, 'card declined twice', OPEN_P1)).toEqual(['1', '2']);
  expect(await found(engine, 'card declined twice')).not.toContain('3');

  const tested = await testSource('items', project);
  expect(tested).toMatchObject({ ok: true, items: 5, problems: [], documents: [{}, {}, {}] });
  state.wiki.denied.add('wiki');
  expect(await testSource('items', project)).toMatchObject({
    ok: false,
    items: 5,
    problems: [{ item: 'wiki/', reason: 'SOURCE_DENIED' }],
  });
});

test('Azure DevOps: a token without Wiki (Read) is a notice with the next step, and a failure where pages are held', async () => {
  const state = bugs();
  state.wiki.denied.add('wiki');
  const api = await started(startAzureDevOps(state, basic(':pat-1')));
  const { engine } = await opened({ sources: [shopAt(api.url)] });
  const first = await engine.index();
  expect(first).toMatchObject({ success: true, stats: { documentsProcessed: 5, errors: [] } });
  expect(first.notices.join()).toMatch(/Wiki \(Read\); includeWikis: false/);
  expect((await engine.verify()).drift).toEqual([]);
  state.wiki.denied.clear();
  expect((await engine.index()).stats.documentsProcessed).toBe(1);
  state.wiki.denied.add('wiki');
  const later = await engine.index();
  expect(later).toMatchObject({ success: false, stats: { documentsDeleted: 0 } });
  expect(later.stats.errors).toMatchObject([{ item: 'wiki/', reason: 'SOURCE_DENIED' }]);
});

test('Confluence: pages are found by words and labels, and the second run reads what changed', async () => {
  const state = new ConfluenceState();
  const parent = state.addPage({ title: 'Payments' });
  const page = state.addPage({
    title: 'Refunds',
    body: '<p>A refund of a quokka takes five days.</p>',
    labels: ['refund'],
    parentId: parent.id,
  });
  const api = await started(startConfluenceCloud(state, basic('ann@example.com:token-1')));
  const source = {
    name: 'pages',
    type: 'confluence' as const,
    baseUrl: api.url,
    deployment: 'cloud' as const,
    spaceKeys: ['OPS'],
    accessGroups: ['*'],
    allowPrivateNetwork: true,
    auth: { username: 'ann@example.com', apiToken: 'token-1' },
  };
  const { engine, project } = await opened({ sources: [source] });
  expect((await engine.index()).stats).toMatchObject({ documentsProcessed: 2 });
  expect(await found(engine, 'quokka refund', { tags: ['refund'] })).toEqual([page.id]);

  /** Pages whose text was asked for since this was last called. */
  const bodiesRead = (): string[] =>
    api.requests
      .splice(0)
      .flatMap(({ path, query }) =>
        query['body-format'] === undefined ? [] : (/\/pages\/(\d+)$/.exec(path)?.[1] ?? []),
      );
  expect(bodiesRead().sort()).toEqual([parent.id, page.id]);
  expect((await engine.index()).stats).toMatchObject({ documentsProcessed: 0, documentsDeleted: 0 });
  expect(bodiesRead()).toEqual([]);
  state.edit(page, '<p>A refund of a numbat takes six days.</p>');
  // The fake site's clock lies in the past; the next listing starts at the time of the run before.
  page.modified = new Date().toISOString();
  expect((await engine.index()).stats).toMatchObject({ documentsProcessed: 1, documentsDeleted: 0 });
  expect(bodiesRead()).toEqual([page.id]);
  const { results } = await engine.search({ text: 'numbat refund', options: { minSimilarity: 0 } });
  expect(results[0]?.content).toContain('numbat');
  expect(results[0]?.metadata.headingPath).toContain('Payments');

  expect(await testSource('pages', project)).toMatchObject({ ok: true, items: 2, problems: [] });
});
