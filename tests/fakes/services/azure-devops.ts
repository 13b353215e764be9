import { WikiState, wikiRoutes } from './azure-devops-wiki.js';
import { type FakeAnswer, FakeApi, type FakeRoute, refuse } from './fake-api.js';

export interface FakeWorkItem {
  readonly id: number;
  revision: number;
  watermark: number;
  fields: Record<string, unknown>;
  comments: string[];
  links: { rel: string; target: number }[];
}

/** What a fake project holds; tests change it while it is read. */
export class WorkItemState {
  readonly project = 'Shop';
  readonly wiki = new WikiState();
  readonly items = new Map<number, FakeWorkItem>();
  #watermark = 100;
  #ids = 1;

  add(fields: Record<string, unknown> = {}): FakeWorkItem {
    const id = this.#ids++;
    const item: FakeWorkItem = {
      id,
      revision: 1,
      watermark: ++this.#watermark,
      fields: {
        'System.Title': `Item ${id}`,
        'System.WorkItemType': 'Bug',
        'System.Description': `<div>Text ${id}</div>`,
        ...fields,
      },
      comments: [],
      links: [],
    };
    this.items.set(id, item);
    return item;
  }

  change(item: FakeWorkItem, fields: Record<string, unknown>): void {
    Object.assign(item.fields, fields);
    item.revision++;
    item.watermark = ++this.#watermark;
  }

  comment(item: FakeWorkItem, text: string): void {
    item.comments.push(text);
    this.change(item, {});
  }

  remove(item: FakeWorkItem): void {
    this.items.delete(item.id);
    this.#watermark++;
  }
}

const COMMENTS_PER_ANSWER = 2;
const MAX_BATCH = 200;

/** Azure DevOps as its documentation of the work item tracking API 7.1 says, with one wiki; `queryLimit` stands for 20,000. */
export function startAzureDevOps(
  state: WorkItemState,
  authorization: string,
  { queryLimit = 20_000 } = {},
): Promise<FakeApi> {
  const versioned = (route: FakeRoute): FakeRoute => ({
    ...route,
    answer: (request, groups) =>
      request.query['api-version']?.startsWith('7.1') === true
        ? route.answer(request, groups)
        : refuse(400, 'The parameter api-version is missing'),
  });
  const batch = (ids: readonly number[], answer: (item: FakeWorkItem) => unknown): FakeAnswer => {
    if (ids.length > MAX_BATCH) return refuse(400, 'VS403474: more than 200 work items');
    const items = ids.map((id) => state.items.get(id));
    if (items.includes(undefined)) return refuse(404, 'TF401232: a work item does not exist');
    return {
      body: { count: ids.length, value: items.flatMap((item) => (item === undefined ? [] : [answer(item)])) },
    };
  };
  const routes: FakeRoute[] = [
    {
      method: 'POST',
      path: /\/org\/_apis\/wit\/wiql/,
      query: ['api-version', '$top', 'timePrecision'],
      body: ['query'],
      answer: ({ body }) => queryItems(state, String((body as { query: unknown }).query), queryLimit),
    },
    {
      method: 'POST',
      path: /\/org\/_apis\/wit\/workItemsBatch/,
      query: ['api-version'],
      body: ['ids', 'fields', 'asOf', '$expand', 'errorPolicy'],
      answer: ({ body }) => {
        const { ids, fields } = body as { ids: number[]; fields: string[] };
        return batch(ids, (item) => ({
          id: item.id,
          rev: item.revision,
          fields: pick(fieldsOf(state, item), fields),
        }));
      },
    },
    {
      method: 'GET',
      path: /\/org\/_apis\/wit\/workitems/,
      query: ['api-version', 'ids', '$expand', 'fields', 'asOf', 'errorPolicy'],
      answer: ({ query }) =>
        batch((query.ids ?? '').split(',').map(Number), (item) => ({
          id: item.id,
          rev: item.revision,
          fields: fieldsOf(state, item),
          relations: item.links.map(({ rel, target }) => ({
            rel,
            url: `https://dev.azure.com/org/_apis/wit/workItems/${target}`,
          })),
        })),
    },
    {
      method: 'GET',
      path: /\/org\/Shop\/_apis\/wit\/workItems\/(\d+)\/comments/,
      query: ['api-version', '$top', 'continuationToken', 'includeDeleted', '$expand', 'order'],
      answer: ({ query }, [id]) => {
        const item = state.items.get(Number(id));
        if (item === undefined) return refuse(404, 'TF401232: the work item does not exist');
        const start = Number(query.continuationToken ?? 0);
        const end = start + COMMENTS_PER_ANSWER;
        const comments = item.comments.slice(start, end).map((text, index) => ({
          text,
          createdBy: { displayName: 'Ann' },
          createdDate: new Date(Date.UTC(2026, 0, 1, 0, start + index)).toISOString(),
        }));
        return {
          body: { comments, ...(end < item.comments.length ? { continuationToken: String(end) } : {}) },
        };
      },
    },
    ...wikiRoutes(state.wiki),
  ];
  return FakeApi.start({ authorization, routes: routes.map(versioned) });
}

const fieldsOf = (state: WorkItemState, item: FakeWorkItem): Record<string, unknown> => ({
  'System.Id': item.id,
  'System.Rev': item.revision,
  'System.Watermark': item.watermark,
  'System.TeamProject': state.project,
  'System.CommentCount': item.comments.length,
  ...item.fields,
});

const pick = (fields: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));

const CONDITION = /^\[([\w.]+)\] (?:(=|>|<=) ('(?:[^']|'')*'|\d+)|IN \(([^)]*)\))$/;

/** The part of WIQL that is asked for: conditions joined by AND, the last changed first. */
function queryItems(state: WorkItemState, wiql: string, limit: number): FakeAnswer {
  const where =
    /^SELECT \[System\.Id\] FROM WorkItems WHERE (.*) ORDER BY \[System\.ChangedDate\] DESC$/.exec(wiql)?.[1];
  const conditions = where?.split(' AND ').map((condition) => CONDITION.exec(condition));
  if (conditions === undefined || conditions.includes(null))
    return refuse(400, 'TF51006: the query cannot be read');
  const holds = (fields: Record<string, unknown>): boolean =>
    conditions.every((condition) => {
      const [, name = '', operator, value = '', list] = condition ?? [];
      const actual = fields[name];
      if (list !== undefined) return list.split(', ').includes(`'${String(actual)}'`);
      if (operator === '=') return `'${String(actual).replaceAll("'", "''")}'` === value;
      return operator === '>' ? Number(actual) > Number(value) : Number(actual) <= Number(value);
    });
  const found = [...state.items.values()].filter((item) => holds(fieldsOf(state, item)));
  if (found.length > limit) return refuse(400, 'VS402337: the number of work items exceeds the limit');
  found.sort((a, b) => b.watermark - a.watermark);
  return { body: { queryType: 'flat', workItems: found.map(({ id }) => ({ id })) } };
}
