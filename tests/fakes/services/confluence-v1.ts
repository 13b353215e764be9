import type { ConfluenceState, FakePage } from './confluence-state.js';
import { type FakeAnswer, FakeApi, type FakeRequest, type FakeRoute, refuse } from './fake-api.js';

const MAX_LIMIT = 50;

/** How a kind of site tells of people, and where it lies. */
interface People {
  readonly at: string;
  readonly user: (name: string) => object;
  readonly group: (name: string) => object;
  /** Path of the members of a group, with what names it there. */
  readonly members: RegExp;
  readonly groupKey: (name: string) => string;
  /** Whom the parameters of a request are about. */
  readonly asked: (query: FakeRequest['query']) => string | undefined;
  readonly parameters: readonly string[];
}

export const groupId = (name: string): string => `id-of-${name}`;
const USER_KEY = 'key-of-';

export const CLOUD_PEOPLE: People = {
  at: '/wiki',
  user: (accountId) => ({ type: 'known', accountId }),
  group: (name) => ({ type: 'group', name, id: groupId(name) }),
  members: /\/wiki\/rest\/api\/group\/([^/]+)\/membersByGroupId/,
  groupKey: groupId,
  asked: ({ accountId }) => accountId,
  parameters: ['accountId'],
};

const DATA_CENTER_PEOPLE: People = {
  at: '',
  user: (username) => ({ type: 'known', username, userKey: USER_KEY + username, displayName: 'A Person' }),
  group: (name) => ({ type: 'group', name }),
  members: /\/rest\/api\/group\/([^/]+)\/member/,
  groupKey: (name) => name,
  asked: ({ username, key }) => username ?? key?.slice(USER_KEY.length),
  parameters: ['username', 'key'],
};

/** Confluence Data Center as its documentation of the REST API says. */
export function startConfluenceDataCenter(state: ConfluenceState, authorization: string): Promise<FakeApi> {
  const withPage = pageRoute(state, 'No such content');
  const places = ['start', 'limit', 'expand'];
  return FakeApi.start({
    authorization,
    routes: [
      restrictionRoute(state, DATA_CENTER_PEOPLE),
      permissionsRoute(state),
      expandedSpaceRoute(state, DATA_CENTER_PEOPLE),
      ...membershipRoutes(state, DATA_CENTER_PEOPLE),
      searchRoute(state, ''),
      get(/\/rest\/api\/space/, ['spaceKey', 'type', 'status', 'label', ...places], (request) =>
        listOf(
          request,
          state.spaces.map(({ key }) => ({ key })),
        ),
      ),
      get(
        /\/rest\/api\/content/,
        ['type', 'spaceKey', 'title', 'status', 'postingDay', ...places],
        (request) => {
          const { spaceKey, expand } = request.query;
          const pages = [...state.pages.values()].filter((page) => page.spaceKey === spaceKey);
          return listOf(
            request,
            pages.map((page) => contentOf(state, page, expand)),
          );
        },
      ),
      get(
        /\/rest\/api\/content\/(\d+)/,
        ['status', 'version', 'expand'],
        withPage((page, { query }) => ({
          body: contentOf(state, page, query.expand),
        })),
      ),
      get(
        /\/rest\/api\/content\/(\d+)\/child\/comment/,
        ['parentVersion', 'location', 'depth', ...places],
        withPage((page, request) =>
          listOf(
            request,
            page.comments.map(({ id, version, body, modified }) => ({
              id,
              type: 'comment',
              version: { number: version, when: modified, by: { displayName: 'Author 1' } },
              body: { storage: { value: body } },
            })),
          ),
        ),
      ),
      get(
        /\/rest\/api\/content\/(\d+)\/child\/attachment/,
        ['filename', 'mediaType', ...places],
        withPage((page, request) =>
          listOf(
            request,
            page.attachments.map(({ id, title, mediaType, version, content }) => ({
              id,
              title,
              version: { number: version },
              extensions: { mediaType, fileSize: content.length },
              _links: { download: `/download/attachments/${page.id}/${id}` },
            })),
          ),
        ),
      ),
      fileRoute(state, /\/download\/attachments\/(\d+)\/(\w+)/),
    ],
  });
}

