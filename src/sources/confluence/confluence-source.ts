import { RAGError, toRAGError } from '../../core/errors.js';
import { mapInOrder } from '../../core/map-in-order.js';
import type { Metadata } from '../../core/metadata.js';
import { runtime } from '../../core/runtime.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { HttpClient, type HttpClientOptions } from '../http-client.js';
import { statusOf } from '../http-errors.js';
import { isDue, type ListingCursor, readCursor, writeCursor } from '../listing-cursor.js';
import type {
  ListChangesOptions,
  ListedChange,
  ListedItem,
  ListOptions,
  ReadResult,
  Source,
  SourceItem,
} from '../source.js';
import { itemsOf } from '../source.js';
import { readRestrictions } from './access.js';
import { CloudApi } from './cloud-api.js';
import type { ConfluenceApi, PageSummary } from './confluence-api.js';
import { DataCenterApi } from './data-center-api.js';
import { MEMBERSHIP_LIMITS, Memberships } from './memberships.js';
import { attachmentDocument, isReadable, pageDocument } from './page-documents.js';
import { type PageState, PageStates } from './page-state.js';

export interface ConfluenceSourceOptions {
  readonly name: string;
  /** Cloud: `https://example.atlassian.net`, with or without `/wiki`. Data Center: up to the context path. */
  readonly baseUrl: string;
  /** `auto`: Cloud where the host ends in `.atlassian.net`. @default auto */
  readonly deployment?: 'auto' | 'cloud' | 'data-center';
  /** Value of the `Authorization` header. */
  readonly authorization?: string;
  /** Empty: every space that the account sees. @default [] */
  readonly spaceKeys?: readonly string[];
  /** @default true */
  readonly includeComments?: boolean;
  /** @default false */
  readonly includeAttachments?: boolean;
  /** @default 1000 */
  readonly maxPages?: number;
  /** Hours after which everything is listed again: deletions, restrictions and moves are found so. @default 24 */
  readonly completeListingHours?: number;
  /** Groups that may read what is not restricted. @default who may view its space */
  readonly openGroups?: readonly string[] | undefined;
  /** Metadata fields whose values stand nowhere else: no text, heading or address has them. @default none */
  readonly markedFields?: readonly string[];
  readonly metadata?: Metadata;
  readonly allowPrivateNetwork?: boolean;
  readonly maxFileBytes?: number | undefined;
  readonly http?: Partial<HttpClientOptions>;
  readonly now?: () => Date;
}

/** Pages asked about at once. */
const CONCURRENCY = 8;
/** Clocks differ, and what is written takes a while to be listed. */
const OVERLAP_MS = 10 * 60_000;

/**
 * Pages of a Confluence site. A page with its comments is one document; an attached file another one. `list` asks about every
 * page; `listChanges` about those that changed, and about every page again after `completeListingHours`, because the service
 * does not tell what was deleted, moved or restricted.
 */
export class ConfluenceSource implements Source {
  readonly type = 'confluence';
  readonly listing = 'complete';
  readonly name: string;
  readonly client: HttpClient;
  readonly #options: ConfluenceSourceOptions;
  readonly #api: ConfluenceApi;
  readonly #maxPages: number;
  #states: PageStates;
  readonly #known = new Map<string, PageState>();
  #isListed = false;
  #notices: string[] = [];

  constructor(options: ConfluenceSourceOptions) {
    this.name = options.name;
    this.#options = options;
    const isCloud = isCloudSite(options);
    const baseUrl = isCloud ? cloudBase(options.baseUrl) : options.baseUrl;
    const { authorization, allowPrivateNetwork, spaceKeys = [], maxPages = 1000 } = options;
    this.client = new HttpClient({
      source: options.name,
      concurrency: CONCURRENCY,
      ...options.http,
      baseUrl,
      ...withoutUndefined({ authorization, allowPrivateNetwork }),
    });
    this.#api = isCloud ? new CloudApi(this.client, spaceKeys) : new DataCenterApi(this.client, spaceKeys);
    this.#maxPages = maxPages;
    this.#states = this.#newStates();
  }

  list(options: ListOptions = {}): AsyncGenerator<ListedItem> {
    return itemsOf(this.listChanges(options));
  }

