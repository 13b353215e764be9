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

  it('reads UTF-8 that declares another encoding as what it is, and says so', async () => {
    const page = Buffer.from('<meta charset="iso-8859-1"><p>Über café</p>');
    const { text, warnings } = await createHtmlParser({ markdown: createMarkdownParser() }).parse({
      ...{ externalId: 'a.html', mediaType: 'text/html', content: page, metadata: {}, access: OPEN_ACCESS },
    });
    expect(text.trim()).toBe('Über café');
    expect(warnings).toEqual([expect.stringContaining('UTF-8')]);
  });

  it('spells abbreviations out where the page does, once', async () => {
    const slo = '<abbr title="Service Level\n Objective">SLO</abbr>';
    const { text } = await parse(
      `<h1>The ${slo}</h1><p>An ${slo} is a goal, an ${slo} is none.</p><p>A <abbr title="Incident Manager">IM</abbr>, that is an incident manager, and a <abbr>KPI</abbr>.</p>`,
    );
    expect(text.trim()).toBe(
      '# The SLO\n\nAn SLO (Service Level Objective) is a goal, an SLO is none.\n\nA IM, that is an incident manager, and a KPI.',
    );
  });

  it.each([
    ['<div><button role="tab">Linux</button><button role="tab">macOS</button></div>', 'Linux\n\nmacOS'],
    ['<div><a role="tab" href="#a">Linux</a><a role="tab">macOS</a></div>', 'Linux\n\nmacOS'],
    [
      '<div class="tabbed-labels"><label for="a">Debian</label><label for="b">Fedora</label></div>',
      'Debian\n\nFedora',
    ],
    ['<label class="sd-tab-label">Gentoo</label><label class="sd-tab-label">Arch</label>', 'Gentoo\n\nArch'],
    ['<button>Copy</button>Text', 'Text'],
  ])('keeps labels of tabs apart: %s', async (html, expected) => {
    expect((await parse(`<main>${html}</main>`)).text.trim()).toBe(expected);
  });

  it.each([
    [
      'roles',
      '<div><div role="tablist"><button role="tab">Linux</button><button role="tab">macOS</button></div><div role="tabpanel">apt a</div><div role="tabpanel" hidden>brew b</div></div>',
    ],
    [
      'items of a list',
      '<div><ul role="tablist"><li role="tab">Linux</li><li role="presentation"><a role="tab" href="#m">macOS</a></li></ul><div class="tab-content"><div class="tab-pane">apt a</div><div class="tab-pane">brew b</div></div></div>',
    ],
    [
      'boxes of labels and blocks',
      '<div class="tabbed-set"><input type="radio"><div class="tabbed-labels"><label>Linux</label><label>macOS</label></div><div class="tabbed-content"><div class="tabbed-block"><p>apt a</p></div><div class="tabbed-block"><p>brew b</p></div></div></div>',
    ],
    [
      'labels beside panels',
      '<div class="sd-tab-set"><label class="sd-tab-label">Linux</label><div class="sd-tab-content"><p>apt a</p></div><label class="sd-tab-label">macOS</label><div class="sd-tab-content">brew b</div></div>',
    ],
  ])('puts labels of tabs before what they name: %s', async (_, html) => {
    expect((await parse(`<main><h1>Install</h1>${html}<p>Then start it.</p></main>`)).text.trim()).toBe(
      '# Install\n\n**Linux**\n\napt a\n\n**macOS**\n\nbrew b\n\nThen start it.',
    );
  });

  it('puts labels of tabs in tabs before their own panels', async () => {
    const set = (names: readonly string[], panels: readonly string[]): string =>
      `<div><div role="tablist">${names.map((name) => `<button role="tab">${name}</button>`).join('')}</div>${panels.map((panel) => `<div role="tabpanel">${panel}</div>`).join('')}</div>`;
    const inner = set(['x86', 'arm'], ['deb x', 'deb a']);
    const { text } = await parse(`<main>${set(['Linux', 'macOS'], [inner, 'brew b'])}</main>`);
    expect(text.match(/[\w* ]+/g)).toEqual([
      '**Linux**',
      '**x86**',
      'deb x',
      '**arm**',
      'deb a',
      '**macOS**',
      'brew b',
    ]);
  });

  it.each([
    ['10<sup>6</sup> tons', '10^6 tons'],
    ['5 m<sup>2</sup> and m<sup>-1</sup>', '5 m^2 and m^-1'],
    ['x<sup>n+1</sup>', 'x^n+1'],
    ['the 1<sup>st</sup> of May, 2<sup>nd</sup>', 'the 1st of May, 2nd'],
    ['Acme<sup>TM</sup> pump<sup>®</sup>', 'AcmeTM pump®'],
    ['H<sub>2</sub>O and CO<sub>2</sub>', 'H2O and CO2'],
    ['p<sub>max</sub> is x<sub>i</sub>', 'p_max is x_i'],
    ['said<sup><a href="#n1">1</a></sup>.', 'said[1](#n1).'],
    ['as n<sup><i>k</i></sup>', 'as n^k'],
    ['a<sup></sup>b', 'ab'],
    ['10<span style="font-size:80%; vertical-align: super">4</span> Pa', '10^4 Pa'],
    ['x<span style="vertical-align:sub">i</span><span style="vertical-align:top">k</span>', 'x_ik'],
  ])('keeps what is raised and lowered: %s', async (html, expected) => {
    expect((await parse(`<main><p>${html}</p></main>`)).text.trim()).toBe(expected);
  });

  const tex = '<annotation encoding="application/x-tex">E = mc^{2}</annotation>';
  it.each([
    ['its TeX', `<math><semantics><mrow><mi>E</mi></mrow>${tex}</semantics></math>`, '$E = mc^{2}$'],
    ['its other text', '<math alttext="{\\displaystyle a^{2}}"><mi>a</mi></math>', '$a^{2}$'],
    [
      'a fraction',
      '<math><mi>Q</mi><mo>=</mo><mfrac><mrow><mi>T</mi><mo>-</mo><mi>S</mi></mrow><mi>d</mi></mfrac></math>',
      'Q = (T-S)/d',
    ],
    [
      'powers and indices',
      '<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msub><mi>y</mi><mi>i</mi></msub></math>',
      'x^2 + y_i',
    ],
    [
      'roots',
      '<math><msqrt><mi>a</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>b</mi><mn>3</mn></mroot></math>',
      'sqrt(a + 1)root_3(b)',
    ],
    ['sums', '<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>i</mi></math>', '∑_i^ni'],
    [
      'matrices',
      '<math><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable></math>',
      '\\[a, b; 1, 2]',
    ],
    ['words', '<math><mi>v</mi><mtext>in metres</mtext></math>', 'v in metres'],
    [
      'what KaTeX writes',
      `<span class="katex"><span class="katex-mathml"><math><semantics><mi>E</mi>${tex}</semantics></math></span><span class="katex-html" aria-hidden="true"><span>E=mc2</span></span></span>`,
      '$E = mc^{2}$',
    ],
    ['what MathJax reads', '<script type="math/tex">a_1 + b</script>', '$a_1 + b$'],
  ])('reads formulas: %s', async (_, html, expected) => {
    expect((await parse(`<main><p>It is ${html} here.</p></main>`)).text.trim()).toBe(
      `It is ${expected} here.`,
    );
  });

  const CODE = 'x = 1\ny = 22';
  const listing = '```\nx = 1\ny = 22\n```';
  it.each([
    [
      'Pygments',
      `<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td><td class="code"><div><pre>${CODE}\n</pre></div></td></tr></table>`,
    ],
    [
      'Pygments in the lines',
      '<pre><span class="linenos">1</span>x = 1\n<span class="linenos">2</span>y = 22\n</pre>',
    ],
    [
      'Rouge',
      `<table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td><td class="rouge-code"><pre>${CODE}\n</pre></td></tr></tbody></table>`,
    ],
    [
      'Chroma',
      `<table class="lntable"><tr><td class="lntd"><pre class="chroma"><code><span class="lnt">1\n</span><span class="lnt">2\n</span></code></pre></td><td class="lntd"><pre class="chroma"><code>${CODE}\n</code></pre></td></tr></table>`,
    ],
    [
      'Chroma in the lines',
      '<pre><code><span class="line"><span class="ln">1</span>x = 1\n</span><span class="line"><span class="ln">2</span>y = 22\n</span></code></pre>',
    ],
    [
      'highlight.js',
      '<table class="hljs-ln"><tbody><tr><td class="hljs-ln-numbers" data-line-number="1"></td><td class="hljs-ln-code">x = 1</td></tr><tr><td class="hljs-ln-numbers" data-line-number="2"></td><td class="hljs-ln-code">y = 22</td></tr></tbody></table>',
    ],
    [
      'GitHub',
      '<table><tr><td class="blob-num" data-line-number="1">1</td><td class="blob-code">x = 1</td></tr><tr><td class="blob-num">2</td><td class="blob-code">y = 22</td></tr></table>',
    ],
    [
      'Prism',
      `<pre class="line-numbers"><code>${CODE}<span aria-hidden="true" class="line-numbers-rows"><span></span><span></span></span></code></pre>`,
    ],
    [
      'SyntaxHighlighter',
      `<table><tr><td class="gutter"><div class="line number1">1</div><div class="line number2">2</div></td><td class="code"><pre>${CODE}</pre></td></tr></table>`,
    ],
    [
      'numbers in a list of lines',
      '<pre><span class="line-number">1</span>x = 1\n<span class="line-number">2</span>y = 22</pre>',
    ],
  ])('leaves out the line numbers of listings: %s', async (_, html) => {
    expect((await parse(`<main>${html}</main>`)).text.trim()).toBe(listing);
  });

  it.each([
    [
      '<tr><th>a</th><th>b | c</th></tr><tr><td>x_y* </td><td>1\n 2</td></tr>',
      '| a | b \\| c |\n| - | - |\n| x_y\\* | 1 2 |',
    ],
    [
      '<thead><tr><td>a</td></tr></thead><tbody><tr><td>b</td><td>c</td></tr></tbody>',
      '| a | |\n| - | - |\n| b | c |',
    ],
    ['<tr><td>alone</td><td>\u00a0</td></tr>', '| | |\n| - | - |\n| alone | \u00a0 |'],
    ['<tr><th align="right">a</th></tr><tr><td>1</td></tr>', '| a |\n| -: |\n| 1 |'],
    ['<tr><td>a</td></tr><tr><td><b>1</b></td></tr>', '| a |\n| - |\n| **1** |'],
  ])('writes tables of text and of more alike: %s', async (rows, expected) => {
    const { text } = await parse(`<main><p>x</p><table>${rows}</table> <p>y</p></main>`);
    expect(text.trim()).toBe(`x\n\n${expected}\n\ny`);
  });

  it('reads captions of tables, and headings without what edits or links to them', async () => {
    const { text } = await parse(
      '<main><h2>Hours<span class="mw-editsection">[<a href="#">edit</a>]</span></h2><h3>Fees<a class="headerlink" href="#f">\u00b6</a></h3><table><caption>Fees <b>2025</b></caption><tr><th>a</th></tr><tr><td>1</td></tr></table></main>',
    );
    expect(text.trim()).toBe('## Hours\n\n### Fees\n\nFees 2025\n\n| a |\n| - |\n| 1 |');
  });

  it('keeps tables of figures, whatever their class', async () => {
    const { text } = await parse(
      '<main><table><tr><td class="ln">1</td><td>berth</td></tr><tr><td class="gl">2</td><td>buoy</td></tr></table></main>',
    );
    expect(text).toContain('| 2 | buoy |');
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
    '<div style="color: red; display:none">not</div>',
    '<p style="VISIBILITY: hidden !important">not</p>',
    '<div class="table-content" hidden>not</div>',
  ])('counts what else is hidden, and does not read it: %s', async (hidden) => {
    const { text, unread } = await parse(`<main><p>Text.</p>${hidden}<div hidden> </div></main>`);
    expect(text).not.toContain('not');
    expect(unread).toEqual({ 'hidden parts': 1 });
  });

  it.each([
    ['what is kept from readers of screens', '<span aria-hidden="true">says</span>', 'a says b'],
    ['without its signs', '<i aria-hidden="true">\ue001</i><a aria-hidden="true" href="#a">#</a>', 'a b'],
    ['with ticks', '<span aria-hidden="true">\u2713</span>', 'a \u2713 b'],
    ['without words of icons', '<i class="material-icons" aria-hidden="true">home</i>', 'a b'],
    ['styles that hide nothing', '<i style="display:block;visibility:visible">says</i>', 'a _says_ b'],
    ['what a page folds', '<details><summary>More</summary>says</details>', 'says'],
  ])('reads what a page shows: %s', async (_, html, expected) => {
    const { text, unread } = await parse(`<main><div>a ${html} b</div></main>`);
    expect(text.replace(/\s+/g, ' ')).toContain(expected);
    expect(unread).toBeUndefined();
  });

  it.each<[string, object | undefined]>([
    ['<svg><path d="M0"/></svg>', { pictures: 1 }],
    ['<svg aria-hidden="true"><path d="M0"/></svg>', undefined],
    ['<canvas>not</canvas>', { pictures: 1 }],
    ['<img src="a.png" alt="Plan"><canvas></canvas>', { pictures: 2 }],
    ['<object type="image/svg+xml" data="a.svg">not</object>', { pictures: 1 }],
    ['<object data="a.pdf"><embed src="a.pdf"></object>', { 'embedded files': 1 }],
    ['<embed src="a.swf"><iframe src="a"></iframe>', { 'embedded files': 2 }],
    ['<video src="a">not</video><audio src="a"></audio>', { 'embedded files': 2 }],
    ['<iframe hidden src="a"></iframe><nav><svg></svg></nav>', undefined],
  ])('counts what it shows and does not say: %s', async (html, expected) => {
    const { text, unread } = await parse(`<main><p>Text.</p>${html}</main>`);
    expect(text).not.toContain('not');
    expect(unread).toEqual(expected);
  });

  it('reads the words of drawings', async () => {
    const { text } = await parse(
      '<main><p>Flow:</p><svg><title>Path</title><style>.a{}</style><text>Gate<tspan>way</tspan></text><text>Queue</text><foreignObject><div>Worker</div></foreignObject></svg></main>',
    );
    expect(text.trim()).toBe('Flow:\n\nPath Gateway Queue Worker');
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
