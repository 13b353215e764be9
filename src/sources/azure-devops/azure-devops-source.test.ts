import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { WorkItemState } from '../../../tests/fakes/services/azure-devops.js';
import { startProject, stopProjects } from '../../../tests/fakes/services/azure-devops-project.js';
import { FAULTS, type FakeRequest } from '../../../tests/fakes/services/fake-api.js';
import { randomFaults } from '../../../tests/fakes/services/random-faults.js';
import { SourceMirror } from '../../../tests/fakes/services/source-mirror.js';
import { AzureDevOpsSource } from './azure-devops-source.js';

afterEach(stopProjects);

/** What must be held of each item, and what is. */
const expected = (state: WorkItemState) =>
  Object.fromEntries(
    [...state.items.values()].map((item) => [
      item.id,
      [item.revision, item.fields['System.Title'], item.comments.length],
    ]),
  );
const held = (mirror: SourceMirror) =>
  Object.fromEntries(
    [...mirror.documents].map(([id, { metadata, title }]) => [
      id,
      [metadata.workItemRevision, title, metadata.commentCount],
    ]),
  );

test('a work item is a document whose fields are typed metadata', async () => {
  const state = new WorkItemState();
  const parent = state.add({ 'System.WorkItemType': 'Feature' });
  const item = state.add({
    'System.Title': 'Cards are declined <twice>',
    'System.State': 'Active',
    'System.AreaPath': 'Shop\\Payments\\Cards',
    'System.IterationPath': 'Shop\\Sprint 3',
    'System.Tags': 'card; urgent',
    'System.AssignedTo': { displayName: 'Ann', uniqueName: 'ann@example.com' },
    'System.ChangedDate': '2026-02-03T04:05:06.7Z',
    'Microsoft.VSTS.Common.Priority': 1,
    'Microsoft.VSTS.Common.Severity': '2 - High',
    'Microsoft.VSTS.TCM.ReproSteps': 'Pay\nPay again',
    'Custom.Team': 'Blue',
  });
  item.links.push(
    { rel: 'System.LinkTypes.Hierarchy-Reverse', target: parent.id },
    { rel: 'System.LinkTypes.Related', target: 9 },
  );
  for (const text of ['<p>one</p>', 'two', 'three']) state.comment(item, text);
  const { source } = await startProject(state, {
    fields: ['System.Description', 'Microsoft.VSTS.TCM.ReproSteps', 'Custom.Team'],
  });
  const mirror = new SourceMirror();
  await mirror.sync(source());
  const document = mirror.documents.get(String(item.id));
  expect(document).toMatchObject({
    title: 'Cards are declined <twice>',
    updatedAt: '2026-02-03T04:05:06.700Z',
    metadata: {
      workItemId: 2,
      workItemType: 'Bug',
      state: 'Active',
      priority: 1,
      severity: '2 - High',
      area: 'Shop\\Payments\\Cards',
      areaPath: ['Shop', 'Shop\\Payments', 'Shop\\Payments\\Cards'],
      iteration: 'Shop\\Sprint 3',
      assignee: 'Ann',
      tags: ['card', 'urgent'],
      links: [1, 9],
      linkTypes: ['Hierarchy-Reverse:1', 'Related:9'],
      parent: 1,
      commentCount: 3,
      Custom_Team: 'Blue',
    },
  });
  expect(document?.url).toMatch(/\/org\/Shop\/_workitems\/edit\/2$/);
  expect(document?.content).toMatch(
    /<h1>Bug 2: Cards are declined &lt;twice>.*Description.*Repro steps<\/h2><p>Pay<br>Pay again.*one.*two.*three/s,
  );
});

