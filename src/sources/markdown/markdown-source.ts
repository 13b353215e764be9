import type { RawDocument } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { type AccessControl, OPEN_ACCESS } from '../../core/scope.js';
import { anyCase } from '../file-patterns.js';
import { pageFacts } from '../page-address.js';
import { watchUnmatched } from '../skipped-kinds.js';
import type { Source } from '../source.js';
import { type FileSelection, listFiles, readListedFile, rooted } from '../source-files.js';

export interface MarkdownSourceOptions extends FileSelection {
  /** Added to every document. */
  readonly metadata?: Metadata;
  /** See `pageAddress`. */
  readonly siteUrl?: string | undefined;
  /** `metadata.sourceType` where `metadata` gives none. Default `markdown`. */
  readonly sourceType?: string;
  /** Default: everyone in the tenant. */
  readonly access?: AccessControl;
}

// MDX is Markdown with components in between; documentation sites keep half their pages in it.
/** What a folder stands for. */
export const MARKDOWN_TYPES = ['md', 'markdown', 'mdx'].map((extension) => `*.${anyCase(extension)}`);
const MARKDOWN_EXTENSION = /\.(md|markdown|mdx)$/i;

/**
 * Markdown files of a folder. By default `*.md`, `*.markdown` and `*.mdx` in any case, `.gitignore` honoured, hidden
 * files, links, `node_modules` and `.git` left out. Other files a pattern asks for (`docs/*.txt`) are plain text.
 *
 * One file is one document; its id is its path relative to the root, with `/`. Title and front matter are the parser's
 * to find. `list` throws only where the root or a pattern's folder is missing or unreadable.
 */
export function createMarkdownSource(given: MarkdownSourceOptions): Source {
  const options = rooted(given);
  const { selection, ...unmatched } = watchUnmatched(options);
  return {
    name: options.name,
    type: 'markdown',
    listing: 'complete',
    list: (listOptions) => listFiles(selection, { fileTypes: MARKDOWN_TYPES, gitignore: true }, listOptions),
    ...unmatched,
    read: (item, signal) =>
      readListedFile(options, item, {
        signal,
        toResult: (file) => ({ documents: [toDocument(item.id, file, options)], failures: [] }),
      }),
  };
}

function toDocument(
  externalId: string,
  file: Pick<RawDocument, 'content' | 'createdAt' | 'updatedAt'>,
  { metadata, siteUrl, sourceType = 'markdown', access = OPEN_ACCESS }: MarkdownSourceOptions,
): RawDocument {
  return {
    externalId,
    mediaType: MARKDOWN_EXTENSION.test(externalId) ? 'text/markdown' : 'text/plain',
    ...file,
    metadata: { sourceType, ...pageFacts(siteUrl, externalId), ...metadata },
    access,
  };
}
