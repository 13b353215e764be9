import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { mapInOrder } from '../../core/map-in-order.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { isMarkedName, type Metadata } from '../../core/metadata.js';
import { statusOf } from '../http-errors.js';
import type { SourceItem, UnreadableItem } from '../source.js';
import type { Wiki, WikiApi, WikiPageName } from './wiki-api.js';

/** Ids of wiki pages begin with it; ids of work items are numbers. */
const PREFIX = 'wiki/';

/** Last commit of each wiki, of each of its versions, by the wiki's id. */
export type WikiCommits = Readonly<Record<string, string>>;

export interface WikiPagesOptions {
  /** Name of the source, for messages. */
  readonly source: string;
  readonly concurrency: number;
  /** Stands for the settings that decide what a page becomes. */
  readonly reading: string;
  readonly groups: readonly string[];
  /** Metadata fields whose values stand nowhere else. */
  readonly markedFields: readonly string[];
  readonly metadata: Metadata;
}

/** Every page of the wikis that could be listed, and those that may have changed. */
export interface WikiListing {
  readonly present: readonly string[];
  readonly unreadable: readonly UnreadableItem[];
  /** May have changed: their versions tell. */
  readonly candidates: readonly WikiCandidate[];
  /** Where the next listing goes on. */
  readonly commits: WikiCommits;
  readonly notices: readonly string[];
}

interface WikiCandidate {
  readonly wikiId: string;
  readonly page: WikiPageName;
}

export const isWikiPage = (itemId: string): boolean => itemId.startsWith(PREFIX);

/**
 * Pages of a project's wikis. Each listing names all pages, so deletions and moves are seen at once, and looks at the versions of
 * the pages of those wikis whose last commit is another than before.
 */
export class WikiPages {
  readonly #api: WikiApi;
  readonly #options: WikiPagesOptions;
  /** Names by id, as the last listing gave them. */
  #names = new Map<string, string>();
  #isListed = false;

  constructor(api: WikiApi, options: WikiPagesOptions) {
    this.#api = api;
    this.#options = options;
  }

