import { MEDIA_TYPES } from '../core/media-types.js';
import type { StatedFields } from './markdown/stated-names.js';

/** Attributes of AsciiDoc, with the lines that a backslash or plus goes on to. */
const ATTRIBUTE = /^:!?(?<name>[\w-]+)!?:.*?(?:[ \t][\\+][ \t]*(?:\r\n|\r|\n).*?)*$/gm;
/** Substitutions of reStructuredText, with the lines below that are indented more. */
const SUBSTITUTION =
  /^([^\S\r\n]*)\.\. \|(?<name>[^|\r\n]+)\| replace::.*(?:(?:\r\n|\r|\n)\1[^\S\r\n]+\S.*)*/gm;

const DEFINITIONS: ReadonlyMap<string, RegExp> = new Map([
  [MEDIA_TYPES.asciidoc, ATTRIBUTE],
  [MEDIA_TYPES.rst, SUBSTITUTION],
]);

/** Where a text defines a field as a name that its sentences are filled in from. Case of letters is of no account there. */
export function definedFields(text: string, mediaType: string, names: readonly string[]): StatedFields[] {
  const definition = DEFINITIONS.get(mediaType);
  if (definition === undefined) return [];
  return [...text.matchAll(definition)].flatMap(({ 0: lines, groups, index }) => {
    const defined = groups?.name?.trim().toLowerCase();
    const found = names.filter((name) => name.toLowerCase() === defined);
    return found.length === 0 ? [] : [{ start: index, end: index + lines.length, names: found }];
  });
}
