import createMarkdownIt, { type MarkdownIt, type StateBlock, type Token } from 'markdown-it';

/** A structural piece on the top level of a document, as 0-based lines `[startLine, endLine)`. */
export interface TopLevelToken {
  /** markdown-it's token type: `heading_open`, `paragraph_open`, `fence`, ... */
  readonly type: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Level of a heading. */
  readonly level?: number;
  /** Markdown of a heading's text. */
  readonly headingSource?: string;
}

export interface TopLevelTokens {
  readonly tokens: readonly TopLevelToken[];
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
export type ReadTopLevelTokens = (source: string) => TopLevelTokens;

/** @param maxDepth containers inside each other: a list counts two, its list and its item. */
export function createBlockReader(maxDepth: number): ReadTopLevelTokens {
  const markdown = createMarkdownIt({ html: true, maxNesting: Number.POSITIVE_INFINITY });
  // A link reference definition is then a paragraph, which is all that is needed here.
  markdown.block.ruler.disable('reference');
  markdown.block.ruler.before('table', TOO_DEEP, depthRule(maxDepth));
  markdown.block.State = topLevelState(markdown);
  return (source) => {
    const env = { isTooDeep: false };
    const tokens: Token[] = [];
    markdown.block.parse(source, markdown, env, tokens);
    return { tokens: tokens.flatMap(toTopLevelToken), tooDeep: env.isTooDeep };
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

function toTopLevelToken(token: Token, index: number, all: readonly Token[]): TopLevelToken[] {
  if (token.map === null) return [];
  const [startLine, endLine] = token.map;
  if (token.type === 'inline') return [];
  const base = { type: token.type, startLine, endLine };
  if (token.type !== 'heading_open') return [base];
  return [{ ...base, level: Number(token.tag.slice(1)), headingSource: all[index + 1]?.content ?? '' }];
}
