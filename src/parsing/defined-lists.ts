import type { TextRange } from '../core/document.js';
import type { NamedPlace } from './named-places.js';

/** A line that defines a name as a list, a record, a text or a group, in most languages. */
const DEFINING = String.raw`^[ \t]*(?:(?:const|let|var|final|val|auto|my)[ \t]+)?[$@]?([\p{L}_][\p{L}\p{N}_]*)[ \t]*(?::[^=\n]{1,60})?:?=[ \t]*(?=[[("'\x60{])`;
/** The same without records. */
export const DEFINED_LIST = new RegExp(DEFINING.replace('{])', '])'), 'u');

/** Where names stand that are defined as something else that names a field. */
export const usesOf = (text: string, lists: ReadonlyMap<string, readonly string[]>): NamedPlace[] =>
  [...text.matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)].flatMap(({ 0: name, index }) => {
    const names = lists.get(name);
    return names === undefined ? [] : [{ start: index, end: index + name.length, names, isWorded: true }];
  });

/** Where names are defined as lists or texts, by these names. */
export function definitionsIn(text: string): Map<string, TextRange> {
  const found = new Map<string, TextRange>();
  for (const { 1: name = '', index, 0: all } of text.matchAll(new RegExp(DEFINING, 'gmu')))
    found.set(name, { start: index, end: index + all.length });
  return found;
}