test('the second run asks only for what changed; deletions are seen at once', async () => {
  const state = new WorkItemState();
  const items = Array.from({ length: 450 }, () => state.add());
  const { api, source } = await startProject(state);
  const mirror = new SourceMirror();
  await mirror.sync(source());
  api.requests.length = 0;
  expect(await mirror.sync(source())).toEqual({ read: [], gone: [], failed: [] });
  // Two about work items, and three about the wiki: which there are, its last commit, its pages.
  expect(api.requests).toHaveLength(5);
  api.requests.length = 0;
  const [first = state.add(), second = state.add()] = items;
  state.change(first, { 'System.Title': 'New' });
  state.remove(second);
  expect(await mirror.sync(source())).toEqual({ read: ['1'], gone: ['2'], failed: [] });
  expect(api.requests).toHaveLength(9);
  expect(held(mirror)).toEqual(expected(state));
});

test('a run that dies is repeated, and nothing is passed over', async () => {
  const state = new WorkItemState();
  for (let i = 0; i < 30; i++) state.add();
  const { source } = await startProject(state);
  const mirror = new SourceMirror();
  expect((await mirror.sync(source(), { stopAfter: 11 })).read).toHaveLength(11);
  expect((await mirror.sync(source())).read).toHaveLength(19);
  expect(held(mirror)).toEqual(expected(state));
});

test('more items than one query may find are found in ranges of ids', async () => {
  const state = new WorkItemState();
  for (let i = 0; i < 20_300; i++) state.add();
  const { api, source } = await startProject(state, { maxItems: 30_000 });
  const listed = new Set<string>();
  for await (const { id } of source().list()) listed.add(id);
  expect(listed.size).toBe(20_300);
  expect(api.requests.filter(({ path }) => path.endsWith('wiql'))).toHaveLength(6);
});

test('other fields to read make every item another version', async () => {
  const state = new WorkItemState();
  state.add({ 'Custom.Team': 'Blue' });
  const { api, source } = await startProject(state);
  const mirror = new SourceMirror();
  await mirror.sync(source());
  const withTeam = new AzureDevOpsSource({
    ...{ name: 'items', baseUrl: api.url, organization: 'org', project: 'Shop', pat: 'pat-1' },
    ...{ allowPrivateNetwork: true, fields: ['Custom.Team'] },
  });
  await mirror.sync(withTeam);
  expect(mirror.documents.get('1')?.metadata.Custom_Team).toBe('Blue');
});

test('types are chosen, maxItems keeps the newest and says so, names are quoted', async () => {
  const state = new WorkItemState();
  for (const type of ['Bug', 'Task', 'Bug', "User's Story", 'Bug'])
    state.add({ 'System.WorkItemType': type });
  const { source } = await startProject(state, { workItemTypes: ['Bug', 'Task'], maxItems: 3 });
  const items = source();
  const mirror = new SourceMirror();
  await mirror.sync(items);
  expect([...mirror.documents.keys()].sort()).toEqual(['2', '3', '5']);
  expect(items.listingNotices().join()).toMatch(/holds 4 work items; the 3 newest/);
});

test('a refused sign-in ends the listing, without the token', async () => {
  const { source } = await startProject(new WorkItemState(), { pat: 'wrong-token' });
  const error: unknown = await new SourceMirror().sync(source()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ reason: 'SOURCE_DENIED' });
  expect(JSON.stringify(error) + String(error)).not.toMatch(/wrong-token|d3Jvbmctd/);
});

test('whatever goes wrong and is edited meanwhile, the mirror ends as the project is', async () => {
  const edit = fc.record({ at: fc.nat(40), what: fc.constantFrom('change', 'add', 'remove', 'comment') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...FAULTS), { maxLength: 40 }),
      fc.array(edit, { maxLength: 8 }),
      async (faults, edits) => {
        const state = new WorkItemState();
        for (let i = 0; i < 12; i++) state.add();
        const { api, source } = await startProject(state);
        const mirror = new SourceMirror();
        api.faults = [...faults];
        const running = mirror.sync(source());
        for (const { at, what } of edits) {
          const item = [...state.items.values()][at % state.items.size];
          if (what === 'add') state.add();
          else if (item === undefined) continue;
          else if (what === 'change') state.change(item, { 'System.Title': `T${at}` });
          else if (what === 'comment') state.comment(item, `c${at}`);
          else if (state.items.size > 1) state.remove(item);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        await running;
        // No complete listing in between: the watermark alone finds what the first run could not see.
        await mirror.sync(source());
        expect(held(mirror)).toEqual(expected(state));
      },
    ),
    { numRuns: 40 },
  );
});

