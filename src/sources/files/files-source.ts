import type { RawDocument } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { type AccessControl, OPEN_ACCESS } from '../../core/scope.js';
import { DEFAULT_FILE_TYPES, type FileType, fileTypeOf, unparsedNotices } from '../file-types.js';
import { pageFacts } from '../page-address.js';
import { describeUnmatched, skippedKinds } from '../skipped-kinds.js';
import { isUnreadable, type ListedItem, type ReadResult, type Source } from '../source.js';
import {
  type FileSelection,
  listFiles,
  type RootedSelection,
  readListedFile,
  rooted,
} from '../source-files.js';
import {
  describeLeftOut,
  mayBeUnwritten,
  type UnwrittenReason,
  unwrittenByContent,
  unwrittenByName,
} from '../unwritten-files.js';

export interface FilesSourceOptions extends FileSelection {
  /** Added to every document. */
  readonly metadata?: Metadata;
  /** See `pageAddress`. */
  readonly siteUrl?: string | undefined;
  /** `metadata.sourceType` of every document. Default: its kind, such as `markdown`, `pdf`, `code`. */
  readonly sourceType?: string | undefined;
  /** Default: everyone in the tenant. */
  readonly access?: AccessControl;
  /**
   * Whether source files that nobody wrote are read too: vendored, minified, generated, lock files. Markdown, PDF and
   * Word documents always are. @default false
   */
  readonly generated?: boolean;
}

/**
 * Files of every kind below a folder. By default documents and source code (`DEFAULT_FILE_TYPES`); CSV, JSON, logs, settings
 * and others where a pattern names them. `.gitignore` is honoured; hidden files, links, `node_modules` and `.git` are left
 * out, and so are source files that nobody wrote (counted in the notices).
 *
 * One file is one document; its id is its path relative to the root, with `/`. The path is the title of what declares
 * none. `list` throws only where the root or a pattern's folder is missing or unreadable.
 */
export function createFilesSource(given: FilesSourceOptions): Source {
  const options = rooted(given);
  const leftOut = new Map<UnwrittenReason, number>();
  let skipped: Readonly<Record<string, number>> = {};
  let unmatched: readonly string[] = [];
  const selection: RootedSelection = {
    ...options,
    onListed: (summary) => {
      skipped = skippedKinds(summary);
      unmatched = describeUnmatched(options, summary);
      options.onListed?.(summary);
    },
  };
  return {
    name: options.name,
    type: 'files',
    listing: 'complete',
    list: (listOptions) =>
      withoutUnwritten(
        listFiles(selection, { fileTypes: DEFAULT_FILE_TYPES, gitignore: true }, listOptions),
        options,
        leftOut,
      ),
    listingNotices: () => [...unmatched, ...describeLeftOut(leftOut)],
    listingSkipped: () => skipped,
    read: (item, signal) =>
      readListedFile(options, item, { signal, toResult: (file) => toResult(item.id, file, options) }),
  };
}

async function* withoutUnwritten(
  items: AsyncIterable<ListedItem>,
  options: FilesSourceOptions,
  leftOut: Map<UnwrittenReason, number>,
): AsyncGenerator<ListedItem> {
  leftOut.clear();
  for await (const item of items) {
    const reason =
      isUnreadable(item) || !isChecked(fileTypeOf(item.id), options) ? undefined : unwrittenByName(item.id);
    if (reason === undefined) yield item;
    else leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  }
}

const isChecked = (type: FileType, { generated = false }: FilesSourceOptions): boolean =>
  !generated && mayBeUnwritten(type);

function toResult(
  externalId: string,
  file: Pick<RawDocument, 'createdAt' | 'updatedAt'> & { readonly content: Uint8Array },
  options: FilesSourceOptions,
): ReadResult {
  const type = fileTypeOf(externalId);
  const reason =
    type.kind === 'code' && isChecked(type, options) ? unwrittenByContent(file.content) : undefined;
  if (reason !== undefined) {
    return {
      documents: [],
      failures: [],
      notices: [`A ${reason} file was left out; \`generated: true\` in the source's configuration reads it.`],
    };
  }
  return {
    documents: [toDocument(externalId, file, { type, options })],
    failures: [],
    ...unparsedNotices(type),
  };
}

function toDocument(
  externalId: string,
  file: Pick<RawDocument, 'content' | 'createdAt' | 'updatedAt'>,
  { type, options }: { type: FileType; options: FilesSourceOptions },
): RawDocument {
  return {
    externalId,
    mediaType: type.mediaType,
    sourceType: options.sourceType ?? type.kind,
    ...file,
    // A Markdown file without a title keeps none: its path is not what it says.
    ...(type.kind === 'markdown' ? {} : { title: externalId }),
    metadata: {
      ...(type.language === undefined ? {} : { language: type.language }),
      ...pageFacts(options.siteUrl, externalId),
      ...options.metadata,
    },
    access: options.access ?? OPEN_ACCESS,
  };
}
