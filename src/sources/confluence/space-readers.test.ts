import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startConfluenceCloud } from '../../../tests/fakes/services/confluence-cloud.js';
import { ConfluenceState } from '../../../tests/fakes/services/confluence-state.js';
import { startConfluenceDataCenter } from '../../../tests/fakes/services/confluence-v1.js';
import type { FakeApi } from '../../../tests/fakes/services/fake-api.js';
import { SourceMirror } from '../../../tests/fakes/services/source-mirror.js';
import { basicAuthorization } from './confluence-definition.js';
import { ConfluenceSource, type ConfluenceSourceOptions } from './confluence-source.js';

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

  const asked = (what: string) => api.requests.filter(({ path }) => path.includes(what));

  test('restricted to a user are found by them where one of their groups may view the space', async () => {
    const page = state.addPage({ readers: { groups: [], users: ['ann', 'bob', 'eve'] } });
    spaceOf('OPS').readers = { groups: ['ops', 'staff'], users: ['eve'] };
    for (let at = 0; at < 70; at++) state.members.set(`club-${at}`, ['ann', 'bob']);
    state.members.set('staff', ['ann']);
    expect(await run()).toEqual([]);
    expect(groupsOf(page.id)).toEqual(['user:ann', 'user:eve']);
  });

  test('ask once a run for the groups of each user', async () => {
    for (let at = 0; at < 30; at++) state.addPage({ readers: { groups: [], users: ['ann', 'bob'] } });
    state.members.set('staff', ['ann']);
    api.requests.length = 0;
    await run();
    expect(asked('/memberof')).toHaveLength(2);
    expect(asked('/group/staff/member').concat(asked('membersByGroupId'))).toEqual([]);
  });

  test('restricted to a group are found by those of its members who may view the space', async () => {
    const page = state.addPage({ readers: { groups: ['dev', 'hr'], users: [] } });
    spaceOf('OPS').readers = { groups: ['dev', 'ops'], users: ['eve'] };
    const others = Array.from({ length: 120 }, (_, at) => `u${at}`);
    state.members.set('hr', [...others, 'ann', 'eve']).set('ops', ['ann', 'bob']);
    expect(await run()).toEqual([]);
    expect(groupsOf(page.id)).toEqual(['dev', 'user:ann', 'user:eve']);
  });

  test('below a restricted page are found by who passes each restriction by any of their groups', async () => {
    const above = state.addPage({ readers: { groups: ['ops'], users: [] } });
    const below = state.addPage({ parentId: above.id, readers: { groups: ['hr'], users: ['bob'] } });
    state.members.set('ops', ['ann', 'bob', 'eve']).set('hr', ['ann', 'eve']).set('staff', ['ann', 'bob']);
    await run();
    expect(groupsOf(below.id)).toEqual(['user:ann', 'user:bob']);
    await run({ openGroups: ['*'] });
    expect(groupsOf(below.id)).toEqual(['user:ann', 'user:bob', 'user:eve']);
  });

  test('restricted to a large group are found by members of a small space, asked for from its side', async () => {
    const page = state.addPage({ readers: { groups: ['all'], users: [] } });
    spaceOf('OPS').readers = { groups: ['hr'], users: ['bob', 'out'] };
    state.members.set('all', [...Array.from({ length: 300 }, (_, at) => `u${at}`), 'ann', 'bob']);
    state.members.set('hr', ['ann', 'out']);
    expect(await run()).toEqual([]);
    expect(groupsOf(page.id)).toEqual(['user:ann', 'user:bob']);
  });

  test('between two groups too large to list are found by nobody, and counted with what to set', async () => {
    const page = state.addPage({ readers: { groups: ['all'], users: [] } });
    const many = Array.from({ length: 201 }, (_, at) => `u${at}`);
    state.members.set('all', many).set('staff', many);
    const [unreachable = '', unresolved = ''] = await run();
    expect(unreachable).toMatch(/nobody finds 1 pages/);
    expect(unresolved).toMatch(/1 pages.*too many.*200 members.*`accessGroups`/);
    expect(groupsOf(page.id)).toEqual([]);
  });

  test('whose users and groups the account may not ask about let nobody in by groups, and are counted', async () => {
    const page = state.addPage({ readers: { groups: ['hr'], users: ['ann', 'eve'] } });
    spaceOf('OPS').readers = { groups: ['staff'], users: ['eve'] };
    state.members.set('staff', ['ann', 'bob']).set('hr', ['bob']);
    state.missing.add('memberships');
    expect(await run()).toEqual([]);
    expect(groupsOf(page.id)).toEqual(['user:ann', 'user:bob', 'user:eve']);
    state.missing.add('members');
    const notices = await run();
    expect(groupsOf(page.id)).toEqual(['user:eve']);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/1 pages.*could not be read.*`accessGroups`/);
    state.missing.delete('memberships');
    await run();
    expect(groupsOf(page.id)).toEqual(['user:ann', 'user:eve']);
  });

  test('are open to nobody by groups that are called as everyone or as a user', async () => {
    const page = state.addPage({ readers: { groups: ['*', 'user:bob'], users: [] } });
    spaceOf('OPS').readers = { groups: ['staff', '*'], users: ['ann', 'bob'] };
    state.members.set('staff', ['bob']).set('user:ann', ['eve']).set('*', ['eve']);
    await run();
    expect(groupsOf(page.id)).toEqual([]);
    await run({ openGroups: ['all'] });
    expect(groupsOf(page.id)).toEqual([]);
  });

  test('that no name may read are found by nobody, and counted', async () => {
    const page = state.addPage({ readers: { groups: ['hr'], users: [] } });
    spaceOf('OPS').readers = { groups: ['ops'], users: [] };
    expect((await run()).join()).toMatch(
      /nobody finds 1 pages, because no name stands in their restrictions/,
    );
    expect(groupsOf(page.id)).toEqual([]);
  });

  test('of a space that lets in nobody who is known here are counted, and those below what is not told only there', async () => {
    const above = state.addPage();
    state.addPage({ parentId: above.id, readers: { groups: ['hr'], users: [] } });
    spaceOf('OPS').readers = { groups: [], users: [] };
    expect((await run()).join()).toMatch(/nobody finds 2 pages, because no name/);
    spaceOf('OPS').readers = 'untold';
    expect((await run()).join()).not.toMatch(/because no name/);
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
