import { compareText } from '../../core/filter.js';
import { itemIdsOf } from '../../core/item-id.js';
import type { Metadata, MetadataValue } from '../../core/metadata.js';
import type { GraphReference, GraphRows } from './graph.js';
import {
  boardsName,
  folderOfIndex,
  keyName,
  MAX_NAME,
  moduleName,
  noteName,
  numberName,
  pageName,
  pathName,
  readSection,
  resolvePath,
  symbolName,
  urlName,
  WHOLE_KEY,
  withoutExtension,
} from './names.js';
import { importsOf, isModule } from './references/imports.js';
import { linksOf } from './references/links.js';
import { sharedOf } from './references/shared.js';
import { codePartsOf, definedIn, hasDefinitions, symbolsNamedIn } from './references/symbols.js';

/** What the ledger keeps of a document: the rows depend on nothing else, so that they can be made again at any time. */
export interface GraphDocument {
  readonly source: string;
  readonly externalId: string;
  readonly title?: string | undefined;
  /** As it is stored: what is encrypted of it names nobody. */
  readonly metadata: Metadata;
  readonly text: string;
}

/** Of more, the rows of one document would weigh more than its chunks: a hostile text. */
export const MAX_REFERENCES = 10_000;
/** Of more, a file that defines them is generated or data. */
const MAX_SYMBOLS = 2_000;

export interface MadeGraphRows extends GraphRows {
  /** What was left out, in words; undefined where everything is there. */
  readonly cut?: string | undefined;
}

/** Names and references of a document. Pure. */
export function graphRowsOf(document: GraphDocument): MadeGraphRows {
  const path = pathOf(document);
  const symbols = distinct(definedIn(document.text, path));
  const names = distinct([...namesOf(document), ...symbols.slice(0, MAX_SYMBOLS).map(symbolName)]).sort(
    compareText,
  );
  const own = new Set(names);
  const references = distinctReferences(
    referencesOf(document, path).filter(
      ({ target }) => target.length <= MAX_NAME && !own.has(readSection(target)?.page ?? target),
    ),
  );
  const cut = cutOf(references.length, symbols.length);
  return {
    names,
    references: references
      .slice(0, MAX_REFERENCES)
      .sort((a, b) => compareText(a.kind, b.kind) || compareText(a.target, b.target)),
    ...(cut === undefined ? {} : { cut }),
  };
}

function cutOf(references: number, symbols: number): string | undefined {
  const cuts = [
    ...(references > MAX_REFERENCES
      ? [`the first ${MAX_REFERENCES} of ${references} things that it refers to`]
      : []),
    ...(symbols > MAX_SYMBOLS ? [`the first ${MAX_SYMBOLS} of ${symbols} names that it defines`] : []),
  ];
  return cuts.length === 0 ? undefined : `The graph keeps ${cuts.join(', and ')}.`;
}

function referencesOf(document: GraphDocument, path: string): GraphReference[] {
  const { source, metadata, text, title = '' } = document;
  const place = { source, path };
  return [
    ...inText(text, place),
    ...mentionsOf(`${title}\n${text}`, source),
    ...relationsOf(metadata, place),
    ...sharedOf(metadata),
  ];
}

/** Source files are many, and full of names: imports say more of less. */
function inText(text: string, place: { readonly source: string; readonly path: string }): GraphReference[] {
  if (isModule(place.path)) return importsOf(text, place);
  const parts = codePartsOf(text);
  return [...linksOf(parts.prose, place), ...(hasDefinitions(place.path) ? [] : symbolsNamedIn(parts))];
}

