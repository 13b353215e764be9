import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { AnswerTrail } from '../answer-trail.js';
import type { HttpClient, HttpRequest } from '../http-client.js';
import type { Ancestor, Attachment, Comment, ConfluenceApi, Page, PageSummary } from './confluence-api.js';
import { listAnswer } from './list-answer.js';
import { commentedPages, cqlText, cqlTime } from './search-comments.js';
import { expandedSpaceReaders, firstTold, listedSpaceReaders, type SpaceReaders } from './space-readers.js';

const PAGE_SIZE = 100;
/** Listings that begin anew because something was added or removed meanwhile. */
const MAX_RESTARTS = 5;

const version = z.object({
  number: z.number(),
  when: z.string(),
  by: z.object({ displayName: z.string().nullish() }).nullish(),
});
const summary = z.object({
  id: z.string(),
  title: z.string(),
  version,
  space: z.object({ key: z.string() }),
  ancestors: z.array(z.object({ id: z.string(), title: z.string() })),
});
const storage = z.object({ storage: z.object({ value: z.string() }) });
const page = summary.extend({
  body: storage,
  history: z.object({ createdDate: z.string().nullish() }).nullish(),
  metadata: z.object({ labels: z.object({ results: z.array(z.object({ name: z.string() })) }) }),
  _links: z.object({ webui: z.string() }),
});
const comment = z.object({ id: z.string(), version, body: storage });
const attachment = z.object({
  id: z.string(),
  title: z.string(),
  version: z.object({ number: z.number() }),
  extensions: z.object({ mediaType: z.string(), fileSize: z.number() }),
  _links: z.object({ download: z.string() }),
});
const space = z.object({ key: z.string() });
/** What is expanded of a page in a list. */
const SUMMARY = 'version,ancestors,space';

/** Confluence Data Center and Server: REST v1 with `start` and `limit`. */
export class DataCenterApi implements ConfluenceApi {
  readonly #client: HttpClient;
  readonly #spaceKeys: readonly string[];

  constructor(client: HttpClient, spaceKeys: readonly string[]) {
    this.#client = client;
    this.#spaceKeys = spaceKeys;
  }

