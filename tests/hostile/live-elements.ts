import createMarkdownIt from 'markdown-it';
import rehypeParse from 'rehype-parse';
import { unified } from 'unified';

// What a browser would make of Markdown, as unchanged parsers read it: nothing here is shared with the code under test.

const RENDERERS = [true, false].flatMap((html) =>
  ['default', 'no tables'].map((name) => {
    const renderer = createMarkdownIt({ html });
    if (name === 'no tables') renderer.disable('table');
    // The most that any renderer would follow.
    renderer.validateLink = () => true;
    return renderer;
  }),
);
const HTML = unified().use(rehypeParse, { fragment: true });

const HARMLESS = new Set(
  (
    'b i u s em strong code kbd samp var sub sup br hr p div span ul ol li table thead tbody tfoot tr td th dl dt dd ' +
    'h1 h2 h3 h4 h5 h6 blockquote small mark del ins abbr cite q wbr pre t string'
  ).split(' '),
);

interface HtmlNode {
  readonly type: string;
  readonly tagName?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly HtmlNode[];
}

/** Everything that loads, links, runs or hides, or has attributes that Markdown itself does not give, in any dialect. */
export function liveElements(markdown: string): string[] {
  return [...new Set(RENDERERS.flatMap((renderer) => elementsOf(HTML.parse(renderer.render(markdown)))))];
}

function elementsOf(node: HtmlNode): string[] {
  const below = (node.children ?? []).flatMap(elementsOf);
  if (node.type === 'comment' || node.type === 'doctype') return [node.type, ...below];
  return node.type === 'element' && !isHarmless(node)
    ? [JSON.stringify([node.tagName, node.properties]), ...below]
    : below;
}

function isHarmless({ tagName = '', properties = {} }: HtmlNode): boolean {
  if (tagName === 'a')
    return String(properties.href).startsWith('mailto:') && Object.keys(properties).length === 1;
  return (
    HARMLESS.has(tagName) && Object.entries(properties).every(([name, value]) => isOfMarkdown(name, value))
  );
}

/** `class="language-x"`, `style="text-align:..."`, `start="2"`: written by the renderer. */
const isOfMarkdown = (name: string, value: unknown): boolean =>
  (name === 'className' && /^language-/.test(String(value))) ||
  (name === 'style' && /^text-align:(?:left|right|center)$/.test(String(value))) ||
  name === 'start';
