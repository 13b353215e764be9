import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { startConfluenceCloud } from '../../../tests/fakes/services/confluence-cloud.js';
import { ConfluenceState } from '../../../tests/fakes/services/confluence-state.js';
import { startConfluenceDataCenter } from '../../../tests/fakes/services/confluence-v1.js';
import { FAULTS, type FakeApi } from '../../../tests/fakes/services/fake-api.js';
import { randomFaults } from '../../../tests/fakes/services/random-faults.js';
import { SourceMirror } from '../../../tests/fakes/services/source-mirror.js';
import { isUnreadable, type Source, type SourceItem } from '../source.js';
import { accessGroups } from './access.js';
import { basicAuthorization } from './confluence-definition.js';
import {
  ConfluenceSource,
  type ConfluenceSourceOptions,
  createConfluenceSource,
} from './confluence-source.js';

const AUTHORIZATION = basicAuthorization('ann@example.com', 'token-1');
const open: FakeApi[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((api) => api.stop()));
});

type Deployment = 'cloud' | 'data-center';

const TEXT_FILE = { id: 'att1', title: 'a.txt', mediaType: 'text/plain', version: 1, content: 'attached' };

async function site(
  deployment: Deployment,
  state: ConfluenceState,
  options: Partial<ConfluenceSourceOptions> = {},
) {
  const start = deployment === 'cloud' ? startConfluenceCloud : startConfluenceDataCenter;
  const api = await start(state, AUTHORIZATION);
  open.push(api);
  const source = (): ConfluenceSource =>
    new ConfluenceSource({
      name: 'wiki',
      baseUrl: api.url,
      deployment,
      authorization: AUTHORIZATION,
      allowPrivateNetwork: true,
      openGroups: ['*'],
      now: () => state.now,
      http: { firstDelayMs: 1, retries: 30 },
      ...options,
    });
  return { api, source };
}

/** What the mirror must hold: bodies, comments and readers of every page. */
function expected(state: ConfluenceState): Record<string, unknown> {
  return Object.fromEntries(
    [...state.pages.values()].map((page) => [
      page.id,
      {
        body: page.body,
        comments: page.comments.length,
        title: page.title,
        above: state.above(page).map(({ title }) => title),
        groups: accessGroups(
          [...state.above(page), page].map(({ readers }) =>
            readers === undefined
              ? undefined
              : new Set([...readers.groups, ...readers.users.map((user) => `user:${user}`)]),
          ),
          ['*'],
        ),
      },
    ]),
  );
}

function held(mirror: SourceMirror): Record<string, unknown> {
  return Object.fromEntries(
    [...mirror.documents].map(([id, document]) => [
      id,
      {
        body: String(document.content).split('<h2>Comments</h2>')[0],
        comments: document.metadata.commentCount,
        title: document.title,
        above: document.headingPath,
        groups: document.access.groups,
      },
    ]),
  );
}