  async *pages(since: string | undefined, signal: AbortSignal | undefined): AsyncGenerator<PageSummary> {
    const keys = await this.#keys(signal);
    const expand = SUMMARY;
    if (since === undefined) {
      for (const spaceKey of keys) {
        const query = { spaceKey, type: 'page', status: 'current', expand };
        yield* (await this.#list({ path: '/rest/api/content', query, signal }, summary)).map(toSummary);
      }
      return;
    }
    const cql = `type = page and space in (${keys.map(cqlText).join(', ')}) and lastmodified >= ${cqlText(cqlTime(since))}`;
    const request = { path: '/rest/api/content/search', query: { cql, expand }, signal };
    const found = await this.#list(request, summary);
    // The search is asked for earlier times too, because nobody knows its time zone.
    yield* found.filter(({ version: made }) => Date.parse(made.when) >= Date.parse(since)).map(toSummary);
  }

  async *pagesWithNewComments(since: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
    yield* commentedPages(this.#client, { keys: await this.#keys(signal), since, signal });
  }

  async summary(id: string, signal: AbortSignal | undefined): Promise<PageSummary> {
    return toSummary(await this.#content(id, SUMMARY, summary, signal));
  }

  async page(id: string, signal: AbortSignal | undefined): Promise<Page> {
    const expand = 'body.storage,version,ancestors,space,history,metadata.labels';
    const found = await this.#content(id, expand, page, signal);
    const author = found.version.by?.displayName;
    return {
      id,
      title: found.title,
      spaceKey: found.space.key,
      body: found.body.storage.value,
      labels: found.metadata.labels.results.map(({ name }) => name),
      updatedAt: found.version.when,
      url: this.#client.addressOf(found._links.webui),
      ...(found.history?.createdDate == null ? {} : { createdAt: found.history.createdDate }),
      ...(author == null ? {} : { author }),
    };
  }

  async ancestors(id: string, signal: AbortSignal | undefined): Promise<readonly Ancestor[]> {
    return (await this.summary(id, signal)).ancestors ?? [];
  }

  async comments(id: string, signal: AbortSignal | undefined): Promise<readonly Comment[]> {
    const path = `/rest/api/content/${encodeURIComponent(id)}/child/comment`;
    const query = { expand: 'body.storage,version', depth: 'all' };
    const found = await this.#list({ path, query, signal }, comment);
    return found.map(({ id: commentId, version: made, body }) => ({
      id: commentId,
      version: made.number,
      body: body.storage.value,
      createdAt: made.when,
      ...(made.by?.displayName == null ? {} : { author: made.by.displayName }),
    }));
  }

  async attachments(id: string, signal: AbortSignal | undefined): Promise<readonly Attachment[]> {
    const path = `/rest/api/content/${encodeURIComponent(id)}/child/attachment`;
    const found = await this.#list({ path, query: { expand: 'version' }, signal }, attachment);
    return found.map(({ id: fileId, title, version: { number }, extensions, _links }) => ({
      id: fileId,
      title,
      mediaType: extensions.mediaType,
      bytes: extensions.fileSize,
      version: number,
      path: _links.download,
    }));
  }

  spaceReaders(key: string, signal: AbortSignal | undefined): Promise<SpaceReaders> {
    return firstTold([
      () => listedSpaceReaders(this.#client, key, signal),
      () => expandedSpaceReaders(this.#client, key, signal),
    ]);
  }

  membersPath(group: string): string {
    return `/rest/api/group/${encodeURIComponent(group)}/member`;
  }

  async #keys(signal: AbortSignal | undefined): Promise<readonly string[]> {
    if (this.#spaceKeys.length > 0) return this.#spaceKeys;
    return (await this.#list({ path: '/rest/api/space', signal }, space, ({ key }) => key)).map(
      ({ key }) => key,
    );
  }

  #content<T>(id: string, expand: string, shape: z.ZodType<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#client.json(
      { path: `/rest/api/content/${encodeURIComponent(id)}`, query: { expand }, signal },
      shape,
    );
  }

  /**
   * A whole list. Numbers of places shift when something is added or removed meanwhile, and a page would be passed over, which
   * looks like its deletion. So each request overlaps the one before by one place, and where that place holds something else the
   * list is read anew.
   */
  async #list<T>(request: HttpRequest, item: z.ZodType<T>, idOf = idOfContent<T>): Promise<T[]> {
    for (let attempt = 0; attempt <= MAX_RESTARTS; attempt++) {
      const found = await this.#listOnce(request, item, idOf);
      if (found !== undefined) return found;
    }
    throw new RAGError(
      'SOURCE_UNREADABLE',
      `${request.path} changed each time while it was listed. Try again when less is being edited.`,
    );
  }

  async #listOnce<T>(
    request: HttpRequest,
    item: z.ZodType<T>,
    idOf: (value: T) => string,
  ): Promise<T[] | undefined> {
    const list = listAnswer(item);
    const all: T[] = [];
    const trail = new AnswerTrail(request.path);
    for (let start = 0; ; start = all.length - 1) {
      trail.follow(start);
      const query = { ...request.query, start, limit: PAGE_SIZE };
      const { results, _links } = await this.#client.json({ ...request, query }, list);
      const last = all.at(-1);
      if (last !== undefined) {
        const [first, ...others] = results;
        if (first === undefined || idOf(first) !== idOf(last)) return undefined;
        all.push(...others);
        if (others.length === 0) return all;
      } else all.push(...results);
      if (_links?.next == null || all.length < 2) return all;
    }
  }
}

function idOfContent<T>(value: T): string {
  return typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : '';
}

const toSummary = ({
  id,
  title,
  space: { key },
  version: made,
  ancestors,
}: z.infer<typeof summary>): PageSummary => ({
  id,
  title,
  spaceKey: key,
  version: made.number,
  updatedAt: made.when,
  ancestors,
});
