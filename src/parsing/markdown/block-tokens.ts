import createMarkdownIt, { type MarkdownIt, type StateBlock, type Token } from 'markdown-it';
import type { LineBlock } from '../line-blocks.js';

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

export interface TopLevelBlocks {
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
export type ReadTopLevelBlocks = (source: string) => TopLevelBlocks;

/** @param maxDepth containers inside each other: a list counts two, its list and its item. */
export function createBlockReader(maxDepth: number): ReadTopLevelBlocks {
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
