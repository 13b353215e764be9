import type { RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { isMarkedName, type Metadata } from '../../core/metadata.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { escapeText, isoTime } from '../text-values.js';
import type { Attachment, Comment, Page } from './confluence-api.js';
import type { PageState } from './page-state.js';

/** Of the settings of a source. */
export interface PageFacts {
  /** Facts added to every document. */
  readonly metadata: Metadata;
  /** Metadata fields whose values stand nowhere else. */
  readonly markedFields: readonly string[];
}

/** A page with its comments as one document in storage format. */
export function pageDocument(
  page: Page,
  state: PageState,
  { metadata, markedFields }: PageFacts,
): RawDocument {
  const { ancestors, groups } = state;
  const titles = ancestors.flatMap(({ title }) => title ?? []);
  const comments = isMarkedName('author', markedFields)
    ? state.comments.map(({ author: _, ...comment }) => comment)
    : state.comments;
  return {
    externalId: page.id,
    mediaType: MEDIA_TYPES.confluenceStorage,
    content: page.body + commentSection(comments),
    title: page.title,
    ...(isMarkedName('space', markedFields) ? {} : { url: page.url }),
    headingPath: isMarkedName('ancestors', markedFields) ? [] : titles,
    ...withoutUndefined({ createdAt: isoTime(page.createdAt), updatedAt: isoTime(page.updatedAt) }),
    metadata: {
      ...metadata,
      space: page.spaceKey,
      ancestors: titles,
      labels: page.labels,
      tags: page.labels,
      commentCount: comments.length,
      ...(page.author === undefined ? {} : { author: page.author }),
    },
    access: { groups, level: 0 },
  };
}

function commentSection(comments: readonly Comment[]): string {
  if (comments.length === 0) return '';
  const parts = comments.map(({ author, createdAt, body }) => {
    const day = isoTime(createdAt)?.slice(0, 10);
    const heading = [
      author === undefined ? 'Comment' : `Comment by ${author}`,
      ...(day === undefined ? [] : [day]),
    ].join(', ');
    return `<h3>${escapeText(heading)}</h3>${body}`;
  });
  return `<h2>Comments</h2>${parts.join('')}`;
}

/** Media types that are read of attached files. */
const READ_TYPES: ReadonlySet<string> = new Set([
  ...[MEDIA_TYPES.markdown, MEDIA_TYPES.plainText, MEDIA_TYPES.html, MEDIA_TYPES.pdf, MEDIA_TYPES.docx],
  ...[MEDIA_TYPES.csv, MEDIA_TYPES.tsv, MEDIA_TYPES.json],
]);

export const isReadable = ({ mediaType }: Attachment): boolean => READ_TYPES.has(mediaType);

/** A file attached to a page. */
export function attachmentDocument(
  file: Attachment,
  content: Uint8Array,
  { state, externalId, metadata, markedFields }: { state: PageState; externalId: string } & PageFacts,
): RawDocument {
  const above = isMarkedName('ancestors', markedFields)
    ? []
    : state.ancestors.flatMap(({ title }) => title ?? []);
  return {
    externalId,
    mediaType: file.mediaType,
    content,
    title: file.title,
    headingPath: [...above, state.summary.title],
    metadata: { ...metadata, attachedTo: state.summary.id },
    access: { groups: state.groups, level: 0 },
  };
}
