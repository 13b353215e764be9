import type { ParsedDocument, RawDocument } from '../core/document.js';
import type { Metadata } from '../core/metadata.js';
import type { UnreadCounts } from '../core/unread.js';
import type { Parser, SyncParser } from './parser.js';
import { unreadOf } from './unread.js';

/** What a document of another format says, as Markdown. */
export interface ConvertedDocument {
  readonly markdown: string;
  /** What the document is called; its first heading of the first level otherwise. */
  readonly title?: string | undefined;
  readonly metadata?: Metadata;
  readonly unread?: UnreadCounts;
  readonly warnings?: readonly string[];
}

export interface ConvertedFormat {
  readonly mediaType: string;
  /** As `Parser.version`. */
  readonly version?: number;
  /** Throws what `Parser.parse` throws. */
  readonly convert: (document: RawDocument) => ConvertedDocument | Promise<ConvertedDocument>;
}

/** Parser for a format that is stored as the Markdown that is made of it. */
export function convertedParser(
  { mediaType, version, convert }: ConvertedFormat,
  markdown: SyncParser,
): Parser {
  return {
    version,
    mediaTypes: [mediaType],
    parse: async (document): Promise<ParsedDocument> => {
      const converted = await convert(document);
      const parsed = markdown.parse({ ...document, content: converted.markdown });
      const title = converted.title ?? parsed.title;
      const isEmpty = parsed.text.trim() === '';
      return {
        text: parsed.text,
        blocks: parsed.blocks,
        ...(title === undefined ? {} : { title }),
        metadata: converted.metadata ?? {},
        ...unreadOf(converted.unread ?? {}),
        warnings: [
          ...(converted.warnings ?? []),
          ...parsed.warnings,
          ...(isEmpty ? ['The document holds no text that is read, so only its name is found.'] : []),
        ],
      };
    },
  };
}
