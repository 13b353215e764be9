import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { WorkItemState } from '../../../tests/fakes/services/azure-devops.js';
import { startProject, stopProjects } from '../../../tests/fakes/services/azure-devops-project.js';
import { FAULTS } from '../../../tests/fakes/services/fake-api.js';
import { randomFaults } from '../../../tests/fakes/services/random-faults.js';
import { SourceMirror } from '../../../tests/fakes/services/source-mirror.js';
import { isUnreadable, type SourceItem, type UnreadableItem } from '../source.js';

afterEach(stopProjects);

const idOf = ({ wiki }: WorkItemState, page: number): string => `wiki/${wiki.id}/${page}`;

/** What must be held of each page, and what is. */
const expected = (state: WorkItemState) =>
  Object.fromEntries(
    [...state.wiki.pages.values()].map(({ id, path, content }) => [idOf(state, id), [path, content]]),
  );
const held = (mirror: SourceMirror) =>
  Object.fromEntries(
    [...mirror.documents].map(([id, { metadata, content }]) => [id, [metadata.wikiPath, content]]),
  );

test('a page is a document in Markdown below the titles of the pages above it', async () => {
  const state = new WorkItemState();
  state.wiki.add('/Runbooks', '');
  state.wiki.add('/Runbooks/Payments/Card declined', '# Steps\n\nCall the bank.');
  const { source } = await startProject(state);
  const mirror = new SourceMirror();
  await mirror.sync(source({ metadata: { team: 'pay' }, openGroups: ['ops'] }));
  expect(mirror.documents.get(idOf(state, 2))).toEqual({
    externalId: idOf(state, 2),
    mediaType: 'text/markdown',
    content: '# Steps\n\nCall the bank.',
    title: 'Card declined',
    headingPath: ['Runbooks', 'Payments'],
    url: expect.stringContaining('pagePath=%2FRunbooks%2FPayments%2FCard%20declined'),
    metadata: {
      team: 'pay',
      wiki: 'Shop.wiki',
      wikiPath: '/Runbooks/Payments/Card declined',
      wikiPageId: 2,
    },
    access: { groups: ['ops'], level: 0 },
  });
  expect(mirror.documents.get(idOf(state, 1))).toMatchObject({ title: 'Runbooks', headingPath: [] });
});

test('a page has no headings and no address where its path is marked', async () => {
  const state = new WorkItemState();
  state.wiki.add('/Zirconflorin', '');
  state.wiki.add('/Zirconflorin/Payments', 'Call the bank.');
  const { source } = await startProject(state);
  const mirror = new SourceMirror();
  await mirror.sync(source({ markedFields: ['wikiPath'] }));
  const { metadata, ...page } = mirror.documents.get(idOf(state, 2)) ?? {};
  expect(metadata).toMatchObject({ wikiPath: '/Zirconflorin/Payments' });
  expect(JSON.stringify(page)).not.toContain('Zirconflorin');
});

test('the second run looks at no page; a change, a move and a deletion are seen, and only they are read', async () => {
  const state = new WorkItemState();
  const pages = Array.from({ length: 250 }, (_, index) => state.wiki.add(`/Page ${index}`));
  const { api, source } = await startProject(state);
  const mirror = new SourceMirror();
  await mirror.sync(source());
  expect(held(mirror)).toEqual(expected(state));
  api.requests.length = 0;
  expect(await mirror.sync(source())).toEqual({ read: [], gone: [], failed: [] });
  expect(api.requests.filter(({ path }) => /\/pages\/\d/.test(path))).toEqual([]);
  const [first, second, third] = pages;
  if (first === undefined || second === undefined || third === undefined) throw new Error('no pages');
  state.wiki.edit(first, { content: 'New text' });
  state.wiki.edit(second, { path: '/Page 9/Moved' });
  state.wiki.remove(third);
  api.requests.length = 0;
  expect(await mirror.sync(source())).toEqual({
    read: [idOf(state, 1), idOf(state, 2)],
    gone: [idOf(state, 3)],
    failed: [],
  });
  expect(api.requests.filter(({ query }) => query.includeContent === 'True')).toHaveLength(2);
  expect(held(mirror)).toEqual(expected(state));
});

test('of a wiki with several versions a commit to any of them counts', async () => {
  const state = new WorkItemState();
  state.wiki.branches = ['v1', 'v2'];
  const page = state.wiki.add('/One');
  const { api, source } = await startProject(state);
  const mirror = new SourceMirror();
  await mirror.sync(source());
  api.requests.length = 0;
  await mirror.sync(source());
  expect(api.requests.flatMap(({ query }) => query.filter ?? [])).toEqual(['heads/v1', 'heads/v2']);
  expect(api.requests.filter(({ path }) => /\/pages\/\d/.test(path))).toEqual([]);
  state.wiki.edit(page, { content: 'New text' });
  expect((await mirror.sync(source())).read).toEqual([idOf(state, 1)]);
});

