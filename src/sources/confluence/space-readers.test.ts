import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startConfluenceCloud } from '../../testing/services/confluence-cloud.js';
import { ConfluenceState } from '../../testing/services/confluence-state.js';
import { startConfluenceDataCenter } from '../../testing/services/confluence-v1.js';
import type { FakeApi } from '../../testing/services/fake-api.js';
import { SourceMirror } from '../../testing/services/source-mirror.js';
import { basicAuthorization, ConfluenceSource, type ConfluenceSourceOptions } from './confluence-source.js';

const AUTHORIZATION = basicAuthorization('ann@example.com', 'token-1');

describe.each(['cloud', 'data-center'] as const)('pages of a space on %s', (deployment) => {
  let state: ConfluenceState;
  let api: FakeApi;
  let mirror: SourceMirror;
  beforeEach(async () => {
    state = new ConfluenceState(['OPS', 'HR']);
    api = await (deployment === 'cloud' ? startConfluenceCloud : startConfluenceDataCenter)(
      state,
      AUTHORIZATION,
    );
    mirror = new SourceMirror();
  });
  afterEach(() => api.stop());

  const spaceOf = (key: string) => state.spaces.find((space) => space.key === key) ?? expect.fail();

  /** One run; a day later, so that it lists everything. */
  async function run(options: Partial<ConfluenceSourceOptions> = {}): Promise<readonly string[]> {
    state.advance(25 * 3_600_000);
    const source = new ConfluenceSource({
      name: 'wiki',
      baseUrl: api.url,
      deployment,
      authorization: AUTHORIZATION,
      allowPrivateNetwork: true,
      now: () => state.now,
      http: { firstDelayMs: 1, retries: 3 },
      ...options,
    });
    await mirror.sync(source);
    return source.listingNotices();
  }

  const groupsOf = (id: string) => mirror.documents.get(id)?.access.groups;

  test('are found by who may view it: groups by their names, and single users', async () => {
    const [ops, hr] = [state.addPage(), state.addPage({ spaceKey: 'HR' })];
    spaceOf('OPS').readers = { groups: ['ops', 'dev'], users: ['u1'] };
    spaceOf('HR').readers = { groups: ['hr'], users: [] };
    expect(await run()).toEqual([]);
    expect(groupsOf(ops.id)).toEqual(['dev', 'ops', 'user:u1']);
    expect(groupsOf(hr.id)).toEqual(['hr']);
  });

  test('with restrictions are found by who passes both', async () => {
    const above = state.addPage({ readers: { groups: ['ops', 'hr'], users: ['u1'] } });
    const below = state.addPage({ parentId: above.id, readers: { groups: ['ops'], users: ['u2'] } });
    spaceOf('OPS').readers = { groups: ['ops', 'dev'], users: ['u1'] };
    await run();
    expect(groupsOf(above.id)).toEqual(['ops', 'user:u1']);
    expect(groupsOf(below.id)).toEqual(['ops']);
  });

  test('that no name may read are found by nobody, and counted', async () => {
    const page = state.addPage({ readers: { groups: ['hr'], users: [] } });
    spaceOf('OPS').readers = { groups: ['ops'], users: [] };
    expect((await run()).join()).toMatch(
      /nobody finds 1 pages, because no name stands in their restrictions/,
    );
    expect(groupsOf(page.id)).toEqual([]);
  });

  test('whose permissions are not told are found by nobody, with a notice that counts them and says what to set', async () => {
    const pages = [state.addPage(), state.addPage(), state.addPage({ spaceKey: 'HR' })];
    spaceOf('OPS').readers = 'untold';
    const notices = await run();
    expect(pages.map(({ id }) => groupsOf(id))).toEqual([[], [], ['staff']]);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/space OPS could not be read, so nobody finds 2 of its pages.*`accessGroups`/);
  });

  test('of an older site are found by what the space says of itself', async () => {
    const page = state.addPage();
    spaceOf('OPS').readers = { groups: ['ops'], users: ['u1'] };
    state.missing.add('permissions');
    await run();
    expect(groupsOf(page.id)).toEqual(['ops', 'user:u1']);
    spaceOf('OPS').readers = { groups: ['ops'], users: [], isAnonymous: true };
    await run();
    expect(groupsOf(page.id)).toEqual(['*']);
    state.missing.add('expanded permissions');
    expect((await run()).join()).toContain('`accessGroups`');
    expect(groupsOf(page.id)).toEqual([]);
  });

  test('are found by the groups that are set, whatever the space says, and restrictions go before them', async () => {
    const [page, restricted] = [state.addPage(), state.addPage({ readers: { groups: ['hr'], users: [] } })];
    spaceOf('OPS').readers = 'untold';
    api.requests.length = 0;
    expect(await run({ openGroups: ['all'] })).toEqual([]);
    expect(groupsOf(page.id)).toEqual(['all']);
    expect(groupsOf(restricted.id)).toEqual(['hr']);
    expect(api.requests.filter((request) => JSON.stringify(request).includes('permission'))).toEqual([]);
  });

  test('follow what changes, and what was indexed for everyone before is read again at once', async () => {
    const page = state.addPage();
    await run({ openGroups: ['*'] });
    expect(groupsOf(page.id)).toEqual(['*']);
    spaceOf('OPS').readers = { groups: ['ops'], users: [] };
    state.advance(-24.5 * 3_600_000);
    await run();
    expect(groupsOf(page.id)).toEqual(['ops']);
    spaceOf('OPS').readers = { groups: ['dev'], users: [] };
    await run();
    expect(groupsOf(page.id)).toEqual(['dev']);
  });

  test('ask once a run for the permissions of each space', async () => {
    for (let at = 0; at < 30; at++) state.addPage({ spaceKey: at % 2 === 0 ? 'OPS' : 'HR' });
    api.requests.length = 0;
    await run();
    expect(api.requests.filter((request) => JSON.stringify(request).includes('/permissions'))).toHaveLength(
      2,
    );
  });
});

test('a group of Cloud whose name is not told lets nobody in', async () => {
  const state = new ConfluenceState();
  const page = state.addPage();
  for (const space of state.spaces) space.readers = { groups: ['ops'], users: ['u1'] };
  state.missing.add('groups');
  const api = await startConfluenceCloud(state, AUTHORIZATION);
  const mirror = new SourceMirror();
  const options = {
    name: 'wiki',
    baseUrl: api.url,
    deployment: 'cloud',
    authorization: AUTHORIZATION,
  } as const;
  await mirror.sync(new ConfluenceSource({ ...options, allowPrivateNetwork: true, now: () => state.now }));
  expect(mirror.documents.get(page.id)?.access.groups).toEqual(['user:u1']);
  await api.stop();
});