  async *listChanges({ since, signal }: ListChangesOptions): AsyncGenerator<ListedChange> {
    const now = this.#options.now?.() ?? new Date(runtime().now());
    const { completeListingHours = 24 } = this.#options;
    const before = readCursor(since, this.#settings());
    const from = before === undefined || isDue(before, completeListingHours, now) ? undefined : before;
    this.#states = this.#newStates();
    this.#known.clear();
    this.#isListed = true;
    this.#notices = [];
    const { pages, isCut } = await this.#changedPages(from, signal);
    for await (const items of mapInOrder(pages, CONCURRENCY, (page) => this.#itemsOf(page, signal)))
      yield* items;
    const hidden = this.#states.unknownRestrictions.size;
    if (hidden > 0)
      this.#notices.push(
        `Source "${this.name}": the restrictions of ${hidden} pages could not be read, so nobody finds them or what lies below. The account needs to see restrictions.`,
      );
    for (const [key, { size }] of this.#states.pagesOfUntoldSpaces)
      this.#notices.push(
        `Source "${this.name}": who may view the space ${key} could not be read, so nobody finds ${size} of its pages that this run looked at. The account needs to see permissions of the space; or set \`accessGroups\` to the groups that find what is not restricted (\`*\`: everyone in the tenant).`,
      );
    const { unreachable, unresolved } = this.#states;
    if (unreachable.size > 0)
      this.#notices.push(
        `Source "${this.name}": nobody finds ${unreachable.size} pages, because no name stands in their restrictions and in the permissions of their space, and no user is known whom groups let pass both. Restrict them to a group that passes what stands above them and may view the space, or set \`accessGroups\`, so that permissions of spaces are not asked for.`,
      );
    if (unresolved.size > 0)
      this.#notices.push(
        `Source "${this.name}": ${unresolved.size} pages may be open to more people than find them here, because groups of users or members of groups could not be read or are too many (read are ${MEMBERSHIP_LIMITS}). The account needs to see users and groups; or restrict the pages to groups that may view the space, or set \`accessGroups\`.`,
      );
    const completeAt = from?.completeAt ?? now.toISOString();
    const cursor: ListingCursor = {
      since: new Date(now.getTime() - OVERLAP_MS).toISOString(),
      // Which pages a cut listing holds changes with the pages before them: it is never the base of a listing of changes.
      completeAt: isCut ? new Date(0).toISOString() : completeAt,
    };
    yield {
      cursor: writeCursor(cursor, this.#settings()),
      ...(from === undefined ? { present: 'listed' as const } : {}),
    };
  }

  listingNotices(): readonly string[] {
    return this.#notices;
  }

  /** What a listing found out holds for what it names, and not for what another one names later. */
  expectReads(): void {
    if (!this.#isListed) {
      this.#states = this.#newStates();
      this.#known.clear();
    }
    this.#isListed = false;
  }

  async read(item: SourceItem, signal?: AbortSignal): Promise<ReadResult> {
    const [pageId = '', , fileId] = item.id.split('/');
    try {
      const state =
        this.#known.get(pageId) ?? (await this.#stateOf(await this.#api.summary(pageId, signal), signal));
      return fileId === undefined
        ? await this.#readPage(state, signal)
        : await this.#readAttachment(item.id, fileId, { state, signal });
    } catch (error) {
      throw statusOf(error) === 404 ? goneError(item.id) : error;
    }
  }

  async #readPage(state: PageState, signal: AbortSignal | undefined): Promise<ReadResult> {
    const page = await this.#api.page(state.summary.id, signal);
    const { metadata = {}, markedFields = [] } = this.#options;
    return { documents: [pageDocument(page, state, { metadata, markedFields })], failures: [] };
  }

