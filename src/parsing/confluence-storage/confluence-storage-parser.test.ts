import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { createMarkdownParser } from '../markdown/markdown-parser.js';
import { createConfluenceStorageParser, storageToMarkdown } from './confluence-storage-parser.js';

const markdownOf = async (storage: string): Promise<string> =>
  (await storageToMarkdown(storage, 'page')).markdown.trim();

const macro = (name: string, inner: string): string =>
  `<ac:structured-macro ac:name="${name}">${inner}</ac:structured-macro>`;
const parameter = (name: string, value: string): string =>
  `<ac:parameter ac:name="${name}">${value}</ac:parameter>`;
const rich = (inner: string): string => `<ac:rich-text-body>${inner}</ac:rich-text-body>`;
const plain = (inner: string): string => `<ac:plain-text-body><![CDATA[${inner}]]></ac:plain-text-body>`;

describe('elements', () => {
  test.each([
    [
      'a panel',
      macro('warning', parameter('title', 'Careful') + rich('<p>Hot</p>')),
      '> **Careful**\n>\n> Hot',
    ],
    [
      'code',
      macro('code', parameter('language', 'ts') + plain('if (a < b && c) {}')),
      '```ts\nif (a < b && c) {}\n```',
    ],
    [
      'an expandable part',
      macro('expand', parameter('title', 'More') + rich('<p>Text</p>')),
      '**More**\n\nText',
    ],
    ['a status', `<p>${macro('status', parameter('title', 'DONE'))}</p>`, '**DONE**'],
    ['a macro that fetches', macro('jira', parameter('key', 'OPS-12')), '_(macro jira: OPS-12)_'],
    ['an unknown macro', `<p>a ${macro('gallery', '')} b</p>`, 'a _(macro gallery)_ b'],
    [
      'a macro in a paragraph',
      `<p>a</p><p>${macro('info', rich('<p>b</p>'))}</p>`,
      'a\n\n> **Info**\n>\n> b',
    ],
    [
      'a link to a page',
      '<ac:link><ri:page ri:content-title="Rate limits" ri:space-key="OPS"/></ac:link>',
      '[Rate limits](/display/OPS/Rate%20limits)',
    ],
    [
      'a link with words',
      '<ac:link ac:anchor="x"><ri:page ri:content-title="A"/><ac:plain-text-link-body><![CDATA[see <A>]]></ac:plain-text-link-body></ac:link>',
      '[see \\<A>](A#x)',
    ],
    ['a mention', '<p><ac:link><ri:user ri:account-id="5b10a2"/></ac:link> decides</p>', '@5b10a2 decides'],
    ['a date', '<p>By <time datetime="2026-03-01" />.</p>', 'By 2026-03-01.'],
    ['an emoticon', '<p>ok <ac:emoticon ac:name="tick" ac:emoji-fallback="✅" /></p>', 'ok ✅'],
    ['entities', '<p>a&nbsp;&mdash;&#x2192;&amp;lt;</p>', 'a\u00a0—→\\&lt;'],
    [
      'blocks in a cell',
      '<table><tbody><tr><th>k</th></tr><tr><td><p>a</p><ul><li>b</li></ul></td></tr></tbody></table>',
      '| k |\n| - |\n| a b |',
    ],
    [
      'a layout',
      '<ac:layout><ac:layout-section><ac:layout-cell><h1>A</h1></ac:layout-cell></ac:layout-section></ac:layout>',
      '# A',
    ],
    ['an address that runs', '<p><a href="javascript:alert(1)">x</a></p>', '[x]()'],
    ['a comment', '<p>a<!-- <ac:parameter> -->b</p>', 'ab'],
  ])('%s', async (_, storage, markdown) => expect(await markdownOf(storage)).toBe(markdown));

  test('macros that show what is elsewhere are named, in the text and in a warning', async () => {
    const parser = createConfluenceStorageParser({ markdown: createMarkdownParser() });
    const parsed = await parser.parse({
      externalId: '1',
      mediaType: MEDIA_TYPES.confluenceStorage,
      title: 'Home',
      content: `<h1>First</h1>${macro('children', '')}${macro('toc', '')}`,
      metadata: {},
      access: OPEN_ACCESS,
    });
    expect(parsed.title).toBe('Home');
    expect(parsed.text).toContain('(macro children)');
    expect(parsed.warnings).toEqual(['What these macros show is not on the page and is not read: children.']);
  });

  test('elements nested too deep are refused and crash nothing', async () => {
    const deep = '<div>'.repeat(50_000);
    await expect(storageToMarkdown(deep, 'deep')).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
  });

  test('no text crashes it, and words outside of markup are kept', async () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    const piece = fc.oneof(
      word.map((text) => `<p>${text}</p>`),
      word.map((text) => macro('info', rich(`<p>${text}</p>`))),
      word.map((text) => macro('code', plain(text))),
      word.map((text) => `<table><tr><td><p>${text}</p></td></tr></table>`),
      word.map(
        (text) => `<ac:task-list><ac:task><ac:task-body>${text}</ac:task-body></ac:task></ac:task-list>`,
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.string(), async (pieces, tail) => {
        const markdown = await markdownOf(pieces.join(''));
        const words = pieces.map(
          (text) =>
            /([a-z]{3,8})(?:<\/|\]\])/.exec(text.replaceAll(/<\/?[a-z:-]+[^>]*>(?=<)/g, ''))?.[1] ?? '',
        );
        for (const text of words) expect(markdown).toContain(text);
        await markdownOf(pieces.join('').slice(0, -3) + tail);
      }),
      { numRuns: 100 },
    );
  });
});