/** Where a document is in its source: the path before the item that a file holds. */
const pathOf = ({ externalId, metadata: { source } }: GraphDocument): string =>
  (typeof source === 'string' && source !== '' ? source : externalId).replace(/#.*$/, '');

function namesOf(document: GraphDocument): string[] {
  const { source, externalId, metadata } = document;
  const path = pathOf(document);
  const ids = [externalId, externalId.slice(externalId.lastIndexOf('#') + 1), ...itemIdsOf(metadata)];
  // A file may be called by the key of its item.
  const keys = [...ids, withoutExtension(path.slice(path.lastIndexOf('/') + 1))].filter((id) =>
    WHOLE_KEY.test(id),
  );
  const numbers = ids.filter((id) => /^\d{1,9}$/.test(id));
  const folder = folderOfIndex(path);
  const url = typeof metadata.url === 'string' ? urlName(metadata.url) : undefined;
  return [
    pathName(source, externalId),
    pathName(source, path),
    pageName(source, withoutExtension(path)),
    ...(folder === undefined ? [] : [pageName(source, folder)]),
    ...notesOf(document, path).map((note) => noteName(source, note)),
    ...(isModule(path) ? modulesOf(path).map((module) => moduleName(source, module)) : []),
    ...keys.map(keyName),
    ...numbers.map((number) => numberName(source, number)),
    ...(typeof metadata.workItemId === 'number' ? [boardsName(String(metadata.workItemId))] : []),
    ...(url === undefined ? [] : [url]),
  ].filter((name) => name.length <= MAX_NAME);
}

/** Names under which notes link to a page: the ends of its path, its title, and the aliases that it states. */
function notesOf({ title, metadata }: GraphDocument, path: string): string[] {
  if (!NOTE_PATH.test(path)) return [];
  const parts = path.split('/').slice(-MOST_PARTS);
  const ends = parts.map((_, at) => parts.slice(at).join('/'));
  const { aliases } = metadata;
  const stated: readonly unknown[] = Array.isArray(aliases) ? aliases : [aliases];
  return [...ends, title, ...stated.slice(0, MOST_ALIASES)].filter(
    (name) => typeof name === 'string' && name !== '',
  ) as string[];
}

/** Of Markdown, Org mode or plain text; what a program pushed may have no extension. */
const NOTE_PATH = /\.(?:md|mdx|markdown|qmd|rmd|org|txt)$|(?:^|\/)[^./]+$/i;
const MOST_PARTS = 4;
const MOST_ALIASES = 20;

/** A package is loaded by the name of its folder. */
function modulesOf(path: string): string[] {
  const module = withoutExtension(path);
  const folder = module.replace(/(?:^|\/)(?:index|__init__)$/, '');
  return folder === module || folder === '' ? [module] : [module, folder];
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

const distinctReferences = (references: readonly GraphReference[]): GraphReference[] => [
  ...new Map(references.map((reference) => [`${reference.kind} ${reference.target}`, reference])).values(),
];

const KEY = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9]{1,9}-\d{1,7}(?![A-Za-z0-9_])/g;
const NUMBER = /(?<![\w&/])(AB)?#(\d{1,9})(?![\w-])/g;

/** Keys (`PAY-142`) and numbers (`#142`, `AB#142`) of items that a text names. A key that no item has is an edge to nothing. */
function mentionsOf(text: string, source: string): GraphReference[] {
  const keys = Array.from(text.matchAll(KEY), ([key]) => keyName(key));
  const numbers = Array.from(text.matchAll(NUMBER), ([, boards, number = '']) =>
    boards === undefined ? numberName(source, number) : boardsName(number),
  );
  return [...keys, ...numbers].map((target) => ({ kind: 'mention', target }));
}

/** Metadata fields whose values name other items, as trackers and their exports call them; compared without case, `_` and `-`. */
const FIELDS: ReadonlySet<string> = new Set([
  'parent',
  'parentid',
  'epic',
  'epicid',
  'epiclink',
  'children',
  'links',
  'issuelinks',
  'relations',
  'related',
  'relatedto',
  'relateditems',
  'dependson',
  'dependencies',
  'blocks',
  'blockedby',
  'duplicates',
  'duplicateof',
  'supersedes',
  'supersededby',
]);

/** Fields of an object that says more than whose item it is. */
const IDS = ['key', 'id', 'target', 'url', 'path'];

/** Items that metadata names as related: by key, number, path or address. */
function relationsOf(
  metadata: Metadata,
  { source, path }: { readonly source: string; readonly path: string },
): GraphReference[] {
  const values = Object.entries(metadata).flatMap(([field, value]) =>
    FIELDS.has(field.toLowerCase().replace(/[_-]/g, '')) ? identitiesIn(value) : [],
  );
  return values
    .flatMap((value) => namesOfItem(value.trim(), { source, path }))
    .map((target) => ({ kind: 'relation', target }));
}

function identitiesIn(value: MetadataValue): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap((entry: MetadataValue) => identitiesIn(entry));
  if (typeof value !== 'object' || value === null) return [];
  const entries = value as Metadata;
  return IDS.flatMap((id) => (entries[id] === undefined ? [] : identitiesIn(entries[id])));
}

function namesOfItem(
  value: string,
  { source, path }: { readonly source: string; readonly path: string },
): string[] {
  if (WHOLE_KEY.test(value)) return [keyName(value), pathName(source, value)];
  const number = /^#?(\d{1,9})$/.exec(value)?.[1];
  if (number !== undefined) return [numberName(source, number)];
  const url = urlName(value);
  if (url !== undefined) return [url];
  const resolved = value === '' || value.length > 300 ? undefined : resolvePath(path, value);
  // An id as it is, and a path beside the document.
  return resolved === undefined ? [] : [...new Set([pathName(source, value), pathName(source, resolved)])];
}
