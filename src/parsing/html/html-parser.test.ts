import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParsedDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { createMarkdownParser } from '../markdown/markdown-parser.js';
import { createHtmlParser } from './html-parser.js';

const parse = async (content: string | Uint8Array, maxBytes = 5_000_000): Promise<ParsedDocument> =>
  createHtmlParser({ markdown: createMarkdownParser(), maxBytes }).parse({
    externalId: 'a.html',
    mediaType: MEDIA_TYPES.html,
    content,
    metadata: {},
    access: OPEN_ACCESS,
  });

describe('HTML', () => {
  it('becomes Markdown with its headings, tables, code, lists and links', async () => {
    const { text, blocks, title, metadata } = await parse(
      `<!doctype html><html lang="en"><head><title>Site</title><meta name="description" content="About"></head><body>
      <h1>Deploy</h1><p>Run <code>make</code> and <a href="/docs">read</a>.</p>
      <table><tr><th>name</th><th>value</th></tr><tr><td>retries</td><td>5</td></tr></table>
      <pre><code class="language-sh">make all
make test</code></pre><ul><li>one</li><li>two</li></ul></body></html>`,
    );
    expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'table', 'code', 'list']);
    expect(text).toContain('Run `make` and [read](/docs).');
    expect(text).toContain('```sh\nmake all\nmake test\n```');
    expect(title).toBe('Deploy');
    expect(metadata).toEqual({ locale: 'en', description: 'About' });
  });

  it('leaves names and addresses in the form in which people write them', async () => {
    const { text } = await parse(
      '<p>Set max_connections_limit or __init__, mail ops_team@example.org, see https://example.org/a_b, www.example.org.</p><p># no heading *</p>',
    );
    expect(text).toContain(
      'Set max_connections_limit or __init__, mail ops_team@example.org, see https://example.org/a_b, www.example.org.',
    );
    expect(text).toContain('\\# no heading');
  });

  it('keeps the main content and leaves out what surrounds it', async () => {
    const page = (body: string) =>
      `<title>T</title><body><nav>menu</nav>${body}<footer>imprint</footer></body>`;
    expect((await parse(page('<main><p>says</p><nav>more</nav></main><p>advert</p>'))).text.trim()).toBe(
      'says',
    );
    expect((await parse(page('<article><p>says</p></article><p>advert</p>'))).text.trim()).toBe('says');
    const plain = await parse(
      page('<p>says</p><aside>advert</aside><script>alert(1)</script><p hidden>not</p>'),
    );
    expect(plain.text.trim()).toBe('says');
    expect(plain.title).toBe('T');
  });

  it('keeps no address that runs or holds data', async () => {
    const { text } = await parse(
      '<p><a href="javascript:alert(1)">a</a><img src="data:image/png;base64,AAAA" alt="b"></p>',
    );
    expect(text).not.toMatch(/javascript|base64/);
  });

  it('reads the encoding that the page declares', async () => {
    const bytes = Buffer.concat([Buffer.from('<meta charset="windows-1252"><p>caf'), Buffer.from([0xe9])]);
    expect((await parse(bytes)).text.trim()).toBe('café');
  });

  it('says when a page holds nothing to read, and refuses what is too large', async () => {
    expect((await parse('<script>app()</script>')).warnings).toEqual([expect.stringContaining('no text')]);
    await expect(parse('x'.repeat(11), 10)).rejects.toMatchObject({ reason: 'DOCUMENT_TOO_LARGE' });
  });

  it('writes emphasis with the letters as they are, what stands side by side as one', async () => {
    const { text } = await parse(
      '<p><b>Re</b><b>try</b>: a<i>b</i>c, <em>d</em> <b> </b><i></i><code></code>e <b>"f"</b>g <s>h</s> <b><i>j</i></b></p>',
    );
    expect(text.trim()).toBe('**Retry**: a*b*c, _d_ e **"f"**g ~~h~~ **_j_**');
  });

  it.each([
    '<p>alpha</p><p>beta</p>',
    'alpha<br>beta',
    '<ul><li>alpha<li>beta</ul>',
    '<div>alpha</div>beta',
    '<pre>alpha</pre>beta',
    '<table><tr><td>alpha<td>beta</table>',
    '<h3>alpha</h3>beta',
  ])('parts the words of a cell where it breaks its line: %s', async (cell) => {
    const { text } = await parse(`<table><tr><th>a<tr><td>${cell}</table>`);
    expect(text).toBe('| a |\n| - |\n| alpha beta |\n');
  });

  it.each([
    '<div role="tabpanel" hidden>says</div>',
    '<section role="region" aria-labelledby="a" hidden>says</section>',
    '<div class="x tab-pane" aria-hidden="true">says</div>',
    '<div class="accordion__content" hidden>says</div>',
  ])('reads panels that are hidden until they are opened: %s', async (panel) => {
    expect((await parse(`<main><h1>Install</h1>${panel}</main>`)).text).toContain('says');
  });

  it.each([
    '<div hidden>not</div>',
    '<span aria-hidden="true">not</span>',
    '<div class="table-content" hidden>not</div>',
  ])('reads nothing else that is hidden: %s', async (hidden) => {
    expect((await parse(`<main><p>Text.</p>${hidden}</main>`)).text).not.toContain('not');
  });

  it('repeats what spans rows and columns in each of them', async () => {
    const { text } = await parse(
      '<table><thead><tr><th>Env<th>Branch<th>Cluster<th>Contact</thead><tr><td>Staging<td>release<td rowspan=2>Aconcagua<td rowspan=3>Pia<tr><td>Test<td>main<tr><td colspan=2>Demo<td>Bromo</table>',
    );
    expect(text).toContain(
      '| Staging | release | Aconcagua | Pia |\n| Test | main | Aconcagua | Pia |\n| Demo | Demo | Bromo | Pia |',
    );
  });

  it('repeats no long text that spans', async () => {
    const long = 'word '.repeat(100).trim();
    const { text } = await parse(
      `<table><tr><th>a<th>b<tr><td rowspan=3>${long}<td>1<tr><td>2<tr><td>3</table>`,
    );
    expect(text.split(long)).toHaveLength(2);
    expect(text).toContain('| | 3 |');
  });

  it.each([
    [
      '<table><tr><td>Setting<td>Value<tr><td>boats<td>31</table>',
      '| Setting | Value |\n| - | - |\n| boats | 31 |',
    ],
    ['<table><tr><td>Owner<td>Ann</table>', '| | |\n| - | - |\n| Owner | Ann |'],
    ['<table><tr><th>Owner<td>Ann<tr><th>Age<td>31</table>', '| Owner | Ann |\n| - | - |\n| Age | 31 |'],
  ])('takes the first of several rows for the header where none is marked: %s', async (html, markdown) => {
    expect((await parse(html)).text).toContain(markdown);
  });

  it('reads each cell as one, and says so, where cells span more than there is room for', async () => {
    const spans = await parse(
      '<table><tr><th>a<th colspan=2>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f</table>',
    );
    expect(spans.text).toContain('| c | d | e |\n| c | f | |');
    expect(spans.warnings).toEqual([]);
    const { text, warnings } = await parse(
      `<table>${'<tr><td colspan=1000 rowspan=1000>a'.repeat(80)}</table>`,
    );
    expect(text.length).toBeLessThan(1_000);
    expect(warnings).toEqual([expect.stringContaining('span so much')]);
  });

  it('reads a table as text, and says so, where its rows differ very much in length', async () => {
    const { text, blocks, warnings } = await parse(
      `<table><tr>${'<td>a'.repeat(1_000)}${'<tr><td>b'.repeat(1_000)}</table>`,
    );
    expect(text.match(/[ab]/g)).toHaveLength(2_000);
    expect(blocks.map(({ kind }) => kind)).not.toContain('table');
    expect(warnings).toEqual([expect.stringContaining('read as text')]);
  });

  it('indents no text further than lists are read', async () => {
    const { text, warnings } = await parse(`${'<ul><li>'.repeat(150)}${'<p>a</p>'.repeat(1_000)}`);
    expect(text.match(/a/g)).toHaveLength(1_000);
    expect(text.length).toBeLessThan(100_000);
    expect(warnings).toEqual([expect.stringContaining('nested very deep')]);
  });

  it('refuses elements nested without end', async () => {
    await parse('<div>'.repeat(50_000)).then(
      ({ text }) => expect(text).toBe(''),
      (error: unknown) => expect(error).toMatchObject({ reason: 'DOCUMENT_INVALID' }),
    );
  });
});