test('without Code (Read) every page is looked at, which the run says, and nothing is read twice', async () => {
  const state = new WorkItemState();
  const page = state.wiki.add('/One');
  state.wiki.denied.add('code');
  const { source } = await startProject(state);
  const mirror = new SourceMirror();
  const first = source();
  await mirror.sync(first);
  expect(first.listingNotices().join()).toMatch(/"Shop.wiki" cannot be read.*Code \(Read\)/);
  expect((await mirror.sync(source())).read).toEqual([]);
  state.wiki.edit(page, { content: 'New text' });
  expect((await mirror.sync(source())).read).toEqual([idOf(state, 1)]);
});

test('without Wiki (Read) the work items are read, the error says what to do, and pages held are kept', async () => {
  const state = new WorkItemState();
  state.wiki.add('/One');
  const { source } = await startProject(state);
  const mirror = new SourceMirror();
  await mirror.sync(source());
  state.wiki.denied.add('wiki');
  state.add();
  expect(await mirror.sync(source())).toEqual({ read: ['1'], gone: [], failed: ['wiki/'] });
  expect([...mirror.documents.keys()].sort()).toEqual(['1', idOf(state, 1)]);
  const unreadable: UnreadableItem[] = [];
  for await (const item of source().list()) if (isUnreadable(item)) unreadable.push(item);
  expect(unreadable.map(({ error }) => [error.reason, error.message])).toEqual([
    ['SOURCE_DENIED', expect.stringMatching(/403.*Wiki \(Read\); includeWikis: false/)],
  ]);
  // What changed meanwhile is found once the token may read again.
  state.wiki.denied.clear();
  state.wiki.add('/Two');
  expect((await mirror.sync(source())).read).toEqual([idOf(state, 2)]);
});

test('wikis can be left out, and a wiki that has gone takes its pages with it', async () => {
  const state = new WorkItemState();
  state.wiki.add('/One');
  const { api, source } = await startProject(state);
  const mirror = new SourceMirror();
  await mirror.sync(source());
  state.wiki.exists = false;
  expect((await mirror.sync(source())).gone).toEqual([idOf(state, 1)]);
  state.wiki.exists = true;
  expect((await mirror.sync(source())).read).toEqual([idOf(state, 1)]);
  api.requests.length = 0;
  expect((await mirror.sync(source({ includeWikis: false }))).gone).toEqual([idOf(state, 1)]);
  expect(api.requests.filter(({ path }) => path.includes('wiki'))).toEqual([]);
});

test('whatever goes wrong and is edited meanwhile, the mirror ends as the wiki is', async () => {
  const edit = fc.record({ at: fc.nat(40), what: fc.constantFrom('edit', 'add', 'remove', 'move') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...FAULTS), { maxLength: 40 }),
      fc.array(edit, { maxLength: 8 }),
      async (faults, edits) => {
        const state = new WorkItemState();
        for (let i = 0; i < 12; i++) state.wiki.add(`/Page ${i}`);
        const { api, source } = await startProject(state);
        const mirror = new SourceMirror();
        api.faults = [...faults];
        const running = mirror.sync(source());
        for (const { at, what } of edits) {
          const page = [...state.wiki.pages.values()][at % state.wiki.pages.size];
          if (what === 'add') state.wiki.add(`/Added ${at}`);
          else if (page === undefined) continue;
          else if (what === 'edit') state.wiki.edit(page, { content: `Text ${at}` });
          else if (what === 'move') state.wiki.edit(page, { path: `/Moved ${at}` });
          else if (state.wiki.pages.size > 1) state.wiki.remove(page);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        await running;
        await mirror.sync(source());
        expect(held(mirror)).toEqual(expected(state));
      },
    ),
    { numRuns: 20 },
  );
});

test('300 pages are read to exactly the state of the wiki under faults', async () => {
  const state = new WorkItemState();
  for (let i = 0; i < 300; i++) state.wiki.add(`/Page ${i}`);
  const { api, source } = await startProject(state);
  api.faults = randomFaults(7, 120);
  const mirror = new SourceMirror();
  await mirror.sync(source());
  expect(held(mirror)).toEqual(expected(state));
});

test('a source that is kept open knows a wiki by its new name when another one has listed it', async () => {
  const state = new WorkItemState();
  const page = state.wiki.add('/Runbook', 'Call the bank.');
  const { source } = await startProject(state);
  const kept = source();
  const wikiOf = async () => {
    const items: SourceItem[] = [];
    for await (const item of source().list())
      if (!isUnreadable(item) && item.id === idOf(state, page.id)) items.push(item);
    kept.expectReads(items);
    const [read] = await Promise.all(items.map((item) => kept.read(item)));
    return read?.documents[0]?.metadata.wiki;
  };
  expect(await wikiOf()).toBe('Shop.wiki');
  state.wiki.name = 'Store.wiki';
  expect(await wikiOf()).toBe('Store.wiki');
});
