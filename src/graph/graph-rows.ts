import { compareText } from '../core/filter.js';
import { itemIdsOf } from '../core/item-id.js';
import type { Metadata } from '../core/metadata.js';
import type { GraphReference, GraphRows } from './graph.js';
import {
  boardsName,
  folderOfIndex,
  keyName,
  MAX_NAME,
  moduleName,
  numberName,
  pageName,
  pathName,
  urlName,
  WHOLE_KEY,
  withoutExtension,
} from './names.js';
import { importsOf, isModule } from './references/imports.js';
import { linksOf } from './references/links.js';
import { mentionsOf } from './references/mentions.js';
import { relationsOf } from './references/relations.js';
import { sharedOf } from './references/shared.js';

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
const MAX_REFERENCES = 10_000;

/** Names and references of a document. Pure. */
export function graphRowsOf(document: GraphDocument): GraphRows {
  const { source, metadata, text, title = '' } = document;
  const place = { source, path: pathOf(document) };
  const names = distinct(namesOf(document)).sort(compareText);
  const own = new Set(names);
  const found = [
    ...(isModule(place.path) ? importsOf(text, place) : linksOf(text, place)),
    ...mentionsOf(`${title}\n${text}`, source),
    ...relationsOf(metadata, place),
    ...sharedOf(metadata),
  ].filter(({ target }) => target.length <= MAX_NAME && !own.has(target));
  return { names, references: distinctReferences(found) };
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
    ...(isModule(path) ? modulesOf(path).map((module) => moduleName(source, module)) : []),
    ...keys.map(keyName),
    ...numbers.map((number) => numberName(source, number)),
    ...(typeof metadata.workItemId === 'number' ? [boardsName(String(metadata.workItemId))] : []),
    ...(url === undefined ? [] : [url]),
  ].filter((name) => name.length <= MAX_NAME);
}

/** A package is loaded by the name of its folder. */
function modulesOf(path: string): string[] {
  const module = withoutExtension(path);
  const folder = module.replace(/(?:^|\/)(?:index|__init__)$/, '');
  return folder === module || folder === '' ? [module] : [module, folder];
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

function distinctReferences(references: readonly GraphReference[]): GraphReference[] {
  const byKey = new Map(references.map((reference) => [`${reference.kind} ${reference.target}`, reference]));
  return [...byKey.values()]
    .slice(0, MAX_REFERENCES)
    .sort((a, b) => compareText(a.kind, b.kind) || compareText(a.target, b.target));
}