  async #readAttachment(
    itemId: string,
    fileId: string,
    { state, signal }: { state: PageState; signal: AbortSignal | undefined },
  ): Promise<ReadResult> {
    const file = state.attachments.find(({ id }) => id === fileId);
    if (file === undefined) throw goneError(itemId);
    const { maxFileBytes = 10 * 1024 * 1024, metadata = {}, markedFields = [] } = this.#options;
    const { body } = await this.client.fetch({
      path: file.path,
      accept: '*/*',
      maxBytes: maxFileBytes,
      signal,
    });
    return {
      documents: [attachmentDocument(file, body, { state, externalId: itemId, metadata, markedFields })],
      failures: [],
    };
  }

  /** Pages to ask about, those above before those below where the listing names them so. */
  async #changedPages(
    from: ListingCursor | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ pages: PageSummary[]; isCut: boolean }> {
    const pages = new Map<string, PageSummary>();
    let isCut = false;
    for await (const page of this.#api.pages(from?.since, signal)) {
      this.#states.add(page);
      isCut ||= pages.size >= this.#maxPages && !pages.has(page.id);
      if (!isCut) pages.set(page.id, page);
    }
    if (isCut)
      this.#notices.push(
        `Source "${this.name}" holds more than ${this.#maxPages} pages; the rest is left out. Raise syncOptions.maxPages to read it.`,
      );
    if (from !== undefined && this.#includesComments())
      for await (const id of this.#api.pagesWithNewComments(from.since, signal))
        if (!pages.has(id)) await this.#addPage(id, pages, signal);
    return { pages: [...pages.values()], isCut };
  }

  async #addPage(
    id: string,
    pages: Map<string, PageSummary>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    try {
      pages.set(id, await this.#api.summary(id, signal));
    } catch (error) {
      // A comment on what is no page, or on a page that has gone since.
      if (statusOf(error) !== 404) throw error;
    }
  }

  async #itemsOf(page: PageSummary, signal: AbortSignal | undefined): Promise<ListedItem[]> {
    try {
      const state = await this.#stateOf(page, signal);
      const files = state.attachments.filter(isReadable);
      const access = state.version.split('-')[1] ?? '';
      return [
        { id: page.id, version: state.version },
        ...files.map(({ id, version, bytes }) => ({
          id: `${page.id}/attachments/${id}`,
          version: `${version}-${access}`,
          bytes,
        })),
      ];
    } catch (error) {
      if (statusOf(error) === 404) return [];
      const failure = toRAGError(error, 'SOURCE_UNREADABLE', `Page ${page.id} could not be asked about.`);
      if (failure.reason === 'ABORTED' || statusOf(failure) === 401) throw failure;
      return [
        { id: page.id, error: failure },
        ...(this.#options.includeAttachments === true ? [{ id: `${page.id}/`, error: failure }] : []),
      ];
    }
  }

  async #stateOf(page: PageSummary, signal: AbortSignal | undefined): Promise<PageState> {
    const state = await this.#states.of(page, signal);
    this.#known.set(page.id, state);
    return state;
  }

  #newStates(): PageStates {
    const { openGroups, includeAttachments = false } = this.#options;
    return new PageStates({
      api: this.#api,
      memberships: new Memberships(this.client, (group) => this.#api.membersPath(group)),
      readRestrictions: (id, signal) => readRestrictions(this.client, id, signal),
      openGroups,
      includeComments: this.#includesComments(),
      includeAttachments,
    });
  }

  #includesComments(): boolean {
    return this.#options.includeComments ?? true;
  }

  /** What decides which items there are. */
  #settings(): (string | boolean | number | string[])[] {
    const { baseUrl, spaceKeys = [], includeAttachments = false, openGroups } = this.#options;
    return [
      baseUrl,
      [...spaceKeys],
      this.#includesComments(),
      includeAttachments,
      this.#maxPages,
      openGroups === undefined ? 'as the spaces' : [...openGroups],
    ];
  }
}

const goneError = (itemId: string): RAGError =>
  new RAGError('DOCUMENT_VANISHED', `${JSON.stringify(itemId)} is not in Confluence any more.`);

function isCloudSite({ baseUrl, deployment = 'auto' }: ConfluenceSourceOptions): boolean {
  if (deployment !== 'auto') return deployment === 'cloud';
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname.endsWith('.atlassian.net');
}

const cloudBase = (baseUrl: string): string => `${baseUrl.replace(/\/(?:wiki\/?)?$/, '')}/wiki`;

/** @throws RAGError `CONFIG_INVALID` where a needed setting is missing. */
export function createConfluenceSource(options: ConfluenceSourceOptions): ConfluenceSource {
  if (options.baseUrl === '')
    throw new RAGError(
      'CONFIG_INVALID',
      `Source "${options.name}": baseUrl is missing, the address of the site.`,
    );
  return new ConfluenceSource(options);
}
