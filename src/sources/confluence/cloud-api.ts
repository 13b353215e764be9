import * as z from 'zod';
import { AnswerTrail, parameterOf } from '../answer-trail.js';
import type { HttpClient, HttpRequest } from '../http-client.js';
import type { Ancestor, Attachment, Comment, ConfluenceApi, Page, PageSummary } from './confluence-api.js';
import { listAnswer } from './list-answer.js';
import { addGroup, addUser, type Principal, type Readers } from './principals.js';
import { commentedPages } from './search-comments.js';
import { expandedSpaceReaders, firstTold, isNotTold, type SpaceReaders } from './space-readers.js';

const PAGE_SIZE = 250;

const version = z.object({ number: z.number(), createdAt: z.string(), authorId: z.string().nullish() });
const storage = z.object({ storage: z.object({ value: z.string() }) });
const summary = z.object({
  id: z.string(),
  title: z.string(),
  spaceId: z.string(),
  parentId: z.string().nullish(),
  version,
});
const page = summary.extend({
  createdAt: z.string().nullish(),
  body: storage,
  labels: z.object({ results: z.array(z.object({ name: z.string() })) }).nullish(),
  _links: z.object({ webui: z.string() }),
});
const space = z.object({ id: z.string(), key: z.string() });
const comment = z.object({ id: z.string(), version, body: storage });
const attachment = z.object({
  id: z.string(),
  title: z.string(),
  mediaType: z.string(),
  fileSize: z.number(),
  version: z.object({ number: z.number() }),
  downloadLink: z.string(),
});
const ancestor = z.object({ id: z.string(), type: z.string() });
const grant = z.object({
  principal: z.object({ type: z.string(), id: z.string() }),
  operation: z.object({ key: z.string(), targetType: z.string() }),
});
const group = z.object({ name: z.string() });

interface CommentThread {
  readonly kind: string;
  readonly found: Comment[];
  readonly signal: AbortSignal | undefined;
  /** An answer to itself would be read for ever. */
  readonly trail: AnswerTrail;
}

