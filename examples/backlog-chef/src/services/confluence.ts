import type { Respond } from './json-server.js';

/** A page of a wiki. */
export interface WikiPage {
  readonly id: string;
  readonly space: string;
  readonly title: string;
  /** In Confluence's storage format. */
  readonly body: string;
  readonly labels?: readonly string[];
  readonly comments?: readonly string[];
}

const WRITTEN = '2026-03-02T09:00:00.000Z';
const VERSION = { number: 1, when: WRITTEN, by: { displayName: 'Ida' } };

/** The permissions of a space that everybody may view. */
const OPEN_TO_ALL = [
  { operation: { operationKey: 'read', targetType: 'space' }, subject: { type: 'anonymous' } },
];

/** The part of Confluence's REST API (Data Center, v1) that is asked of a wiki, for the address `/confluence`. */
export function confluence(pages: readonly WikiPage[], authorization: string): Respond {
  return (request) => {
    if (request.authorization !== authorization) return 401;
    if (/^\/confluence\/rest\/api\/space\/[^/]+\/permissions$/.test(request.path)) return OPEN_TO_ALL;
    const [, id, below] =
      /^\/confluence\/rest\/api\/content(?:\/([^/]+)(?:\/(.+))?)?$/.exec(request.path) ?? [];
    if (id === undefined) {
      const space = request.query.get('spaceKey');
      return listOf(pages.filter((page) => page.space === space).map(contentOf));
    }
    // Nothing changes here, so a search for what changed finds nothing.
    if (id === 'search') return listOf([]);
    const page = pages.find((one) => one.id === id);
    if (page === undefined) return 404;
    if (below === undefined) return contentOf(page);
    if (below === 'restriction/byOperation/read')
      return { restrictions: { user: { results: [] }, group: { results: [] } } };
    return listOf(below === 'child/comment' ? commentsOf(page) : []);
  };
}

const contentOf = ({ id, space, title, body, labels = [] }: WikiPage): object => ({
  id,
  title,
  version: VERSION,
  ancestors: [],
  space: { key: space },
  history: { createdDate: WRITTEN },
  body: { storage: { value: body } },
  metadata: { labels: { results: labels.map((name) => ({ name })) } },
  _links: { webui: `/display/${space}/${id}` },
});

const commentsOf = ({ id, comments = [] }: WikiPage): object[] =>
  comments.map((text, index) => ({
    id: `${id}-${index}`,
    version: VERSION,
    body: { storage: { value: `<p>${text}</p>` } },
  }));

const listOf = (results: readonly object[]): object => ({
  results,
  start: 0,
  limit: 100,
  size: results.length,
  _links: {},
});
