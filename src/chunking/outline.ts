import { extractIdentifiers } from '../core/analysis/identifiers.js';
import type { Block, ParsedDocument, TextRange } from '../core/document.js';
import { lastAtOrBefore } from '../core/last-at-or-before.js';

/** A heading (or the start of the document) and what stands below it, up to the next heading of any level. */
export interface Section extends TextRange {
  /** Indexes into `Outline.labels` of the headings above, outermost first, its own included. */
  readonly headings: readonly number[];
  /** Something stands below the heading. */
  readonly hasBody: boolean;
  readonly bodyStart: number;
}

export interface Outline {
  readonly sections: readonly Section[];
  /** Text of each heading, in document order. */
  readonly labels: readonly string[];
}

/** The sections of a document in order. */
export function outlineOf({ text, blocks }: ParsedDocument): Outline {
  const headings = blocks.filter((block) => block.kind === 'heading');
  const stack: { readonly index: number; readonly level: number }[] = [];
  const preamble = { start: 0, end: headings[0]?.start ?? text.length, bodyStart: 0, headings: [] };
  const sections: Section[] = [{ ...preamble, hasBody: hasText(text, preamble) }];
  for (const [index, heading] of headings.entries()) {
    const level = heading.level ?? 1;
    while ((stack.at(-1)?.level ?? 0) >= level) stack.pop();
    stack.push({ index, level });
    const body = { start: heading.end, end: headings[index + 1]?.start ?? text.length };
    sections.push({
      start: heading.start,
      end: body.end,
      bodyStart: heading.end,
      headings: stack.map((entry) => entry.index),
      hasBody: hasText(text, body),
    });
  }
  return { sections, labels: headings.map((heading: Block) => heading.label ?? '') };
}

const hasText = (text: string, { start, end }: TextRange): boolean => {
  for (let index = start; index < end; index += 1) if (/\S/.test(text.charAt(index))) return true;
  return false;
};

/** How many headings two sections share, from the outermost on. */
export function sharedHeadings(left: readonly number[], right: readonly number[]): number {
  let count = 0;
  while (count < left.length && left[count] === right[count]) count += 1;
  return count;
}

/**
 * Headings above a range: those that every section with text in it shares. A heading whose own text lies in the range
 * but whose section has none there counts only where nothing else does.
 *
 * @returns indexes into `Outline.labels`
 */
export function headingsOf({ sections }: Outline, range: TextRange): readonly number[] {
  let bodies: readonly number[] | undefined;
  let all: readonly number[] | undefined;
  for (let index = sectionAt(sections, range.start); index < sections.length; index += 1) {
    const section = sections[index];
    if (section === undefined || section.start >= range.end) break;
    all = common(all, section.headings);
    const hasBodyInside = section.hasBody && section.bodyStart < range.end && section.end > range.start;
    if (hasBodyInside) bodies = common(bodies, section.headings);
    if (bodies?.length === 0) break;
  }
  return bodies ?? all ?? [];
}

const common = (left: readonly number[] | undefined, right: readonly number[]): readonly number[] =>
  left === undefined ? right : left.slice(0, sharedHeadings(left, right));

/** Index of the section that holds an offset. */
const sectionAt = (sections: readonly Section[], offset: number): number =>
  lastAtOrBefore(sections, offset, ({ start }) => start);

/** Labels of headings as a chunk carries them: without empty ones, and without the title where it opens the path. */
export function headingPathOf(
  { labels }: Outline,
  headings: readonly number[],
  title: string | undefined,
): string[] {
  const path = headings.map((index) => labels[index]?.trim() ?? '').filter((label) => label !== '');
  const repeatsTitle = title !== undefined && path[0]?.toLowerCase() === title.trim().toLowerCase();
  return repeatsTitle ? path.slice(1) : path;
}

/** Words before a name in a heading of a reference: `class Session`. */
const KIND =
  /^(?:abstract |async |static )*(?:attribute|class|command|constant|data|directive|enum|env(?:var)?|event|exception|function|interface|method|module|option|property|setting|type|variable)\s+/i;
/** One name, in backticks or not, with what follows a name in a signature. */
const NAMED = /^[`*]*([\w$@][\w$.:#/@-]*[\w$])[`*]*\s*(?:[([<:=].*)?$/s;

/**
 * Names that the headings in a range define, as references have them: a heading that is nothing but an identifier, with its kind and
 * signature or without (`maxRetries`, `class Session`, `client.requestStream(options)`).
 */
export function namesHeadedIn({ sections, labels }: Outline, range: TextRange): string[] {
  const names: string[] = [];
  // The first section is what stands above all headings.
  for (let index = Math.max(1, sectionAt(sections, range.start)); index < sections.length; index += 1) {
    const section = sections[index];
    if (section === undefined || section.start >= range.end) break;
    const name = section.start < range.start ? undefined : nameIn(labels[index - 1] ?? '');
    if (name !== undefined) names.push(name);
  }
  return names;
}

function nameIn(label: string): string | undefined {
  const name = NAMED.exec(label.trim().replace(KIND, ''))?.[1];
  return name !== undefined && extractIdentifiers(name).includes(name.toLowerCase()) ? name : undefined;
}