describe('for any page', () => {
  const element = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('word', 'a < b', '&amp;', '日本', '| pipe |', '```', '# no heading', '\n---\n'),
      fc
        .tuple(
          fc.constantFrom('p', 'div', 'h2', 'ul', 'li', 'table', 'tr', 'td', 'pre', 'code', 'b', 'a', 'br'),
          fc.array(tie('node'), { maxLength: 4 }),
        )
        .map(([tag, children]) => `<${tag}>${children.join(' ')}</${tag}>`),
      fc.constantFrom('<p', '</div>', '<!--', '<table><b>', '<td>x'),
    ),
  })).node;

  it('blocks are in order and cover all but white space', async () => {
    await fc.assert(
      fc.asyncProperty(element, async (html) => {
        const { text, blocks } = await parse(html);
        let rest = '';
        let at = 0;
        for (const { start, end } of blocks) {
          expect(start).toBeGreaterThanOrEqual(at);
          rest += text.slice(at, start);
          at = end;
        }
        expect((rest + text.slice(at)).trim()).toBe('');
      }),
      { numRuns: 100 },
    );
  });

  it('random bytes are refused or read, never a crash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await parse(bytes).then(
          ({ text }) => expect(typeof text).toBe('string'),
          (error: unknown) => expect(error).toMatchObject({ code: 'E003' }),
        );
      }),
    );
  });
});
