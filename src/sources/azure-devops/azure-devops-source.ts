import * as z from 'zod';
import { canonicalJson } from '../../core/canonical-json.js';
import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { mapInOrder } from '../../core/map-in-order.js';
import type { Metadata } from '../../core/metadata.js';
import { runtime } from '../../core/runtime.js';
import { EVERYONE } from '../../core/scope.js';
import { slicesOf } from '../../core/slices.js';
import { HttpClient, type HttpClientOptions } from '../http-client.js';
import { isDue, type ListingCursor, readCursor, writeCursor } from '../listing-cursor.js';
import {
  itemsOf,
  type ListChangesOptions,
  type ListedChange,
  type ListedItem,
  type ListOptions,
  type ReadResult,
  type Source,
  type SourceItem,
} from '../source.js';
import { AzureDevOpsApi, BATCH_SIZE, type WorkItem } from './azure-devops-api.js';
import { WikiApi } from './wiki-api.js';
import { isWikiPage, type WikiCommits, type WikiListing, WikiPages } from './wiki-pages.js';
import { workItemDocument } from './work-item-document.js';
import { findItems, type ItemSelection } from './work-item-query.js';

export interface AzureDevOpsSourceOptions {
  readonly name: string;
  /** @default https://dev.azure.com */
  readonly baseUrl?: string;
  /** Organisation; on a server of one's own the collection. */
  readonly organization: string;
  readonly project: string;
  /** Personal access token. */
  readonly pat: string;
  /** Empty: all types. @default [] */
  readonly workItemTypes?: readonly string[];
  /** Fields to read; empty: the usual long texts. @default [] */
  readonly fields?: readonly string[];
  /** @default true */
  readonly includeComments?: boolean;
  /** The newest are read; wiki pages do not count. @default 5000 */
  readonly maxItems?: number;
  /** Read the pages of the project's wikis too. @default true */
  readonly includeWikis?: boolean;
  /** Hours after which every revision is looked at again. @default 24 */
  readonly completeListingHours?: number;
  /** Groups that may find the items. @default everyone in the tenant */
  readonly openGroups?: readonly string[];
  /** Metadata fields that stand in no text. @default none */
  readonly markedFields?: readonly string[];
  readonly metadata?: Metadata;
  readonly allowPrivateNetwork?: boolean;
  readonly http?: Partial<HttpClientOptions>;
  readonly now?: () => Date;
}

const CONCURRENCY = 4;

/**
 * Work items and wiki pages of an Azure DevOps project. Each listing names all ids by one query, so deletions are seen at once, and looks at
 * the revisions of those whose watermark is above the last one.
 */
export class AzureDevOpsSource implements Source {
  readonly type = 'azure_devops';
  readonly listing = 'complete';
  readonly name: string;
  readonly client: HttpClient;
  readonly #options: AzureDevOpsSourceOptions;
  readonly #api: AzureDevOpsApi;
  readonly #wikis: WikiPages;
  /** Stands for the settings that decide what a revision becomes: others make another version of each item. */
  readonly #reading: string;
  #notices: string[] = [];
  #batchOf = new Map<number, ItemBatch>();

