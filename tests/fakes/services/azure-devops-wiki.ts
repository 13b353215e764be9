import { createHash } from 'node:crypto';
import { type FakeRoute, refuse } from './fake-api.js';

export interface FakeWikiPage {
  readonly id: number;
  /** `/Runbooks/Payments` */
  path: string;
  content: string;
}

/** A fake wiki of a project; tests change it while it is read. */
export class WikiState {
  readonly id = '0ede3074-ce9f-4e0e-b9d6-20c23b774e05';
  name = 'Shop.wiki';
  /** Versions: one of a project's own wiki, perhaps more of a published one. */
  branches = ['wikiMaster'];
  readonly pages = new Map<number, FakeWikiPage>();
  /** What the token may not read. */
  readonly denied = new Set<'wiki' | 'code'>();
  /** Whether the project has a wiki at all. */
  exists = true;
  #commits = 0;
  #ids = 1;

  commitOf(branch: string): string {
    return sha1(`commit ${this.#commits} of ${branch}`);
  }

  add(path: string, content = `Text of ${path}`): FakeWikiPage {
    const page = { id: this.#ids++, path, content };
    this.pages.set(page.id, page);
    this.#commits++;
    return page;
  }

  edit(page: FakeWikiPage, change: Partial<Pick<FakeWikiPage, 'path' | 'content'>>): void {
    Object.assign(page, change);
    this.#commits++;
  }

  remove(page: FakeWikiPage): void {
    this.pages.delete(page.id);
    this.#commits++;
  }
}

const MAX_TOP = 100;
const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

/** The wiki API 7.1 as its documentation says, and the refs of a wiki's repository. */
export function wikiRoutes(state: WikiState): FakeRoute[] {
  const guarded = (what: 'wiki' | 'code', route: FakeRoute): FakeRoute => ({
    ...route,
    answer: (request, groups) =>
      state.denied.has(what) ? refuse(403, 'The token lacks a scope') : route.answer(request, groups),
  });
  return [
    guarded('wiki', listRoute(state)),
    guarded('wiki', pagesRoute(state)),
    guarded('wiki', pageRoute(state)),
    guarded('code', refsRoute(state)),
  ];
}

const listRoute = (state: WikiState): FakeRoute => ({
  method: 'GET',
  path: /\/org\/Shop\/_apis\/wiki\/wikis/,
  query: ['api-version'],
  answer: () => {
    const { id, name, branches } = state;
    const versions = branches.map((version) => ({ version }));
    const wiki = { id, name, type: 'projectWiki', repositoryId: id, mappedPath: '/', versions };
    return { body: { value: state.exists ? [wiki] : [] } };
  },
});

const pagesRoute = (state: WikiState): FakeRoute => ({
  method: 'POST',
  path: /\/org\/Shop\/_apis\/wiki\/wikis\/([\w-]+)\/pagesBatch/,
  query: ['api-version'],
  body: ['top', 'continuationToken', 'pageViewsForDays'],
  answer: ({ body }, [wiki]) => {
    const { top = MAX_TOP, continuationToken = '0' } = body as { top?: number; continuationToken?: string };
    if (wiki !== state.id) return refuse(404, 'No such wiki');
    if (top > MAX_TOP) return refuse(400, `top is at most ${MAX_TOP}`);
    const value = [...state.pages.values()]
      .filter(({ id }) => id > Number(continuationToken))
      .slice(0, top)
      .map(({ id, path }) => ({ id, path }));
    const last = value.at(-1);
    // As the official examples show it, the last pages come with a token too.
    const headers: Record<string, string> =
      last === undefined ? {} : { 'x-ms-continuationtoken': String(last.id) };
    return { headers, body: { count: value.length, value } };
  },
});

const pageRoute = (state: WikiState): FakeRoute => ({
  method: 'GET',
  path: /\/org\/Shop\/_apis\/wiki\/wikis\/([\w-]+)\/pages\/(\d+)/,
  query: ['api-version', 'includeContent', 'recursionLevel'],
  answer: ({ query }, [wiki, id]) => {
    const page = wiki === state.id ? state.pages.get(Number(id)) : undefined;
    if (page === undefined) return refuse(404, 'TF50081: the page does not exist');
    const content = query.includeContent === 'True' ? page.content : '';
    const remoteUrl = `https://dev.azure.com/org/Shop/_wiki/wikis/${state.id}?pagePath=${encodeURIComponent(page.path)}`;
    return {
      headers: { etag: `"${sha1(page.content)}"` },
      body: { id: page.id, path: page.path, order: 0, subPages: [], remoteUrl, content },
    };
  },
});

const refsRoute = (state: WikiState): FakeRoute => ({
  method: 'GET',
  path: /\/org\/Shop\/_apis\/git\/repositories\/([\w-]+)\/refs/,
  query: ['api-version', 'filter', 'includeStatuses'],
  answer: ({ query }, [repository]) => {
    if (repository !== state.id) return refuse(404, 'TF401019: no such repository');
    const value = state.branches
      .flatMap((branch) => [`${branch}-draft`, branch])
      .filter((branch) => `heads/${branch}`.startsWith(query.filter ?? ''))
      .map((branch) => ({ name: `refs/heads/${branch}`, objectId: state.commitOf(branch) }));
    return { body: { count: value.length, value } };
  },
});