describe.each(['cloud', 'data-center'] as const)('%s', (deployment) => {
  test('a source that is kept open reads what another one lists later as it is then', async () => {
    const state = new ConfluenceState();
    const home = state.addPage({ title: 'Home' });
    const page = state.addPage({ title: 'Limits', parentId: home.id, body: '<p>5 per second</p>' });
    const { source } = await site(deployment, state);
    const kept: Source = source();
    const readOf = async () => {
      const items: SourceItem[] = [];
      for await (const item of source().list())
        if (!isUnreadable(item) && item.id === page.id) items.push(item);
      kept.expectReads?.(items);
      const [read] = await Promise.all(items.map((item) => kept.read(item)));
      const [document] = read?.documents ?? [];
      return { groups: document?.access.groups, comments: document?.metadata.commentCount };
    };
    expect(await readOf()).toEqual({ groups: ['*'], comments: 0 });
    state.comment(page, '<p>Really?</p>');
    home.readers = { groups: ['ops'], users: [] };
    expect(await readOf()).toEqual({ groups: ['ops'], comments: 1 });
  });

  test('reads pages with place, labels, comments, attachments and address', async () => {
    const state = new ConfluenceState();
    const home = state.addPage({ title: 'Home' });
    const page = state.addPage({
      title: 'Limits',
      parentId: home.id,
      labels: ['ops'],
      body: '<p>5 per second</p>',
    });
    const archive = { id: 'att2', title: 'a.zip', mediaType: 'application/zip', version: 1, content: 'zip' };
    page.attachments.push(TEXT_FILE, archive);
    state.comment(page, '<p>Really?</p>');
    const { source } = await site(deployment, state, { includeAttachments: true });
    const mirror = new SourceMirror();
    await mirror.sync(source());
    const document = mirror.documents.get(page.id);
    expect(document).toMatchObject({
      title: 'Limits',
      headingPath: ['Home'],
      metadata: { space: 'OPS', labels: ['ops'], tags: ['ops'], ancestors: ['Home'], commentCount: 1 },
      access: { groups: ['*'], level: 0 },
      updatedAt: page.modified,
    });
    expect(document?.url).toMatch(new RegExp(`^http.*${page.id}$`));
    expect(document?.content).toMatch(/5 per second.*<h2>Comments<\/h2><h3>Comment by .*<p>Really\?<\/p>/);
    expect([...mirror.documents.keys()]).toEqual([home.id, page.id, `${page.id}/attachments/att1`]);
    expect(String(mirror.documents.get(`${page.id}/attachments/att1`)?.content)).toBe('attached');
  });

  test('a marked field stands in no text, heading or address', async () => {
    const state = new ConfluenceState();
    const home = state.addPage({ title: 'Zirconflorin' });
    const page = state.addPage({ title: 'Limits', parentId: home.id });
    page.attachments.push(TEXT_FILE);
    state.comment(page, '<p>Really?</p>');
    const markedFields = ['ancestors', 'author', 'space'];
    const { source } = await site(deployment, state, { includeAttachments: true, markedFields });
    const mirror = new SourceMirror();
    await mirror.sync(source());
    const document = mirror.documents.get(page.id);
    const metadata = { ancestors: ['Zirconflorin'] };
    expect(document).toMatchObject({ headingPath: [], title: 'Limits', metadata });
    expect(document).not.toHaveProperty('url');
    expect(document?.content).toMatch(/<h3>Comment, .*<p>Really\?<\/p>/);
    expect(mirror.documents.get(`${page.id}/attachments/att1`)?.headingPath).toEqual(['Limits']);
  });

  test('the second run asks only for what changed', async () => {
    const state = new ConfluenceState();
    const pages = Array.from({ length: 120 }, () => state.addPage());
    const { api, source } = await site(deployment, state);
    const mirror = new SourceMirror();
    state.advance(3_600_000);
    await mirror.sync(source());
    state.advance(20 * 3_600_000);
    api.requests.length = 0;
    expect(await mirror.sync(source())).toEqual({ read: [], gone: [], failed: [] });
    expect(api.requests.length).toBeLessThanOrEqual(deployment === 'cloud' ? 3 : 6);
    api.requests.length = 0;
    state.edit(pages[7] ?? state.addPage(), '<p>new</p>');
    state.comment(pages[9] ?? state.addPage(), '<p>comment</p>');
    expect((await mirror.sync(source())).read.toSorted()).toEqual([pages[7]?.id, pages[9]?.id].toSorted());
    expect(api.requests.length).toBeLessThanOrEqual(deployment === 'cloud' ? 15 : 18);
    expect(held(mirror)).toEqual(expected(state));
  });

  test('deletions, restrictions and moves are found by the next complete listing', async () => {
    const state = new ConfluenceState();
    const [a, b, c] = [state.addPage(), state.addPage(), state.addPage()];
    b.parentId = a.id;
    const { source } = await site(deployment, state);
    const mirror = new SourceMirror();
    await mirror.sync(source());
    a.readers = { groups: ['ops'], users: ['u1'] };
    b.readers = { groups: ['ops', 'dev'], users: [] };
    state.remove(c);
    state.advance(25 * 3_600_000);
    const result = await mirror.sync(source());
    expect(result.gone).toEqual([c.id]);
    expect(mirror.documents.get(a.id)?.access.groups).toEqual(['ops', 'user:u1']);
    expect(mirror.documents.get(b.id)?.access.groups).toEqual(['ops']);
    expect(held(mirror)).toEqual(expected(state));
  });

  test('a run that dies is repeated, and nothing is passed over', async () => {
    const state = new ConfluenceState();
    for (let i = 0; i < 30; i++) state.addPage();
    const { source } = await site(deployment, state);
    const mirror = new SourceMirror();
    expect((await mirror.sync(source(), { stopAfter: 11 })).read).toHaveLength(11);
    expect((await mirror.sync(source())).read).toHaveLength(19);
    expect(held(mirror)).toEqual(expected(state));
  });

  test('whatever goes wrong and is edited meanwhile, the mirror ends as the site is', async () => {
    const edit = fc.record({
      at: fc.nat(40),
      what: fc.constantFrom('edit', 'add', 'remove', 'comment', 'restrict'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...FAULTS), { maxLength: 60 }),
        fc.array(edit, { maxLength: 6 }),
        async (faults, edits) => {
          const state = new ConfluenceState();
          for (let i = 0; i < 12; i++) state.addPage();
          const { api, source } = await site(deployment, state);
          const mirror = new SourceMirror();
          api.faults = [...faults];
          const running = mirror.sync(source(), { stopAfter: edits.length * 3 });
          for (const { at, what } of edits) {
            const page = [...state.pages.values()][at % state.pages.size];
            if (what === 'add') state.addPage();
            else if (page === undefined) continue;
            else if (what === 'edit') state.edit(page, `<p>${at}</p>`);
            else if (what === 'comment') state.comment(page, `<p>${at}</p>`);
            else if (what === 'restrict') page.readers = { groups: [`g${at}`], users: [] };
            else if (state.pages.size > 1) state.remove(page);
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
          await running;
          state.advance(25 * 3_600_000);
          await mirror.sync(source());
          expect(held(mirror)).toEqual(expected(state));
        },
      ),
      { numRuns: 25 },
    );
  });

  test('1,000 pages are read to exactly the state of the site under faults', async () => {
    const state = new ConfluenceState(['OPS', 'DEV']);
    for (let i = 0; i < 1000; i++)
      state.addPage({
        spaceKey: i % 3 === 0 ? 'DEV' : 'OPS',
        ...(i >= 10 && i % 3 !== 0 ? { parentId: '1001' } : {}),
      });
    const { api, source } = await site(deployment, state);
    api.faults = randomFaults(7, 1500);
    const mirror = new SourceMirror();
    await mirror.sync(source());
    expect(held(mirror)).toEqual(expected(state));
  });
});