const fixtures = fileURLToPath(
  new URL('../../../../shared/data/fixtures/confluence-storage/tests/', import.meta.url),
);

/**
 * What the Markdown original says and the page in storage format does not hold as such, so that nothing of it can be kept: the
 * number of facts, and why.
 */
const EXCEPTIONS: Readonly<
  Record<string, { readonly missing: Partial<Record<Kind, number>>; readonly why: string }>
> = {
  admonition: {
    missing: { code: 1 },
    why: 'an indented paragraph of a panel, which is a paragraph on the page',
  },
  anchors: { missing: { heading: 2, link: 5 }, why: 'ids behind headings; files that became attachments' },
  extension: { missing: { code: 1 }, why: 'a diagram that became other code' },
  macro: { missing: { code: 2 }, why: 'macros written out in the original' },
  math: { missing: { code: 1 }, why: 'a formula, which is code inside a line' },
  mermaid: { missing: { code: 6 }, why: 'diagrams that became pictures' },
  missing: { missing: { link: 4 }, why: 'links to files that are not there' },
  plantuml: { missing: { code: 4 }, why: 'diagrams that became compressed data' },
  table: { missing: { cell: 3 }, why: 'pictures and a line break written as HTML in the original' },
  tags: { missing: { cell: 4 }, why: 'a table that is one line of text on the page' },
};

const KINDS = ['heading', 'cell', 'code', 'link'] as const;
type Kind = (typeof KINDS)[number];

function factsOf(markdown: string): Record<Kind, string[]> {
  const facts: ReturnType<typeof factsOf> = { heading: [], cell: [], code: [], link: [] };
  const tokens = new MarkdownIt({ html: true, linkify: false }).parse(markdown, {});
  const plainText = (text: string): string =>
    new MarkdownIt()
      .parseInline(text, {})
      .flatMap(({ children }) => children ?? [])
      .map(({ type, content }) =>
        type === 'image' ? '' : type === 'softbreak' || type === 'hardbreak' ? ' ' : content,
      )
      .join('')
      .replaceAll(/\s+/g, ' ')
      .trim();
  tokens.forEach((token, index) => {
    const content = tokens[index + 1]?.content ?? '';
    if (token.type === 'heading_open') facts.heading.push(plainText(content));
    if (token.type === 'th_open' || token.type === 'td_open') facts.cell.push(plainText(content));
    if (token.type === 'fence' || token.type === 'code_block') facts.code.push(token.content.trim());
    for (const child of token.children ?? [])
      if (child.type === 'link_open') facts.link.push(String(child.attrGet('href') ?? ''));
  });
  return facts;
}

const hasFixtures = existsSync(fixtures);
const pairs = (hasFixtures ? readdirSync(`${fixtures}target`) : [])
  .filter((file) => file.endsWith('.xml') && existsSync(`${fixtures}source/${file.slice(0, -4)}.md`))
  .map((file) => file.slice(0, -4))
  .sort();

describe.skipIf(!hasFixtures)(
  'pairs of Markdown and storage format (shared/data beside the checkout)',
  () => {
    test('are all there', () => expect(pairs).toHaveLength(28));

    test.each(pairs)('%s keeps headings, cells, code and links', async (name) => {
      const original = readFileSync(`${fixtures}source/${name}.md`, 'utf8').replace(
        /^---\n[\s\S]*?\n---\n/,
        '',
      );
      const storage = readFileSync(`${fixtures}target/${name}.xml`, 'utf8');
      const ours = factsOf(await markdownOf(storage));
      const missing: Partial<Record<Kind, number>> = {};
      const wanted = factsOf(original);
      for (const kind of KINDS) {
        const lost = wanted[kind].filter((fact) => fact !== '' && !ours[kind].includes(fact));
        if (lost.length > 0) missing[kind] = lost.length;
      }
      expect(missing).toEqual(EXCEPTIONS[name]?.missing ?? {});
    });
  },
);