  /** @param before commits of the listing that this one goes on from; empty: every page is looked at */
  async list(before: WikiCommits, signal: AbortSignal | undefined): Promise<WikiListing> {
    const listing = {
      present: [] as string[],
      unreadable: [] as UnreadableItem[],
      candidates: [] as WikiCandidate[],
      commits: new Map<string, string>(),
      notices: [] as string[],
    };
    const wikis = await this.#orUnreadable(PREFIX, () => this.#api.wikis(signal));
    // Wikis are read unless left out, so many a token was made without a thought of them.
    if ('error' in wikis) return { ...listing, unreadable: [{ ...wikis, isOptional: true }], commits: {} };
    this.#names = new Map(wikis.map(({ id, name }) => [id, name]));
    this.#isListed = true;
    for (const wiki of wikis) {
      // Before the pages: a change while they are listed is then one for the next run.
      const commit = await this.#lastCommit(wiki, signal);
      const pages = await this.#orUnreadable(`${PREFIX}${wiki.id}/`, () => this.#api.pages(wiki.id, signal));
      if ('error' in pages) {
        listing.unreadable.push(pages);
        continue;
      }
      listing.present.push(...pages.map((page) => itemId(wiki.id, page.id)));
      if (commit === undefined) listing.notices.push(this.#withoutCommits(wiki));
      else listing.commits.set(wiki.id, commit);
      if (commit === undefined || commit !== before[wiki.id])
        listing.candidates.push(...pages.map((page) => ({ wikiId: wiki.id, page })));
    }
    return { ...listing, commits: Object.fromEntries(listing.commits) };
  }

  /** Versions of pages; a page that has gone since it was listed is left out. */
  async *versions(
    candidates: readonly WikiCandidate[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<SourceItem> {
    const { concurrency, reading } = this.#options;
    const versionOf = async ({ wikiId, page }: WikiCandidate): Promise<SourceItem[]> => {
      const tag = await orMissing(this.#api.pageVersion(wikiId, page.id, signal));
      if (tag === undefined) return [];
      // A move changes the headings above a page and not its text.
      const version = contentHash(JSON.stringify([page.path, tag, this.#names.get(wikiId)])).slice(0, 16);
      return [{ id: itemId(wikiId, page.id), version: `${version}-${reading}` }];
    };
    for await (const items of mapInOrder(candidates, concurrency, versionOf)) yield* items;
  }

  /** Names that a listing found hold for what it names, and not for what another one names later. */
  expectReads(): void {
    if (!this.#isListed) this.#names = new Map();
    this.#isListed = false;
  }

  /** A page as a document in Markdown; undefined where it has gone. */
  async read(id: string, signal: AbortSignal | undefined): Promise<RawDocument | undefined> {
    const [wikiId = '', pageId = ''] = id.slice(PREFIX.length).split('/');
    const page = await orMissing(this.#api.page(wikiId, Number(pageId), signal));
    if (page === undefined) return undefined;
    const { groups, markedFields, metadata } = this.#options;
    const isPathOpen = !isMarkedName('wikiPath', markedFields);
    const name = await this.#nameOf(wikiId, signal);
    const titles = page.path.split('/').filter((title) => title !== '');
    return {
      externalId: id,
      mediaType: MEDIA_TYPES.markdown,
      content: page.content ?? '',
      title: titles.at(-1) ?? name,
      headingPath: isPathOpen ? titles.slice(0, -1) : [],
      ...(page.remoteUrl == null || !isPathOpen ? {} : { url: page.remoteUrl }),
      metadata: { ...metadata, wiki: name, wikiPath: page.path, wikiPageId: Number(pageId) },
      access: { groups, level: 0 },
    };
  }

  /** What an earlier run left to be read may come without a listing of wikis. */
  async #nameOf(wikiId: string, signal: AbortSignal | undefined): Promise<string> {
    if (!this.#names.has(wikiId))
      this.#names = new Map((await this.#api.wikis(signal)).map(({ id, name }) => [id, name]));
    return this.#names.get(wikiId) ?? wikiId;
  }

  /**
   * Undefined where the token may not read code, or there is no branch to look at. A published wiki may have several versions, and
   * nothing says which of them the service reads pages from: a commit to any of them counts.
   */
  async #lastCommit(
    { repositoryId, versions }: Wiki,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    if (repositoryId == null || versions == null || versions.length === 0) return undefined;
    const commits: string[] = [];
    try {
      for (const { version: branch } of versions) {
        const commit = await this.#api.lastCommit({ repositoryId, branch }, signal);
        if (commit === undefined) return undefined;
        commits.push(commit);
      }
      return commits.join(' ');
    } catch (error) {
      if (isRefused(error)) return undefined;
      throw error;
    }
  }

  #withoutCommits({ name }: Wiki): string {
    return `Source "${this.#options.source}": the last commit of the wiki "${name}" cannot be read, so each run looks at every page of it. A token with Code (Read) spares these requests.`;
  }

  async #orUnreadable<T extends object>(id: string, list: () => Promise<T>): Promise<T | UnreadableItem> {
    try {
      return await list();
    } catch (error) {
      if (!isRefused(error)) throw error;
      const hint = 'The token needs Wiki (Read); includeWikis: false leaves wikis out.';
      const { details } = error;
      return { id, error: new RAGError(error.reason, `${error.message} ${hint}`, { cause: error, details }) };
    }
  }
}

const itemId = (wikiId: string, pageId: number): string => `${PREFIX}${wikiId}/${pageId}`;

const REFUSALS: ReadonlySet<number | undefined> = new Set([401, 403, 404]);
const isRefused = (error: unknown): error is RAGError =>
  RAGError.isInstance(error) && REFUSALS.has(statusOf(error));

async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