test('5,000 work items are read to exactly the state of the project under faults', async () => {
  const state = new WorkItemState();
  for (let i = 0; i < 5000; i++) state.add();
  const { api, source } = await startProject(state);
  api.faults = randomFaults(11, 200);
  const mirror = new SourceMirror();
  await mirror.sync(source());
  expect(held(mirror)).toEqual(expected(state));
});

const examples = fileURLToPath(
  new URL('../../../../shared/data/fixtures/azure-devops-rest/specification/', import.meta.url),
);

interface Example {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: readonly string[];
}

/** Method, path and parameters of an official example; some give the method only by the name of the file. */
function readExample(file: string): Example[] {
  const text = readFileSync(`${examples}${file}`, 'utf8').replace(/^\uFEFF/, '');
  const example = JSON.parse(text) as Record<string, unknown> & { parameters?: { body?: object } };
  const address = example['x-ms-vss-request-url'];
  if (typeof address !== 'string' || !URL.canParse(address.trim())) return [];
  const url = new URL(address.trim());
  const stated = example['x-ms-vss-request-method'];
  const body = Object.keys(example.parameters?.body ?? {});
  // Some examples name the version of the API beside the address.
  const query = [...url.searchParams.keys(), ...Object.keys(example.parameters ?? {}).filter(isVersion)];
  const method =
    typeof stated === 'string'
      ? stated
      : body.length > 0
        ? 'POST'
        : (file.split('/').at(-1)?.split('_')[0] ?? '');
  return [{ method, path: placeless(url.pathname, 'fabrikam'), query, body }];
}

const isVersion = (name: string): boolean => name === 'api-version';

/** A path without what names a project, an item, a wiki or a repository. */
const placeless = (path: string, organization: string): string =>
  path
    .replace(`/${organization}/_apis`, '/{org}/_apis')
    .replace(new RegExp(`/${organization}/[^/]+/_apis`), '/{org}/{project}/_apis')
    .replace(/\/(wikis|repositories)\/[^/]+/, '/$1/{id}')
    .replaceAll(/\/\d+(?=\/|$)/g, '/{id}')
    .toLowerCase();

const isShownBy =
  ({ method, path, query, body }: FakeRequest) =>
  (example: Example): boolean =>
    example.method === method &&
    example.path === placeless(path, 'org') &&
    Object.keys(query).every((name) => example.query.includes(name)) &&
    Object.keys(body ?? {}).every((name) => example.body.includes(name));

describe.skipIf(!existsSync(examples))(
  'the official examples (skipped where ../shared/data is not there)',
  () => {
    test('show every request that is made', async () => {
      const known = readdirSync(examples, { recursive: true, encoding: 'utf8' })
        .filter((file) => /^(wit|wiki|git)\/7\.1\/.*\.json$/.test(file))
        .flatMap(readExample);
      const state = new WorkItemState();
      const item = state.add();
      for (let i = 0; i < 5; i++) state.comment(item, 'x');
      state.wiki.add('/One');
      const { api, source } = await startProject(state);
      const mirror = new SourceMirror();
      await mirror.sync(source());
      state.change(item, {});
      await mirror.sync(source());
      const unknown = api.requests.filter((request) => !known.some(isShownBy(request)));
      expect(unknown.map(({ method, path, query, body }) => ({ method, path, query, body }))).toEqual([]);
      expect(new Set(api.requests.map(({ method, path }) => `${method} ${path}`)).size).toBe(8);
    });
  },
);
