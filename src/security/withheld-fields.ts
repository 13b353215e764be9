import type { Block, ParsedDocument, StatedField, TextRange } from '../core/document.js';

/** Of what is taken out of texts: another one means that documents must be processed again. */
export const WITHHOLDING_VERSION = 1;

/** A text in which nothing else may be left of front matter. */
const FENCES_ONLY = /^[\s+.-]*$/;

/**
 * A document without what its text says of marked fields. Everything but line ends becomes a space, so that offsets and lines stay those of the
 * file; blocks of which nothing is left are dropped. Where it could not be told which fields the text states, all of that part is taken out.
 *
 * @returns the very document where its text states none of them
 */
export function withholdFields(parsed: ParsedDocument, marked: readonly string[]): ParsedDocument {
  const ranges = rangesOf(parsed.statedFields ?? [], marked);
  if (ranges.length === 0) return parsed;
  const text = blanked(parsed.text, ranges);
  const isTouched = ({ start, end }: Block): boolean =>
    ranges.some((range) => range.start < end && range.end > start);
  const isUnread = (parsed.statedFields ?? []).some(({ name }) => name === undefined);
  return {
    ...parsed,
    text,
    blocks: parsed.blocks.filter(
      (block) => !isTouched(block) || !FENCES_ONLY.test(text.slice(block.start, block.end)),
    ),
    warnings: isUnread ? [...parsed.warnings, UNREAD_WARNING] : parsed.warnings,
  };
}

const UNREAD_WARNING =
  'Front matter that could not be read is left out, because fields are encrypted (`rag.security.encryption.fields`) and it may state one.';

/** Names of the marked fields that the text of a document states. */
export function statedOf(fields: readonly StatedField[], marked: readonly string[]): string[] {
  return [
    ...new Set(fields.flatMap(({ name }) => (name !== undefined && marked.includes(name) ? [name] : []))),
  ];
}

const rangesOf = (fields: readonly StatedField[], marked: readonly string[]): StatedField[] =>
  marked.length === 0
    ? []
    : fields
        .filter(({ name }) => name === undefined || marked.includes(name))
        .sort((a, b) => a.start - b.start);

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