  constructor(options: AzureDevOpsSourceOptions) {
    this.name = options.name;
    this.#options = options;
    const { baseUrl = 'https://dev.azure.com', organization, pat, allowPrivateNetwork } = options;
    this.client = new HttpClient({
      source: options.name,
      concurrency: CONCURRENCY,
      ...options.http,
      baseUrl: `${baseUrl.replace(/\/$/, '')}/${encodeURIComponent(organization)}`,
      authorization: `Basic ${Buffer.from(`:${pat}`).toString('base64')}`,
      ...(allowPrivateNetwork === undefined ? {} : { allowPrivateNetwork }),
    });
    this.#api = new AzureDevOpsApi(this.client);
    const { fields = [], includeComments = true, openGroups = [EVERYONE] } = options;
    this.#reading = contentHash(canonicalJson([[...fields], includeComments, [...openGroups]])).slice(0, 8);
    this.#wikis = new WikiPages(new WikiApi(this.client, options.project), {
      source: options.name,
      concurrency: CONCURRENCY,
      reading: this.#reading,
      groups: openGroups,
      markedFields: options.markedFields ?? [],
      metadata: options.metadata ?? {},
    });
  }

  list(options: ListOptions = {}): AsyncGenerator<ListedItem> {
    return itemsOf(this.listChanges(options));
  }

  async *listChanges({ since, signal }: ListChangesOptions): AsyncGenerator<ListedChange> {
    const { completeListingHours = 24 } = this.#options;
    this.#notices = [];
    const now = this.#options.now?.() ?? new Date(runtime().now());
    const before = readCursor(since, this.#settings());
    const isComplete = before === undefined || isDue(before, completeListingHours, now);
    const from = isComplete ? undefined : positionOf(before);
    const watermark = await this.#highestWatermark(from, signal);
    const all = await findItems(this.#api, this.#selection(), { signal });
    const { present, isCut } = this.#newest(all);
    // Which items a cut listing holds changes with those that were deleted: then each revision is looked at.
    const changed = from === undefined || isCut ? all : await this.#changedSince(from, watermark, signal);
    const batches = slicesOf(
      changed.filter((id) => present.has(id)),
      BATCH_SIZE,
    );
    for await (const versions of mapInOrder(batches, CONCURRENCY, (ids) => this.#api.versions(ids, signal)))
      yield* versions.map(({ id, revision }) => ({
        id: String(id),
        version: `${revision}-${this.#reading}`,
      }));
    const wikis = await this.#listWikis(from, signal);
    yield* wikis.unreadable;
    yield* this.#wikis.versions(wikis.candidates, signal);
    const position: Position = { watermark, wikis: wikis.commits };
    const completeAt = isComplete ? now.toISOString() : before.completeAt;
    yield {
      cursor: writeCursor({ since: JSON.stringify(position), completeAt }, this.#settings()),
      present: new Set([...present].map(String).concat(wikis.present)),
    };
  }

  async #listWikis(from: Position | undefined, signal: AbortSignal | undefined): Promise<WikiListing> {
    const { includeWikis = true } = this.#options;
    if (!includeWikis) return NO_WIKIS;
    const listing = await this.#wikis.list(from?.wikis ?? {}, signal);
    this.#notices.push(...listing.notices);
    return listing;
  }

  /**
   * The watermark from which the next listing goes on. It is asked for before anything is listed: every change up to it is then
   * seen by this listing, and every later one by the next.
   */
  async #highestWatermark(from: Position | undefined, signal: AbortSignal | undefined): Promise<number> {
    const conditions = from === undefined ? [] : [changedAfter(from)];
    const [latest] = await findItems(this.#api, this.#selection(), { conditions, signal });
    const [version] = latest === undefined ? [] : await this.#api.versions([latest], signal);
    return Math.max(version?.watermark ?? 0, from?.watermark ?? 0);
  }

  async #changedSince(from: Position, watermark: number, signal: AbortSignal | undefined): Promise<number[]> {
    if (watermark === from.watermark) return [];
    return findItems(this.#api, this.#selection(), { conditions: [changedAfter(from)], signal });
  }

  #newest(all: readonly number[]): { present: ReadonlySet<number>; isCut: boolean } {
    const { maxItems = 5000 } = this.#options;
    if (all.length <= maxItems) return { present: new Set(all), isCut: false };
    this.#notices.push(
      `Source "${this.name}" holds ${all.length} work items; the ${maxItems} newest are read. Raise maxItems to read more.`,
    );
    return { present: new Set(all.toSorted((a, b) => b - a).slice(0, maxItems)), isCut: true };
  }

  #selection(): ItemSelection {
    const { project, workItemTypes = [] } = this.#options;
    return { project, workItemTypes };
  }

  listingNotices(): readonly string[] {
    return this.#notices;
  }

  expectReads(items: readonly SourceItem[]): void {
    this.#batchOf = new Map();
    this.#wikis.expectReads();
    const workItems = items.filter(({ id }) => !isWikiPage(id));
    for (const ids of slicesOf(
      workItems.map(({ id }) => Number(id)),
      BATCH_SIZE,
    )) {
      const batch: ItemBatch = { ids };
      for (const id of ids) this.#batchOf.set(id, batch);
    }
  }

  async read(item: SourceItem, signal?: AbortSignal): Promise<ReadResult> {
    const document = isWikiPage(item.id)
      ? await this.#wikis.read(item.id, signal)
      : await this.#readWorkItem(Number(item.id), signal);
    if (document === undefined)
      throw new RAGError('DOCUMENT_VANISHED', `${JSON.stringify(item.id)} is not in Azure DevOps any more.`);
    return { documents: [document], failures: [] };
  }

  async #readWorkItem(id: number, signal: AbortSignal | undefined): Promise<RawDocument | undefined> {
    const found = await this.#workItem(id, signal);
    if (found === undefined) return undefined;
    const {
      includeComments = true,
      fields = [],
      openGroups = [EVERYONE],
      markedFields = [],
      metadata = {},
      project,
    } = this.#options;
    const hasComments = includeComments && Number(found.fields['System.CommentCount'] ?? 0) > 0;
    const comments = hasComments ? await this.#api.comments(project, id, signal) : [];
    const url = this.client.addressOf(`/${encodeURIComponent(project)}/_workitems/edit/${id}`);
    const groups = openGroups;
    return workItemDocument(found, { comments, fields, groups, markedFields, metadata, url });
  }

  /** From its batch, which is asked for once and forgotten when all of it was read. */
  async #workItem(id: number, signal: AbortSignal | undefined): Promise<WorkItem | undefined> {
    const batch = this.#batchOf.get(id) ?? { ids: [id] };
    batch.items ??= this.#api
      .workItems(batch.ids, signal)
      .then((items) => new Map(items.map((found) => [found.id, found])))
      .catch((error: unknown) => {
        delete batch.items;
        throw error;
      });
    const found = (await batch.items).get(id);
    this.#batchOf.delete(id);
    return found;
  }

  /** What decides which items there are. */
  #settings(): (string | string[] | number | boolean)[] {
    const { baseUrl = '', organization, project, workItemTypes = [] } = this.#options;
    const { maxItems = 5000, includeWikis = true } = this.#options;
    return [baseUrl, organization, project, [...workItemTypes], maxItems, includeWikis, this.#reading];
  }
}

/** Where a listing stands. */
interface Position {
  readonly watermark: number;
  readonly wikis: WikiCommits;
}

const position = z.object({ watermark: z.number(), wikis: z.record(z.string(), z.string()) });

/** Undefined where the cursor says none. */
function positionOf({ since }: ListingCursor): Position | undefined {
  try {
    return position.safeParse(JSON.parse(since)).data;
  } catch {
    return undefined;
  }
}

const NO_WIKIS: WikiListing = { present: [], unreadable: [], candidates: [], commits: {}, notices: [] };

const changedAfter = ({ watermark }: Position): string => `[System.Watermark] > ${watermark}`;

interface ItemBatch {
  readonly ids: readonly number[];
  items?: Promise<ReadonlyMap<number, WorkItem>>;
}

export const createAzureDevOpsSource = (options: AzureDevOpsSourceOptions): AzureDevOpsSource =>
  new AzureDevOpsSource(options);
