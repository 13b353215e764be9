import createMarkdownIt, { type Token } from 'markdown-it';
import type { ComponentChildren, VNode } from 'preact';
import { h } from 'preact';
import { useMemo } from 'preact/hooks';
import { shown } from '../text/shown.js';
import { Scrolls } from './scrolls.js';

// Raw HTML stays text, and what is read becomes elements and never a page of HTML: nothing of a document is run or fetched.
const reader = createMarkdownIt({ html: false, linkify: false });

const ELEMENTS = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote em strong s table thead tbody tr th td'.split(' '),
);

/** Where links may lead; any other stays the text that it is. */
const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i;

/** Of each text: elements in its place, such as citations. */
export type TextOf = (text: string) => ComponentChildren;

export interface MarkdownProps {
  readonly text: string;
  readonly textOf?: TextOf;
  /** Lines from 1, both included, of which blocks are marked. */
  readonly lines?: { readonly start: number; readonly end: number } | undefined;
}

/** Markdown of a document as elements. Its headings stand below those of the page. */
export function Markdown({ text, textOf = shown, lines }: MarkdownProps) {
  const tokens = useMemo(() => reader.parse(text, {}), [text]);
  return <div class="markdown">{blocksOf(tokens, { textOf, lines, depth: PAGE_DEPTH })}</div>;
}

interface Context {
  readonly textOf: TextOf;
  readonly lines: MarkdownProps['lines'];
  /** Level of the heading before, of the page. */
  depth: number;
}

/** Level of the heading that the text stands under. */
const PAGE_DEPTH = 2;

/** A tree of tokens that open and close. */
function blocksOf(tokens: readonly Token[], context: Context): ComponentChildren[] {
  const stack: { readonly token: Token | undefined; readonly children: ComponentChildren[] }[] = [
    { token: undefined, children: [] },
  ];
  for (const token of tokens) {
    if (token.nesting === 1) stack.push({ token, children: [] });
    else if (token.nesting === -1) {
      const closed = stack.length > 1 ? stack.pop() : undefined;
      if (closed?.token !== undefined)
        stack.at(-1)?.children.push(elementOf(closed.token, closed.children, context));
    } else stack.at(-1)?.children.push(leafOf(token, context));
  }
  return stack[0]?.children ?? [];
}

function elementOf(token: Token, children: ComponentChildren[], context: Context): ComponentChildren {
  // Paragraphs of a tight list.
  if (token.hidden) return children;
  if (token.tag === 'a') return linkOf(token, children);
  if (!ELEMENTS.has(token.tag)) return children;
  const tag = token.tag.replace(/^h(\d)$/, (_, level: string) => {
    // Documents leave levels out; a page must not.
    context.depth = Math.min(Number(level) + PAGE_DEPTH, context.depth + 1, 6);
    return `h${context.depth}`;
  });
  const attributes = {
    class: isMarked(token, context) ? 'marked' : undefined,
    ...(tag === 'ol' ? { start: Number(token.attrGet('start') ?? 1) } : {}),
    ...(tag === 'p' || tag === 'li' ? { dir: 'auto' } : {}),
  };
  const element = h(tag, attributes, children);
  return tag === 'table' ? <Scrolls label="Table">{element}</Scrolls> : element;
}

/** Leaves of the tree alone, so that a list is not marked whole for one of its lines. */
const MARKABLE = new Set([
  'paragraph_open',
  'heading_open',
  'tr_open',
  'fence',
  'code_block',
  'list_item_open',
]);

function isMarked({ type, map }: Token, { lines }: Context): boolean {
  if (lines === undefined || !map || !MARKABLE.has(type)) return false;
  return map[0] + 1 >= lines.start && map[1] <= lines.end + 1;
}

function leafOf(token: Token, context: Context): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return blocksOf(token.children ?? [], context);
    case 'text':
      return context.textOf(token.content);
    case 'code_inline':
      return <code>{shown(token.content)}</code>;
    case 'fence':
    case 'code_block':
      return (
        <Scrolls label="Code" class={isMarked(token, context) ? 'marked' : ''}>
          <pre>
            <code>{shown(token.content)}</code>
          </pre>
        </Scrolls>
      );
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br />;
    case 'hr':
      return <hr />;
    case 'image':
      return <ImageName token={token} />;
    default:
      return shown(token.content);
  }
}

/** An image is not fetched: where it is, is said. */
const ImageName = ({ token }: { token: Token }): VNode => (
  <span class="image">
    [image: {shown(token.content === '' ? String(token.attrGet('src') ?? '') : token.content)}]
  </span>
);

function linkOf(token: Token, children: ComponentChildren[]): ComponentChildren {
  const href = String(token.attrGet('href') ?? '');
  if (!SAFE_LINK.test(href)) return <span title={shown(href)}>{children}</span>;
  return (
    <a href={href} title={shown(href)} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
