import type { SpaceReaders } from './space-readers.js';

/** A page as a listing names it. */
export interface PageSummary {
  readonly id: string;
  readonly title: string;
  readonly spaceKey: string;
  readonly version: number;
  /** ISO-8601. */
  readonly updatedAt: string;
  /** Titles and ids above it, outermost first, where the listing tells. */
  readonly ancestors?: readonly Ancestor[];
  /** What stands directly above it, where the listing tells. */
  readonly parentId?: string;
}

export interface Ancestor {
  readonly id: string;
  /** Absent for what is no page (a folder). */
  readonly title?: string;
}

export interface Page {
  readonly id: string;
  readonly title: string;
  readonly spaceKey: string;
  /** XHTML in storage format. */
  readonly body: string;
  readonly labels: readonly string[];
  readonly createdAt?: string;
  readonly updatedAt: string;
  readonly author?: string;
  readonly url: string;
}

export interface Comment {
  readonly id: string;
  readonly version: number;
  readonly body: string;
  readonly author?: string;
  readonly createdAt?: string;
}

export interface Attachment {
  readonly id: string;
  readonly title: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly version: number;
  /** Where it is downloaded, for `HttpClient.fetch`. */
  readonly path: string;
}

/** What both kinds of Confluence site can be asked. Every method throws what `HttpClient` throws. */
export interface ConfluenceApi {
  /** Pages of the spaces: all, or those modified at this time or later (ISO-8601), a few older ones perhaps too. */
  pages(since: string | undefined, signal: AbortSignal | undefined): AsyncIterable<PageSummary>;
  /** Ids of pages with a comment made or changed at this time or later; a few more perhaps too. */
  pagesWithNewComments(since: string, signal: AbortSignal | undefined): AsyncIterable<string>;
  summary(id: string, signal: AbortSignal | undefined): Promise<PageSummary>;
  page(id: string, signal: AbortSignal | undefined): Promise<Page>;
  /** Outermost first. */
  ancestors(id: string, signal: AbortSignal | undefined): Promise<readonly Ancestor[]>;
  comments(id: string, signal: AbortSignal | undefined): Promise<readonly Comment[]>;
  attachments(id: string, signal: AbortSignal | undefined): Promise<readonly Attachment[]>;
  /** Who may view a space by its own permissions. */
  spaceReaders(key: string, signal: AbortSignal | undefined): Promise<SpaceReaders>;
  /** Path of the list of a group's members. */
  membersPath(group: string): string;
}