/** Confluence Cloud: REST v2, and v1 for what v2 does not have (search). The client's base address ends in `/wiki`. */
export class CloudApi implements ConfluenceApi {
  readonly #client: HttpClient;
  readonly #spaceKeys: readonly string[];
  #spaces: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(client: HttpClient, spaceKeys: readonly string[]) {
    this.#client = client;
    this.#spaceKeys = spaceKeys;
  }

  async *pages(since: string | undefined, signal: AbortSignal | undefined): AsyncGenerator<PageSummary> {
    const keys = await this.#spacesById(signal);
    for (const id of keys.keys()) {
      const query = {
        status: 'current',
        sort: since === undefined ? 'id' : '-modified-date',
        limit: PAGE_SIZE,
      };
      for await (const found of this.#all({ path: `/api/v2/spaces/${id}/pages`, query, signal }, summary)) {
        // Newest first: from here on nothing changed.
        if (since !== undefined && Date.parse(found.version.createdAt) < Date.parse(since)) break;
        yield toSummary(found, keys);
      }
    }
  }

  async *pagesWithNewComments(since: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
    const keys = [...(await this.#spacesById(signal)).values()];
    yield* commentedPages(this.#client, { keys, since, signal });
  }

  async summary(id: string, signal: AbortSignal | undefined): Promise<PageSummary> {
    const found = await this.#client.json(
      { path: `/api/v2/pages/${encodeURIComponent(id)}`, signal },
      summary,
    );
    return toSummary(found, await this.#spacesById(signal));
  }

  async page(id: string, signal: AbortSignal | undefined): Promise<Page> {
    const query = { 'body-format': 'storage', 'include-labels': 'true' };
    const found = await this.#client.json(
      { path: `/api/v2/pages/${encodeURIComponent(id)}`, query, signal },
      page,
    );
    return {
      id,
      title: found.title,
      spaceKey: keyOf(found, await this.#spacesById(signal)),
      body: found.body.storage.value,
      labels: found.labels?.results.map(({ name }) => name) ?? [],
      updatedAt: found.version.createdAt,
      url: this.#client.addressOf(found._links.webui),
      ...(found.createdAt == null ? {} : { createdAt: found.createdAt }),
      ...(found.version.authorId == null ? {} : { author: found.version.authorId }),
    };
  }

  async ancestors(id: string, signal: AbortSignal | undefined): Promise<readonly Ancestor[]> {
    const path = `/api/v2/pages/${encodeURIComponent(id)}/ancestors`;
    const found: Ancestor[] = [];
    for await (const above of this.#all({ path, query: { limit: PAGE_SIZE }, signal }, ancestor)) {
      const title = above.type === 'page' ? (await this.summary(above.id, signal)).title : undefined;
      found.push({ id: above.id, ...(title === undefined ? {} : { title }) });
    }
    return found;
  }

  async comments(id: string, signal: AbortSignal | undefined): Promise<readonly Comment[]> {
    const found: Comment[] = [];
    for (const kind of ['footer-comments', 'inline-comments'] as const) {
      const path = `/api/v2/pages/${encodeURIComponent(id)}/${kind}`;
      await this.#takeComments(path, { kind, found, signal, trail: new AnswerTrail(path) });
    }
    return found;
  }

  async attachments(id: string, signal: AbortSignal | undefined): Promise<readonly Attachment[]> {
    const found: Attachment[] = [];
    const path = `/api/v2/pages/${encodeURIComponent(id)}/attachments`;
    for await (const file of this.#all({ path, query: { limit: PAGE_SIZE }, signal }, attachment))
      found.push({
        id: file.id,
        title: file.title,
        mediaType: file.mediaType,
        bytes: file.fileSize,
        version: file.version.number,
        path: file.downloadLink,
      });
    return found;
  }

  spaceReaders(key: string, signal: AbortSignal | undefined): Promise<SpaceReaders> {
    return firstTold([
      () => this.#assignedReaders(key, signal),
      () => expandedSpaceReaders(this.#client, key, signal),
    ]);
  }

  membersPath(group: string): string {
    return `/rest/api/group/${encodeURIComponent(group)}/membersByGroupId`;
  }

  /** Permissions name groups by ids, restrictions by names. What is no user and no group with a name (a role) is left out: it sees less. */
  async #assignedReaders(key: string, signal: AbortSignal | undefined): Promise<Readers> {
    const id = [...(await this.#spacesById(signal))].find(([, known]) => known === key)?.[0] ?? key;
    const path = `/api/v2/spaces/${encodeURIComponent(id)}/permissions`;
    const readers = new Map<string, Principal>();
    for await (const { principal, operation } of this.#all(
      { path, query: { limit: PAGE_SIZE }, signal },
      grant,
    )) {
      if (operation.key !== 'read' || operation.targetType !== 'space') continue;
      const { type, id: principalId } = principal;
      if (type === 'user') addUser(readers, { accountId: principalId });
      if (type === 'group')
        addGroup(readers, { name: await this.#groupName(principalId, signal), id: principalId });
    }
    return readers;
  }

  async #groupName(id: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    try {
      return (await this.#client.json({ path: '/rest/api/group/by-id', query: { id }, signal }, group)).name;
    } catch (error) {
      if (isNotTold(error)) return undefined;
      throw error;
    }
  }

  /** Answers come after what they answer. */
  async #takeComments(path: string, thread: CommentThread): Promise<void> {
    const { kind, found, signal, trail } = thread;
    const query = { 'body-format': 'storage', limit: PAGE_SIZE };
    for await (const { id, version: made, body } of this.#all({ path, query, signal }, comment)) {
      found.push({
        id,
        version: made.number,
        body: body.storage.value,
        createdAt: made.createdAt,
        ...(made.authorId == null ? {} : { author: made.authorId }),
      });
      trail.follow(id);
      await this.#takeComments(`/api/v2/${kind}/${encodeURIComponent(id)}/children`, thread);
    }
  }

  /** Keys of the chosen spaces by id. */
  #spacesById(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, string>> {
    const load = async (): Promise<ReadonlyMap<string, string>> => {
      const keys = this.#spaceKeys.length === 0 ? {} : { keys: this.#spaceKeys.join(',') };
      const spaces = new Map<string, string>();
      for await (const { id, key } of this.#all(
        { path: '/api/v2/spaces', query: { ...keys, limit: PAGE_SIZE }, signal },
        space,
      ))
        spaces.set(id, key);
      return spaces;
    };
    this.#spaces ??= load().catch((error: unknown) => {
      this.#spaces = undefined;
      throw error;
    });
    return this.#spaces;
  }

  /** Follows the cursors of a list. */
  async *#all<T>(request: HttpRequest, item: z.ZodType<T>): AsyncGenerator<T> {
    const list = listAnswer(item);
    const trail = new AnswerTrail(request.path);
    let next: HttpRequest | undefined = request;
    while (next !== undefined) {
      const answer: z.infer<typeof list> = await this.#client.json(next, list);
      yield* answer.results;
      // The service gives a relative address that already holds `/wiki`; only its cursor is new.
      const cursor = parameterOf(answer._links?.next, 'cursor');
      if (cursor !== undefined) trail.follow(cursor);
      next = cursor === undefined ? undefined : { ...request, query: { ...request.query, cursor } };
    }
  }
}

const keyOf = ({ spaceId }: z.infer<typeof summary>, keys: ReadonlyMap<string, string>): string =>
  keys.get(spaceId) ?? spaceId;

const toSummary = (found: z.infer<typeof summary>, keys: ReadonlyMap<string, string>): PageSummary => {
  const {
    id,
    title,
    parentId,
    version: { number, createdAt },
  } = found;
  return {
    id,
    title,
    spaceKey: keyOf(found, keys),
    version: number,
    updatedAt: createdAt,
    ...(parentId == null ? { ancestors: [] } : { parentId }),
  };
};