/** What is attached to a page. */
export const fileRoute = (state: ConfluenceState, path: RegExp): FakeRoute =>
  get(path, [], (_, [pageId, id]) => {
    const file = state.pages.get(pageId ?? '')?.attachments.find((attachment) => attachment.id === id);
    return file === undefined ? refuse(404, 'No such file') : { body: Buffer.from(file.content) };
  });

/** The permissions of a space as Data Center lists them. */
const permissionsRoute = (state: ConfluenceState): FakeRoute =>
  get(/\/rest\/api\/space\/(\w+)\/permissions/, [], (_, [key]) => {
    const space = state.spaces.find((one) => one.key === key);
    if (space === undefined || state.missing.has('permissions')) return refuse(404, 'No such resource');
    if (space.readers === 'untold') return refuse(403, 'Not permitted');
    const { groups, users, isAnonymous = false } = space.readers;
    const grant = (subject: object, operationKey = 'read', targetType = 'space') => ({
      operation: { targetType, operationKey },
      subject,
      spaceKey: key,
    });
    return {
      body: [
        grant({ type: 'group', name: 'writers' }, 'create', 'page'),
        grant({ type: 'group', displayName: 'admins' }, 'administer'),
        ...groups.map((name, at) =>
          grant(at % 2 === 0 ? { type: 'group', name } : { type: 'group', displayName: name }),
        ),
        ...users.map((username) => grant({ type: 'known', username, displayName: 'A Person' })),
        grant({ type: 'known', displayName: 'A Person without a name' }),
        ...(isAnonymous ? [grant({ type: 'anonymous', displayName: 'Anonymous' })] : []),
      ],
    };
  });

/** A space with its permissions (v1). */
export const expandedSpaceRoute = (state: ConfluenceState, { at, user, group }: People): FakeRoute =>
  get(new RegExp(`${at}/rest/api/space/(\\w+)`), ['expand'], (_, [key]) => {
    const space = state.spaces.find((one) => one.key === key);
    if (space === undefined || state.missing.has('expanded permissions')) return refuse(404, 'No such space');
    if (space.readers === 'untold') return refuse(403, 'Not permitted');
    const { groups, users, isAnonymous = false } = space.readers;
    const subjects = (people: readonly string[], names: readonly string[]) => ({
      user: { results: people.map(user) },
      group: { results: names.map(group) },
    });
    const operation = (kind: string, targetType: string) => ({ operation: kind, targetType });
    return {
      body: {
        key,
        permissions: [
          {
            operation: operation('create', 'page'),
            subjects: subjects([], ['writers']),
            anonymousAccess: false,
          },
          {
            operation: operation('read', 'space'),
            subjects: subjects(users, groups),
            anonymousAccess: false,
          },
          ...(isAnonymous ? [{ operation: operation('read', 'space'), anonymousAccess: true }] : []),
        ],
      },
    };
  });

/** The read restrictions of a page: v1 on both kinds of site. */
export const restrictionRoute = (state: ConfluenceState, people: People): FakeRoute => ({
  method: 'GET',
  path: new RegExp(`${people.at}/rest/api/content/(\\d+)/restriction/byOperation/read`),
  query: ['expand', 'start', 'limit'],
  answer: (_, [id]) => {
    const page = state.pages.get(id ?? '');
    if (page === undefined) return refuse(404, 'No such content');
    const { groups = [], users = [] } = page.readers ?? {};
    const user = {
      results: users.map(people.user),
      start: 0,
      limit: 100,
      size: users.length,
    };
    const group = {
      results: groups.map(people.group),
      start: 0,
      limit: 100,
      size: groups.length,
    };
    return { body: { operation: 'read', restrictions: { user, group } } };
  },
});

/** Groups of a user, and members of a group: v1 on both kinds of site. */
export const membershipRoutes = (state: ConfluenceState, people: People): FakeRoute[] => [
  get(
    new RegExp(`${people.at}/rest/api/user/memberof`),
    [...people.parameters, 'start', 'limit', 'expand'],
    (request) => {
      const name = people.asked(request.query);
      if (name === undefined) return refuse(400, 'Whose groups?');
      if (state.missing.has('memberships')) return refuse(403, 'Not permitted');
      const groups = [...state.members].filter(([, members]) => members.includes(name));
      return listOf(
        request,
        groups.map(([group]) => people.group(group)),
      );
    },
  ),
  get(people.members, ['start', 'limit', 'expand'], (request, [key = '']) => {
    if (state.missing.has('members')) return refuse(403, 'Not permitted');
    const group = [...state.members].find(([name]) => people.groupKey(name) === decodeURIComponent(key));
    return listOf(request, (group?.[1] ?? []).map(people.user));
  }),
];

