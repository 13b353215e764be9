import * as z from 'zod';

/** Pages whose address on a site leaves the extension out. */
const PAGE = /\.(?:md|markdown|mdx|rst|adoc|asciidoc|html?|txt)$/i;
const INDEX = /(?:^|\/)(?:README|index|_index)$/i;
const PLACE = '{page}';

/** The setting of sources whose files are published as a site. */
export const siteUrl = z
  .string()
  .regex(/^https?:\/\/[^\s/]+/i, 'must be an address such as https://docs.example.com')
  .optional()
  .describe(
    "Address of the site that the files are published as: `a/b.md` and `a/b/index.md` become its page `a/b`, so that links to addresses of the site lead to the files. With `{page}` for the path without its extension, where pages are called otherwise: `https://docs.example.com/{page}.html`. A front matter's own `url` goes before it.",
  );

/** A setting with the address of what a document was, for people: of the web, and on no host that a document chooses. */
export const linkTemplate = (example: string) =>
  z
    .string()
    .regex(
      /^https?:\/\/[^\s/?#\\{}]+(?=[/?#]|$)/i,
      `must begin with https:// or http:// and a host, such as ${example}`,
    )
    .optional();

/** The address of a file on the site. */
export function pageAddress(site: string, path: string): string {
  const page = path.replace(PAGE, '').split('/').map(encodeURIComponent).join('/');
  if (site.includes(PLACE)) return site.replaceAll(PLACE, page);
  const base = site.replace(/\/+$/, '');
  const place = PAGE.test(path) ? page.replace(INDEX, '') : page;
  return place === '' ? `${base}/` : `${base}/${place}`;
}

/** The address as a fact of a document; a document's own goes before it. */
export const pageFacts = (site: string | undefined, path: string): { readonly url?: string } =>
  site === undefined ? {} : { url: pageAddress(site, path) };
