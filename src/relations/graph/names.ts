import { posix } from 'node:path';

/*
 * Names of the graph. Each says what kind of name it is, so that a path is never taken for a person. What is a name only within its source
 * carries the source.
 */

/** Longer ones are no names but data, and are left out. */
export const MAX_NAME = 1_000;

const within = (kind: string, source: string, name: string): string =>
  `${kind}:${JSON.stringify([source, name])}`;

/** A file or document of a source, by its path or id. */
export const pathName = (source: string, path: string): string => within('path', source, path);
/** The same for links that leave the extension out, or name the folder of an index page. */
export const pageName = (source: string, path: string): string => within('page', source, path);
/** The same for links between notes, by the end of its path or its title, without extension and whatever the case. */
export const noteName = (source: string, note: string): string =>
  within(
    'note',
    source,
    folded(withoutExtension(withoutEnd(note.replace(/^\/+/, ''), '/'))).replace(/_/g, ' '),
  );
/** A source file as other source files load it: without its extension. */
export const moduleName = (source: string, path: string): string => within('module', source, path);
/** The key of an item: `PAY-142`. Keys are one space over all sources of a tenant. */
export const keyName = (key: string): string => `key:${key.toUpperCase()}`;
/** An item by its number in its own source: `#142`. */
export const numberName = (source: string, number: string): string => within('number', source, number);
/** An item of Azure Boards by its number, as commits and pages of elsewhere write it: `AB#142`. */
export const boardsName = (number: string): string => `boards:${number}`;
export const personName = (person: string): string => `person:${folded(person)}`;
export const componentName = (component: string): string => `component:${folded(component)}`;

/** What facts name, by the key that its spellings have in common. */
export const entityName = (key: string): string => `${ENTITY}${key}`;
/** The key of such a name; undefined for any other one. */
export const entityKeyOf = (name: string): string | undefined =>
  name.startsWith(ENTITY) ? name.slice(ENTITY.length) : undefined;
const ENTITY = 'entity:';

/** A name that code defines, in whichever language and source of the tenant. */
export const symbolName = (symbol: string): string => `symbol:${symbol}`;
/** What was changed together, by the id of the commit. */
export const commitName = (commit: string): string => `commit:${commit}`;

/** A place in a page, by the name of the page. It says where in the page a link leads, and is no name of a document. */
export const sectionName = (page: string, heading: string): string =>
  `${SECTION}${sectionOf(heading)} ${page}`;

const SECTION = 'section:';

/** Undefined where a name is of no section. */
export function readSection(name: string): { readonly page: string; readonly section: string } | undefined {
  if (!name.startsWith(SECTION)) return undefined;
  const end = name.indexOf(' ');
  return { page: name.slice(end + 1), section: name.slice(SECTION.length, end) };
}

/** What the anchor of a heading is in all ways of writing it: its letters and digits. */
export const sectionOf = (heading: string): string =>
  heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');

const folded = (text: string): string => text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

/** A text without those of the characters that it ends with. A pattern for it would look at each run of them from each of its places. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** An address of the web, without what leads to a place inside of the page; undefined where it is none. */
export function urlName(address: string): string | undefined {
  if (address.length > MAX_NAME || !/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const { host, pathname, search } = new URL(address);
  return `url:${host}${withoutEnd(pathname, '/')}${search}`;
}

/** What a name of a shared node is called by people. */
export const labelOf = (name: string): string => name.slice(name.indexOf(':') + 1);

/** A key and nothing else: `PAY-142`. */
export const WHOLE_KEY = /^[A-Z][A-Z0-9]{1,9}-\d{1,7}$/i;

const EXTENSION = /\.[A-Za-z0-9]{1,10}$/;

export const withoutExtension = (path: string): string => path.replace(EXTENSION, '');

const INDEX_PAGE = /(?:^|\/)(?:README|index|_index)(?:\.[A-Za-z0-9]+)?$/i;

/** The folder of an index page; undefined for any other page. The one of the root is the empty text. */
export const folderOfIndex = (path: string): string | undefined =>
  INDEX_PAGE.test(path) ? path.replace(INDEX_PAGE, '') : undefined;

/** The path that a relative one means in a document; undefined where it leads out of the source. */
export function resolvePath(from: string, to: string): string | undefined {
  const path = to.startsWith('/') ? to.slice(1) : posix.join(posix.dirname(from), to);
  const plain = withoutEnd(posix.normalize(path), '/');
  if (plain === '..' || plain.startsWith('../')) return undefined;
  return plain === '.' ? '' : plain.replace(/^\/+/, '');
}
