import type { Node, Parser as SyntaxParser, Tree } from 'web-tree-sitter';
import type { CodeUnit, ParsedDocument, RawDocument, SourceCode } from '../../core/document.js';
import {
  codeMediaType,
  PARSED_LANGUAGES,
  type ParsedLanguage,
  PLAIN_CODE_MEDIA_TYPE,
} from '../../core/media-types.js';
import { runtime } from '../../core/runtime.js';
import { decodeText } from '../decode-text.js';
import { paragraphBlocks } from '../paragraph-blocks.js';
import type { Parser } from '../parser.js';
import { giveUpThread } from '../spent-thread.js';
import { levelLineEnds } from '../text-range.js';
import { parserFor } from './grammars.js';
import { unitsOf } from './syntax-units.js';

export interface CodeParserOptions {
  /** Longer files are cut at blank lines, in UTF-16 code units. @default 1,000,000 */
  readonly maxLength?: number;
  /** A file whose syntax takes longer is cut at blank lines, in milliseconds. @default 5,000 */
  readonly maxParseMs?: number;
}

const DEFAULT_MAX_LENGTH = 1_000_000;
const DEFAULT_MAX_PARSE_MS = 5_000;
/** Share of the text in syntax errors above which the tree says nothing useful. */
const MAX_ERROR_SHARE = 0.25;

/**
 * Parser for source code. The title is the path, so that it is matched and embedded with every chunk; `code` holds the
 * definitions and statements of the syntax tree (tree-sitter, loaded on first use). What has no grammar here, is too long
 * or is mostly syntax errors keeps its paragraphs, as plain text has; all but the first is said in a warning.
 */
export function createCodeParser(options: CodeParserOptions = {}): Parser {
  const languages = new Map<string, ParsedLanguage>(
    PARSED_LANGUAGES.map((name) => [codeMediaType(name), name]),
  );
  return {
    mediaTypes: [...languages.keys(), PLAIN_CODE_MEDIA_TYPE],
    parse: (document) => parseCode(document, languages.get(document.mediaType), options),
  };
}

async function parseCode(
  document: RawDocument,
  language: ParsedLanguage | undefined,
  options: CodeParserOptions,
): Promise<ParsedDocument> {
  const { text, warnings } = decodeText(document.content, document.externalId);
  const source = levelLineEnds(text);
  const read = language === undefined ? {} : await readSyntax(source, language, options);
  const name = typeof document.metadata.language === 'string' ? document.metadata.language : language;
  return {
    text,
    title: document.externalId,
    blocks: read.code === undefined ? paragraphBlocks(source) : blocksOf(read.code.units),
    ...(read.code === undefined ? {} : { code: read.code }),
    metadata: name === undefined ? {} : { language: name },
    warnings: [...warnings, ...(read.warning === undefined ? [] : [read.warning])],
  };
}

interface SyntaxRead {
  readonly code?: SourceCode;
  readonly warning?: string;
}

async function readSyntax(
  source: string,
  language: ParsedLanguage,
  { maxLength = DEFAULT_MAX_LENGTH, maxParseMs = DEFAULT_MAX_PARSE_MS }: CodeParserOptions,
): Promise<SyntaxRead> {
  if (source.length > maxLength) {
    return plainly(`it is longer than ${maxLength} characters`);
  }
  if (language === 'bash' && isStrained(source))
    return plainly(`it is no script that the grammar of ${language} reads in bounded time`);
  const parser = await parserFor(language);
  try {
    const tree = parseWithin(parser, source, maxParseMs);
    const read =
      tree === null
        ? plainly(`its syntax took longer than ${maxParseMs} ms to read`)
        : understood(tree.rootNode, source, language);
    tree?.delete();
    parser.delete();
    return read;
  } catch {
    // The parser is not deleted: where its memory is broken, that fails as well.
    giveUpThread();
    return plainly(`the grammar of ${language} failed on it`);
  }
}

function understood(root: Node, source: string, language: ParsedLanguage): SyntaxRead {
  const share = errorLength(root) / Math.max(1, source.length);
  if (share > MAX_ERROR_SHARE) {
    return plainly(`${Math.round(share * 100)} % of it does not follow the syntax of ${language}`);
  }
  return { code: { language, units: unitsOf(root, source) } };
}

/** In a line; hand-written scripts have 30. */
const MOST_SIGNS = 500;
const MOST_UNCLOSED = 200;

/**
 * Whether the time that error recovery takes may grow with the square of a text: one line of signs, brackets that nothing opens, and here-documents that
 * nothing closes.
 */
function isStrained(source: string): boolean {
  let signs = 0;
  let depth = 0;
  let longest = 0;
  for (const sign of source) {
    if (sign === '\n') signs = 0;
    else if ('()<>|?@'.includes(sign)) signs += 1;
    // Of a case the label has no opening bracket.
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    longest = Math.max(longest, signs);
  }
  const cases = source.split(';;').length - 1;
  const lines = source.split('\n');
  if (longest > MOST_SIGNS || -depth - cases > Math.max(MOST_UNCLOSED, lines.length / 2)) return true;
  const unclosed = new Map<string, number>();
  for (const [, name = ''] of source.matchAll(HERE_DOCUMENT))
    unclosed.set(name, (unclosed.get(name) ?? 0) + 1);
  for (const line of lines) {
    const count = unclosed.get(line.trim()) ?? 0;
    if (count > 0) unclosed.set(line.trim(), count - 1);
  }
  return [...unclosed.values()].reduce((all, count) => all + count, 0) > MOST_UNCLOSED;
}

const HERE_DOCUMENT = /(?<!<)<<-?[ \t]{0,8}["'\\]?([A-Za-z_][\w-]{0,79})/g;

const plainly = (why: string): SyntaxRead => ({
  warning: `Cut at blank lines, not along its syntax: ${why}.`,
});

function parseWithin(parser: SyntaxParser, source: string, maxParseMs: number): Tree | null {
  const deadline = runtime().elapsed() + maxParseMs;
  return parser.parse(source, null, { progressCallback: () => runtime().elapsed() > deadline });
}

/** Length of the outermost nodes that could not be read. With a stack of its own: hostile code nests without end. */
function errorLength(root: Node): number {
  const waiting = [root];
  let length = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.isError) length += node.endIndex - node.startIndex;
    else if (node.hasError) for (const child of node.children) waiting.push(child);
  }
  return length;
}

const blocksOf = (units: readonly CodeUnit[]): ParsedDocument['blocks'] =>
  units.map(({ start, end }) => ({ kind: 'code', start, end }));
