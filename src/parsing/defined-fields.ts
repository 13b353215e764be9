import { MEDIA_TYPES } from '../core/media-types.js';
import type { StatedFields } from './markdown/stated-names.js';

/** Attributes of AsciiDoc, with the lines that a backslash goes on to. */
const ATTRIBUTE = /^:!?([\w-]+)!?:.*?(?:[ \t]\\\r?\n.*?)*$/gm;
/** Substitutions of reStructuredText, with the lines below that are indented. */
const SUBSTITUTION = /^\.\. \|([^|\n]+)\| replace::.*(?:\r?\n[ \t]+\S.*)*/gm;

const DEFINITIONS: ReadonlyMap<string, RegExp> = new Map([
  [MEDIA_TYPES.asciidoc, ATTRIBUTE],
  [MEDIA_TYPES.rst, SUBSTITUTION],
]);

/** Where a text defines a field as a name that its sentences are filled in from. Case of letters is of no account there. */
export function definedFields(text: string, mediaType: string, names: readonly string[]): StatedFields[] {
  const definition = DEFINITIONS.get(mediaType);
  if (definition === undefined) return [];
  return [...text.matchAll(definition)].flatMap(({ 0: lines, 1: defined = '', index }) => {
    const found = names.filter((name) => name.toLowerCase() === defined.trim().toLowerCase());
    return found.length === 0 ? [] : [{ start: index, end: index + lines.length, names: found }];
  });
}
