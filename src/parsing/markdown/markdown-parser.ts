import type { Block, ParsedDocument, RawDocument } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { decodeText } from '../decode-text.js';
import { toBlocks } from '../line-blocks.js';
import type { SyncParser } from '../parser.js';
import { blanked, levelLineEnds } from '../text-range.js';
import { unreadOf } from '../unread.js';
import { createBlockReader, type ReadTopLevelBlocks } from './block-tokens.js';
import { commentRanges, countPictures, isMyst } from './comments.js';
import { readFrontMatter } from './front-matter.js';

export interface MarkdownParserOptions {
  /** Front matter fields that become metadata. @default every field */
  readonly frontmatterFields?: readonly string[];
  /**
   * How deep lists and quotes may stand inside each other before they are read as plain text; a list counts two.
   * @default 32
   */
  readonly maxDepth?: number;
  /** Comments are text. @default false: they are blank in the text, and neither found nor shown */
  readonly keepsComments?: boolean;
}

const DEFAULT_MAX_DEPTH = 32;

/**
 * Parser for `text/markdown`: CommonMark blocks, GFM tables, front matter in YAML, TOML and JSON, title blocks of Pandoc. Links are not followed and nothing in
 * the document runs. Pictures are counted.
 */
export function createMarkdownParser(options: MarkdownParserOptions = {}): SyncParser {
  const readBlocks = createBlockReader(options.maxDepth ?? DEFAULT_MAX_DEPTH);
  return {
    mediaTypes: ['text/markdown'],
    version: 2,
    parse: (document) => parseMarkdown(document, readBlocks, options),
  };
}

function parseMarkdown(
  document: RawDocument,
  readBlocks: ReadTopLevelBlocks,
  { frontmatterFields: fields, keepsComments = false }: MarkdownParserOptions,
): ParsedDocument {
  const { text: written, warnings } = decodeText(document.content, document.externalId);
  const whole = levelLineEnds(written);
  const frontMatter = readFrontMatter(whole);
  const bodyStart = frontMatter?.range.end ?? 0;
  const comments = keepsComments ? [] : commentRanges(whole.slice(bodyStart), isMyst(whole));
  const inText = comments.map(({ start, end }) => ({ start: start + bodyStart, end: end + bodyStart }));
  const [text, source] =
    inText.length === 0 ? [written, whole] : [blanked(written, inText), blanked(whole, inText)];
  const body = source.slice(bodyStart);
  const { pieces, tooDeep } = readBlocks(body);
  const bodyBlocks = toBlocks(body, pieces, bodyStart);
  const opening: Block[] = frontMatter === undefined ? [] : [{ kind: 'front-matter', ...frontMatter.range }];
  const title = titleOf(frontMatter?.fields ?? {}, bodyBlocks);
  return {
    text,
    blocks: [...opening, ...bodyBlocks],
    ...(title === undefined ? {} : { title }),
    metadata: pickFields(frontMatter?.fields ?? {}, fields),
    ...unreadOf({ pictures: countPictures(body) }),
    warnings: [...warnings, ...(frontMatter?.warnings ?? []), ...(tooDeep ? [TOO_DEEP_WARNING] : [])],
  };
}

const TOO_DEEP_WARNING =
  'Lists or quotes nested very deep were read as plain text: their text is kept, their inner structure is not.';

function titleOf(fields: Metadata, blocks: readonly Block[]): string | undefined {
  const declared = fields.title;
  if (typeof declared === 'string' && declared.trim() !== '') return declared.trim();
  if (typeof declared === 'number') return String(declared);
  return blocks.find((block) => block.kind === 'heading' && block.level === 1 && block.label !== '')?.label;
}

function pickFields(fields: Metadata, names: readonly string[] | undefined): Metadata {
  if (names === undefined) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
