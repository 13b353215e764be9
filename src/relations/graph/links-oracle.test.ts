import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import createMarkdownIt, { type Token } from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../../../tests/long-forms.js';
import { graphRowsOf } from './graph-rows.js';
import { pathName } from './names.js';

/*
 * A second way to find the links of a page: a whole Markdown parser, and addresses resolved as browsers do. What it finds has to be in the
 * rows, and the rows must name no file that it does not find.
 */

const markdown = createMarkdownIt({ html: true, linkify: false, maxNesting: 1_000 });
const ORIGIN = 'https://source.invalid/';

/** Files of the same source that a page links to. */
function linkedFiles(text: string, path: string): Set<string> {
  const tokens: Token[] = markdown.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  const addresses = tokens.flatMap(({ type, attrs, content }) => {
    const attribute = type === 'link_open' ? 'href' : type === 'image' ? 'src' : undefined;
    const ofToken = (attrs ?? []).flatMap(([name, value]) => (name === attribute ? [String(value)] : []));
    const ofHtml = type.startsWith('html_')
      ? Array.from(content.matchAll(/<a\s[^>]*href=["']([^"']+)["']/gi), ([, href = '']) =>
          href.replaceAll('&amp;', '&'),
        )
      : [];
    return [...ofToken, ...ofHtml];
  });
  const base = ORIGIN + path.split('/').map(encodeURIComponent).join('/');
  return new Set(
    addresses.flatMap((address) => {
      if (leadsOut(address, path) || !URL.canParse(address, base)) return [];
      const { href, pathname } = new URL(address, base);
      const file = decodeURIComponent(pathname.slice(1)).replace(/\/+/g, '/').replace(/\/$/, '');
      // Two addresses in one, by a slip of the writer.
      if (file.includes('https:/')) return [];
      const isSelf = address.startsWith('#') || address === '' || file === path;
      return !href.startsWith(ORIGIN) || isSelf || !/\.[A-Za-z0-9]{1,10}$/.test(file) ? [] : [file];
    }),
  );
}

/** Browsers stay at the root where a path climbs above it. */
function leadsOut(address: string, path: string): boolean {
  if (address.startsWith('/')) return false;
  let depth = path.split('/').length - 1;
  for (const part of address.split(/[?#]/)[0]?.split('/') ?? []) {
    if (part === '..') depth--;
    else if (part !== '.' && part !== '') depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** The same of the rows. */
function rowFiles(text: string, path: string): Set<string> {
  const { references } = graphRowsOf({ source: 's', externalId: path, metadata: {}, text });
  return new Set(
    references.flatMap(({ kind, target }) => {
      const file =
        kind === 'link' && target.startsWith('path:')
          ? (JSON.parse(target.slice(5)) as string[])[1]
          : undefined;
      return file !== undefined && /\.[A-Za-z0-9]{1,10}$/.test(file) && pathName('s', file) === target
        ? [file]
        : [];
    }),
  );
}

const PAGES: Readonly<Record<string, string>> = {
  'guide/start.md': `# Start

See [setup](setup.md), [the API](../api/read.md#part "Read it") and [both][1] or [short].

> - [in a list](<in list.md>)
>   \`[no](code.md)\` but [\`yes\`](yes.md)

\`\`\`md
[no](fence.md)
\`\`\`

    [no](indented.md)

![image](image.png) <a href="html.md">here</a>

[1]: ../both.md
[short]: short.md 'Title'
`,
  'a b/odd.md': 'Text [x](%20y.md) \\[no](escaped.md) [z](../ä.md)\n',
};

it.each(Object.entries(PAGES))('finds in %s what a Markdown parser finds', (path, text) => {
  const wanted = linkedFiles(text, path);
  expect(wanted.size).toBeGreaterThan(1);
  expect([...wanted].filter((file) => !rowFiles(text, path).has(file))).toEqual([]);
});

const CORPORA = join(import.meta.dirname, '../../../shared/data/corpora');
const hasCorpora = existsSync(CORPORA);
if (!hasCorpora) console.warn('skipped: real pages are not beside this repository');

describe.skipIf(!hasCorpora)('pages of real documentation', () => {
  const corpora = ['ise-playbook', 'sourcegraph-handbook'];
  if (IS_LONG) corpora.push('rust-rfcs', 'kubernetes-keps');
  it.each(corpora)('%s', (name) => {
    const folder = join(CORPORA, name);
    const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
    const paths = new Set(pages.map(({ path }) => path));
    const missing: string[] = [];
    let links = 0;
    /** Edges to pages of the source that the parser does not see: of definitions that nothing uses. */
    let more = 0;
    for (const { path, text } of pages) {
      const wanted = linkedFiles(text, path);
      const found = rowFiles(text, path);
      links += wanted.size;
      for (const file of wanted) if (!found.has(file)) missing.push(`${path} -> ${file}`);
      for (const file of found) if (!wanted.has(file) && paths.has(file)) more++;
    }
    expect(links).toBeGreaterThan(20);
    expect(missing).toEqual([]);
    expect(more / links).toBeLessThan(0.01);
  });
});