const CQL =
  /^type = (page|comment) and space in \(([^)]*)\) and lastmodified >= "(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d)"$/;

/** Search by CQL: the part of the language that is asked for, times in the zone of the account, here UTC. */
export const searchRoute = (state: ConfluenceState, at: string): FakeRoute => ({
  method: 'GET',
  path: new RegExp(`${at}/rest/api/content/search`),
  query: ['cql', 'cqlcontext', 'expand', 'start', 'limit', 'cursor'],
  answer: (request) => {
    const match = CQL.exec(request.query.cql ?? '');
    if (match === null) return refuse(400, 'The CQL cannot be read');
    const [, type, spaces = '', ...time] = match;
    const [year, month, day, hour, minute] = time.map(Number);
    const since = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute);
    const pages = [...state.pages.values()].filter(({ spaceKey }) => spaces.includes(`"${spaceKey}"`));
    const isNew = ({ modified }: { modified: string }): boolean => Date.parse(modified) >= since;
    if (type === 'page')
      return listOf(
        request,
        pages.filter(isNew).map((page) => contentOf(state, page, request.query.expand)),
      );
    const comments = pages.flatMap((page) =>
      page.comments.filter(isNew).map(({ id, modified }) => ({
        version: { when: modified },
        id,
        type,
        container: { id: page.id, type: 'page' },
      })),
    );
    return listOf(request, comments);
  },
});

function contentOf(state: ConfluenceState, page: FakePage, expand = ''): Record<string, unknown> {
  const expansions: Readonly<Record<string, unknown>> = {
    version: { number: page.version, when: page.modified, by: { displayName: 'Author 1' } },
    ancestors: state.above(page).map(({ id, title }) => ({ id, title })),
    space: { key: page.spaceKey },
    history: { createdDate: page.modified },
    'body.storage': undefined,
    'metadata.labels': undefined,
  };
  const wanted = expand.split(',').filter((name) => name !== '');
  return {
    id: page.id,
    type: 'page',
    status: 'current',
    title: page.title,
    _links: { webui: `/display/${page.spaceKey}/${page.id}` },
    ...Object.fromEntries(
      wanted.flatMap((name) => (expansions[name] === undefined ? [] : [[name, expansions[name]]])),
    ),
    ...(wanted.includes('body.storage') ? { body: { storage: { value: page.body } } } : {}),
    ...(wanted.includes('metadata.labels')
      ? { metadata: { labels: { results: page.labels.map((name) => ({ name })) } } }
      : {}),
  };
}

/** One part of a list, by number of place: it shifts when something before it is removed. */
function listOf({ path, query }: FakeRequest, rows: readonly object[]): FakeAnswer {
  const start = Number(query.start ?? 0);
  const limit = Math.min(Number(query.limit ?? 25), MAX_LIMIT);
  const part = rows.slice(start, start + limit);
  const hasMore = start + part.length < rows.length;
  const parameters = new URLSearchParams({ ...query, start: String(start + part.length) });
  return {
    body: {
      results: part,
      start,
      limit,
      size: part.length,
      _links: hasMore ? { next: `${path}?${parameters}` } : {},
    },
  };
}

/** A route that only reads. */
export const get = (path: RegExp, query: readonly string[], answer: FakeRoute['answer']): FakeRoute => ({
  method: 'GET',
  path,
  query,
  answer,
});

/** Answers about the page that the path's first group names, and refuses where there is none. */
export const pageRoute =
  (state: ConfluenceState, missing: string) =>
  (answer: (page: FakePage, request: FakeRequest) => FakeAnswer): FakeRoute['answer'] =>
  (request, [id]) => {
    const page = state.pages.get(id ?? '');
    return page === undefined ? refuse(404, missing) : answer(page, request);
  };
