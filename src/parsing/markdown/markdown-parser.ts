import createMarkdownIt, { type MarkdownIt, type StateBlock, type Token } from 'markdown-it';
import type { Block, ParsedDocument, RawDocument } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { decodeText } from '../decode-text.js';
import { type LineBlock, toBlocks } from '../line-blocks.js';
import type { SyncParser } from '../parser.js';
import { blanked, levelLineEnds, moved } from '../text-range.js';
import { notIncluded, unreadOf } from '../unread.js';
import { commentRanges, countPictures, isMyst } from './comments.js';
import { type Directives, edited, readDirectives, readRoles } from './directives.js';
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
 * Parser for `text/markdown`: CommonMark blocks, GFM tables, front matter in YAML, TOML and JSON, title blocks of Pandoc, directives and roles of MyST, containers of
 * other dialects. Links are not followed, nothing is included and nothing in the document runs. Pictures and files that are included are counted.
 */
export function createMarkdownParser(options: MarkdownParserOptions = {}): SyncParser {
  const readBlocks = createBlockReader(options.maxDepth ?? DEFAULT_MAX_DEPTH);
  return {
    mediaTypes: ['text/markdown'],
    version: 3,
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
  const withoutComments = inText.length === 0 ? written : blanked(written, inText);
  // What other formats are converted to has neither.
  const isDialect = document.mediaType === 'text/markdown';
  const directives = readDirectives(isDialect ? levelLineEnds(withoutComments).slice(bodyStart) : '');
  const withoutDirectives = edited(
    withoutComments,
    directives.edits.map((edit) => moved(edit, bodyStart)),
  );
  const roles = readRoles(isDialect ? levelLineEnds(withoutDirectives).slice(bodyStart) : '');
  const text = edited(
    withoutDirectives,
    roles.map((edit) => moved(edit, bodyStart)),
  );
  const body = levelLineEnds(text).slice(bodyStart);
  const { pieces, tooDeep } = readBlocks(body);
  const bodyBlocks = toBlocks(body, withBoxes(pieces, directives.boxes, body), bodyStart);
  const opening: Block[] = frontMatter === undefined ? [] : [{ kind: 'front-matter', ...frontMatter.range }];
  const title = titleOf(frontMatter?.fields ?? {}, bodyBlocks);
  return {
    text,
    blocks: [...opening, ...bodyBlocks],
    ...(title === undefined ? {} : { title }),
    metadata: pickFields(frontMatter?.fields ?? {}, fields),
    ...unreadOf({
      pictures: countPictures(body) + directives.pictures,
      'included files': directives.included.length,
    }),
    warnings: [
      ...warnings,
      ...(frontMatter?.warnings ?? []),
      ...notIncluded(directives.included),
      ...(tooDeep ? [TOO_DEEP_WARNING] : []),
    ],
  };
}

const TOO_DEEP_WARNING =
  'Lists or quotes nested very deep were read as plain text: their text is kept, their inner structure is not.';

/** Paragraphs and lists of an admonition as one block, where nothing else is in it. */
function withBoxes(
  pieces: readonly LineBlock[],
  boxes: Directives['boxes'],
  body: string,
): readonly LineBlock[] {
  if (boxes.length === 0) return pieces;
  const lines = body.split('\n');
  // A list ends behind the blank lines below it, and goes on behind an admonition that ends with it.
  const isInside = (piece: LineBlock | undefined, end: number): boolean =>
    piece !== undefined &&
    piece.startLine < end &&
    /^(?:paragraph|list)$/.test(piece.kind) &&
    lines.slice(end, piece.endLine).every((line) => line.trim() === '');
  const joined: LineBlock[] = [];
  let at = 0;
  for (const { startLine, endLine } of boxes) {
    while ((pieces[at]?.startLine ?? startLine) < startLine) joined.push(...pieces.slice(at, ++at));
    let behind = at;
    while (isInside(pieces[behind], endLine)) behind += 1;
    if (behind - at < 2 || (pieces[behind]?.startLine ?? endLine) < endLine) continue;
    joined.push({ kind: 'quote', startLine, endLine });
    at = behind;
  }
  return [...joined, ...pieces.slice(at)];
}

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

const KINDS: Readonly<Record<string, Pick<LineBlock, 'kind' | 'openingLines'>>> = {
  heading_open: { kind: 'heading' },
  bullet_list_open: { kind: 'list' },
  ordered_list_open: { kind: 'list' },
  fence: { kind: 'code', openingLines: 1 },
  code_block: { kind: 'code' },
  table_open: { kind: 'table', openingLines: 2 },
  blockquote_open: { kind: 'quote' },
  html_block: { kind: 'html' },
};

interface TopLevelBlocks {
  readonly pieces: readonly LineBlock[];
  /** Something was nested deeper than the limit and was read as a plain paragraph. */
  readonly tooDeep: boolean;
}

const TOO_DEEP = 'too_deep';

/**
 * Block structure of Markdown (CommonMark 0.31 and GFM tables), top level only. Memory and time stay proportional to
 * the text whatever is nested in it: what lies inside a block is read but not kept, inline markup is not read at all,
 * and below `maxDepth` lists and quotes count as plain paragraphs.
 *
 * @param source text whose only line end is a line feed (see `levelLineEnds`)
 */
type ReadTopLevelBlocks = (source: string) => TopLevelBlocks;

/** @param maxDepth containers inside each other: a list counts two, its list and its item. */
function createBlockReader(maxDepth: number): ReadTopLevelBlocks {
  const markdown = createMarkdownIt({ html: true, maxNesting: Number.POSITIVE_INFINITY });
  // A link reference definition is then a paragraph, which is all that is needed here.
  markdown.block.ruler.disable('reference');
  markdown.block.ruler.before('table', TOO_DEEP, depthRule(maxDepth));
  markdown.block.State = topLevelState(markdown);
  return (source) => {
    const env = { isTooDeep: false };
    const tokens: Token[] = [];
    markdown.block.parse(source, markdown, env, tokens);
    return { pieces: tokens.flatMap(toLineBlock), tooDeep: env.isTooDeep };
  };
}

/**
 * markdown-it's own nesting limit swallows the rest of the document; this rule instead ends the deep part where a
 * paragraph would end, so that what follows keeps its structure.
 */
function depthRule(maxDepth: number) {
  return (state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean => {
    if (silent || state.level < maxDepth) return false;
    let line = startLine + 1;
    while (line < endLine && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent) line += 1;
    state.line = line;
    state.env.isTooDeep = true;
    return true;
  };
}

/** A state that keeps the tokens of the top level and of heading texts; the rest is garbage at once. */
function topLevelState(markdown: MarkdownIt): typeof StateBlock {
  return class TopLevelState extends markdown.block.State {
    override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
      const token = super.push(type, tag, nesting);
      const isKept = token.level === 0 ? nesting >= 0 : isHeadingText(token, this.tokens.at(-2));
      if (!isKept) this.tokens.pop();
      return token;
    }
  };
}

const isHeadingText = (token: Token, previous: Token | undefined): boolean =>
  token.type === 'inline' && token.level === 1 && previous?.type === 'heading_open';

function toLineBlock(token: Token, index: number, all: readonly Token[]): LineBlock[] {
  if (token.map === null || token.type === 'inline') return [];
  const [startLine, endLine] = token.map;
  const piece: LineBlock = { kind: 'paragraph', ...KINDS[token.type], startLine, endLine };
  if (piece.kind !== 'heading') return [piece];
  return [{ ...piece, level: Number(token.tag.slice(1)), headingSource: all[index + 1]?.content ?? '' }];
}
