import type { ConfluenceState, FakePage } from './confluence-state.js';
import {
  CLOUD_PEOPLE,
  expandedSpaceRoute,
  fileRoute,
  get,
  groupId,
  membershipRoutes,
  pageRoute,
  restrictionRoute,
  searchRoute,
} from './confluence-v1.js';
import { type FakeAnswer, FakeApi, type FakeRequest, type FakeRoute, refuse } from './fake-api.js';

/** Rows in one answer, whatever was asked for: services set limits of their own. */
const MAX_LIMIT = 50;

/** Confluence Cloud as its documentation of REST v2 says, and the two resources of v1 that v2 does not have. */
export const startConfluenceCloud = (state: ConfluenceState, authorization: string): Promise<FakeApi> =>
  FakeApi.start({
    authorization,
    routes: [
      ...v2Routes(state),
      restrictionRoute(state, CLOUD_PEOPLE),
      searchRoute(state, '/wiki'),
      expandedSpaceRoute(state, CLOUD_PEOPLE),
      ...membershipRoutes(state, CLOUD_PEOPLE),
      groupRoute(state),
    ],
  });

/** Permissions name groups by ids alone. */
const groupRoute = (state: ConfluenceState): FakeRoute =>
  get(/\/wiki\/rest\/api\/group\/by-id/, ['id'], ({ query: { id = '' } }) =>
    state.missing.has('groups')
      ? refuse(403, 'Not permitted')
      : { body: { type: 'group', id, name: id.replace(/^id-of-/, '') } },
  );

function v2Routes(state: ConfluenceState): FakeRoute[] {
  const withPage = pageRoute(state, 'No such page');
  const lists = ['limit', 'cursor', 'sort'];
  const comments = ['body-format', 'status', ...lists];
  return [
    get(/\/wiki\/api\/v2\/spaces/, ['keys', 'ids', 'type', 'status', ...lists], (request) => {
      const keys = request.query.keys?.split(',');
      return listOf(
        request,
        state.spaces
          .filter(({ key }) => keys === undefined || keys.includes(key))
          .map(({ id, key }) => ({ id, key })),
      );
    }),
    get(/\/wiki\/api\/v2\/spaces\/(\d+)\/permissions/, ['limit', 'cursor'], (request, [id]) => {
      const space = state.spaces.find((one) => one.id === id);
      if (space === undefined || state.missing.has('permissions')) return refuse(404, 'No such space');
      if (space.readers === 'untold') return refuse(403, 'Not permitted');
      const { groups, users } = space.readers;
      const grants = [
        {
          principal: { type: 'group', id: groupId('writers') },
          operation: { key: 'create', targetType: 'page' },
        },
        { principal: { type: 'role', id: 'role-1' }, operation: { key: 'read', targetType: 'space' } },
        ...groups.map((name) => ({
          principal: { type: 'group', id: groupId(name) },
          operation: { key: 'read', targetType: 'space' },
        })),
        ...users.map((user) => ({
          principal: { type: 'user', id: user },
          operation: { key: 'read', targetType: 'space' },
        })),
      ];
      return listOf(
        request,
        grants.map((grant, at) => ({ id: String(at), ...grant })),
      );
    }),
    get(
      /\/wiki\/api\/v2\/spaces\/(\d+)\/pages/,
      ['depth', 'status', 'title', 'body-format', ...lists],
      (request, [id]) => {
        const key = state.spaces.find((space) => space.id === id)?.key;
        if (key === undefined) return refuse(404, 'No such space');
        const pages = [...state.pages.values()].filter(({ spaceKey }) => spaceKey === key);
        if (request.query.sort === '-modified-date')
          pages.sort((a, b) => b.modified.localeCompare(a.modified));
        else if (request.query.sort === 'id') pages.sort((a, b) => Number(a.id) - Number(b.id));
        else return refuse(400, 'Unknown sort');
        return listOf(
          request,
          pages.map((page) => summaryOf(state, page)),
        );
      },
    ),
    get(
      /\/wiki\/api\/v2\/pages\/(\d+)/,
      ['body-format', 'include-labels', 'get-draft', 'status', 'version'],
      withPage((page, { query }) => ({
        body: {
          ...summaryOf(state, page),
          createdAt: page.modified,
          body:
            query['body-format'] === 'storage'
              ? { storage: { value: page.body, representation: 'storage' } }
              : {},
          ...(query['include-labels'] === 'true'
            ? { labels: { results: page.labels.map((name) => ({ name })) } }
            : {}),
          _links: { webui: `/spaces/${page.spaceKey}/pages/${page.id}` },
        },
      })),
    ),
    get(
      /\/wiki\/api\/v2\/pages\/(\d+)\/ancestors/,
      ['limit'],
      withPage((page) => ({
        body: { results: state.above(page).map(({ id }) => ({ id, type: 'page' })), _links: {} },
      })),
    ),
    get(
      /\/wiki\/api\/v2\/pages\/(\d+)\/footer-comments/,
      comments,
      withPage((page, request) =>
        listOf(
          request,
          page.comments.map(({ id, version, body, modified }) => ({
            id,
            version: { number: version, createdAt: modified, authorId: 'author-1' },
            body: { storage: { value: body } },
          })),
        ),
      ),
    ),
    get(
      /\/wiki\/api\/v2\/pages\/(\d+)\/inline-comments/,
      comments,
      withPage((_, request) => listOf(request, [])),
    ),
    get(/\/wiki\/api\/v2\/(?:footer|inline)-comments\/(\d+)\/children/, comments, (request) =>
      listOf(request, []),
    ),
    get(
      /\/wiki\/api\/v2\/pages\/(\d+)\/attachments/,
      ['status', 'mediaType', 'filename', ...lists],
      withPage((page, request) =>
        listOf(
          request,
          page.attachments.map(({ id, title, mediaType, version, content }) => ({
            id,
            title,
            mediaType,
            fileSize: content.length,
            version: { number: version },
            downloadLink: `/download/attachments/${page.id}/${id}`,
          })),
        ),
      ),
    ),
    fileRoute(state, /\/wiki\/download\/attachments\/(\d+)\/(\w+)/),
  ];
}

const summaryOf = (state: ConfluenceState, page: FakePage) => ({
  id: page.id,
  status: 'current',
  title: page.title,
  spaceId: state.spaces.find(({ key }) => key === page.spaceKey)?.id,
  parentId: page.parentId ?? null,
  parentType: page.parentId === undefined ? null : 'page',
  version: { number: page.version, createdAt: page.modified, authorId: 'author-1' },
});

/** One part of a list; the cursor names the id after which it goes on, so that changes meanwhile shift nothing. */
function listOf({ path, query }: FakeRequest, rows: readonly { readonly id: string }[]): FakeAnswer {
  const limit = Number(query.limit ?? 25);
  if (!Number.isInteger(limit) || limit < 1 || limit > 250) return refuse(400, 'The limit must be 1 to 250');
  const after = query.cursor === undefined ? -1 : rows.findIndex(({ id }) => id === query.cursor);
  const part = rows.slice(after + 1, after + 1 + Math.min(limit, MAX_LIMIT));
  const last = part.at(-1);
  const hasMore = after + 1 + part.length < rows.length && last !== undefined;
  const parameters = new URLSearchParams({ ...query, cursor: last?.id ?? '' });
  return { body: { results: part, _links: hasMore ? { next: `${path}?${parameters}` } : {} } };
}
