import type { Block, ParsedDocument, TextRange } from '../core/document.js';
import { type StatedField, statedFields } from '../parsing/markdown/front-matter.js';

/** Of what is taken out of texts: another one means that documents must be processed again. */
export const WITHHOLDING_VERSION = 1;

/** A text in which nothing is left of front matter. */
const FENCES_ONLY = /^[\s+.{}-]*$/;
/** A name may be written by it, in a text that could not be read. */
const ESCAPE = /\\[xu]/i;

/** Of a text what it states of marked fields. */
export interface WithheldText {
  /** The text without it, as long as it was: everything but line ends became spaces, so that offsets and lines stay. */
  readonly text: string;
  /** Where something was taken out. */
  readonly ranges: readonly TextRange[];
  /** Names of the fields that were stated there. */
  readonly fields: readonly string[];
  /** It could not be told what front matter states, and it names a marked field. */
  readonly isUnread: boolean;
}

/** Takes out of a text what its front matter states of marked fields; undefined where that is nothing. */
export function withholdText(text: string, marked: readonly string[]): WithheldText | undefined {
  if (marked.length === 0) return undefined;
  const found = statedFields(text).flatMap((field) => {
    const fields = fieldsOf(field, text, marked);
    // What was taken out before is no statement any more.
    const isBlank = text.slice(field.start, field.end).trim() === '';
    return fields.length === 0 || isBlank ? [] : [{ ...field, fields }];
  });
  if (found.length === 0) return undefined;
  const ranges = found.sort((a, b) => a.start - b.start);
  return {
    text: blanked(text, ranges),
    ranges,
    fields: [...new Set(found.flatMap(({ fields }) => fields))],
    isUnread: found.some(({ name }) => name === undefined),
  };
}

function fieldsOf({ name, start, end }: StatedField, text: string, marked: readonly string[]): string[] {
  if (name !== undefined) return marked.includes(name) ? [name] : [];
  const unread = text.slice(start, end);
  return ESCAPE.test(unread) ? [...marked] : marked.filter((field) => unread.includes(field));
}

/** A document without what its text states of marked fields; blocks of which nothing is left are dropped. */
export function withholdFields(parsed: ParsedDocument, marked: readonly string[]): ParsedDocument {
  const withheld = withholdText(parsed.text, marked);
  if (withheld === undefined) return parsed;
  const { text, ranges, isUnread } = withheld;
  const isTouched = ({ start, end }: Block): boolean =>
    ranges.some((range) => range.start < end && range.end > start);
  return {
    ...parsed,
    text,
    blocks: parsed.blocks.filter(
      (block) => !isTouched(block) || !isEmptied(text.slice(block.start, block.end)),
    ),
    warnings: isUnread ? [...parsed.warnings, UNREAD_WARNING] : parsed.warnings,
  };
}

/** Whether nothing but fences is left of a part of which something was taken out. */
export const isEmptied = (text: string): boolean => FENCES_ONLY.test(text);

const UNREAD_WARNING =
  'Front matter that could not be read names an encrypted field (`rag.security.encryption.fields`), and was left out of the text.';

/** @param ranges by their starts */
function blanked(text: string, ranges: readonly TextRange[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of ranges) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    parts.push(text.slice(at, from), text.slice(from, end).replace(/[^\r\n]/g, ' '));
    at = end;
  }
  return [...parts, text.slice(at)].join('');
}