describe('limits and refusals', () => {
  test('restrictions that cannot be read open a page to nobody', async () => {
    const state = new ConfluenceState();
    const page = state.addPage();
    const { source } = await site('cloud', state);
    const wiki = source();
    const fetch = wiki.client.fetch.bind(wiki.client);
    wiki.client.fetch = (request) =>
      request.path.includes('/restriction/')
        ? fetch({ ...request, path: '/rest/api/content/0/restriction/byOperation/read' })
        : fetch(request);
    const mirror = new SourceMirror();
    await mirror.sync(wiki);
    expect(mirror.documents.get(page.id)?.access.groups).toEqual([]);
    expect(wiki.listingNotices().join()).toMatch(/restrictions of 1 pages could not be read/);
  });

  test('maxPages cuts the listing, says so, and the next one is complete again', async () => {
    const state = new ConfluenceState();
    const first = state.addPage();
    state.addPage();
    state.addPage();
    const { source } = await site('cloud', state, { maxPages: 2 });
    const wiki = source();
    const mirror = new SourceMirror();
    await mirror.sync(wiki);
    expect(mirror.documents.size).toBe(2);
    expect(wiki.listingNotices().join()).toMatch(/more than 2 pages/);
    state.remove(first);
    await mirror.sync(wiki);
    expect(held(mirror)).toEqual(expected(state));
  });

  test('a refused sign-in ends the listing, without the token', async () => {
    const { source } = await site('cloud', new ConfluenceState(), {
      authorization: basicAuthorization('ann', 'wrong-token'),
    });
    const error: unknown = await new SourceMirror().sync(source()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'SOURCE_DENIED' });
    expect(JSON.stringify(error) + String(error)).not.toContain('wrong-token');
  });

  test('an address is needed', () => {
    expect(() => createConfluenceSource({ name: 'wiki', baseUrl: '' })).toThrow(
      expect.objectContaining({ reason: 'CONFIG_INVALID' }),
    );
  });
});

test('who must pass two restrictions is known by a name that passes both', () => {
  const set = (...names: string[]) => new Set(names);
  expect(accessGroups([undefined, undefined], ['*'])).toEqual(['*']);
  expect(accessGroups([set('a', 'b'), undefined, set('b', 'c')], ['*'])).toEqual(['b']);
  expect(accessGroups([set('a'), set('b')], ['*'])).toEqual([]);
});
