import { posix } from 'node:path';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import type { GoldQuote } from '../question-set.js';
import {
  isProse,
  proseAfter,
  quoteOf,
  type StarterDocument,
  type SuggestedQuestion,
} from './starter-document.js';

// Not an image; the text may hold no bracket, the target no space (a title may follow).
const LINK = /(?<!!)\[([^[\]]{3,120})\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g;
/** A link inside a code span is shown, not followed. */
const CODE_SPAN_WITH_LINK = /`[^`]*\]\([^`]*`/g;
/** Fewer words (`here`, `this page`) say nothing of the target. */
const MIN_TERMS = 2;
/** A text that points at its own surroundings means nothing away from them. */
const POINTS_AT_PLACE = /\b(?:here|above|below|this|these|following|linked|previous|next)\b/i;

/**
 * Link texts as questions for what they lead to: words that somebody else chose for a page, as a searcher would
 * (Craswell, Hawking and Robertson, SIGIR 2001). A text that leads to several places is left out.
 */
export function questionsFromLinks(documents: readonly StarterDocument[]): SuggestedQuestion[] {
  const byPath = new Map(documents.map((document) => [document.path, document]));
  const byText = new Map<string, { question: string; gold: GoldQuote | undefined; target: string }[]>();
  for (const document of documents) {
    for (const { text, target } of linksOf(document)) {
      const found = resolveTarget(document.path, target, byPath);
      if (found === undefined) continue;
      const key = analyzeText(text).join(' ');
      if (new Set(key.split(' ')).size < MIN_TERMS || POINTS_AT_PLACE.test(text)) continue;
      const entries = byText.get(key) ?? [];
      if (!entries.some((entry) => entry.target === found.target)) entries.push({ question: text, ...found });
      byText.set(key, entries);
    }
  }
  return [...byText.values()].flatMap(([only, ...others]) =>
    only?.gold === undefined || others.length > 0
      ? []
      : [{ type: 'link', question: only.question, gold: only.gold, alternates: [] }],
  );
}

function linksOf({ text, blocks }: StarterDocument): { text: string; target: string }[] {
  return blocks
    .filter((block) => isProse(block) || block.kind === 'table')
    .flatMap(({ start, end }) =>
      [...text.slice(start, end).replace(CODE_SPAN_WITH_LINK, '').matchAll(LINK)].map(
        ([, label = '', target = '']) => ({
          text: label.replace(/[*_`]/g, '').replace(/\s+/g, ' ').trim(),
          target,
        }),
      ),
    );
}

interface Target {
  readonly gold: GoldQuote | undefined;
  readonly target: string;
}

/** The passage that a relative link leads to; undefined for what leads elsewhere. */
function resolveTarget(
  from: string,
  link: string,
  byPath: ReadonlyMap<string, StarterDocument>,
): Target | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^#/i.test(link)) return undefined;
  const [file = '', anchor] = decoded(link).split('#');
  const path = file.startsWith('/') ? file.slice(1) : posix.normalize(posix.join(posix.dirname(from), file));
  const names = [path, `${path}.md`, posix.join(path, 'README.md'), posix.join(path, 'index.md')];
  const document = names.map((name) => byPath.get(name)).find((found) => found !== undefined);
  if (document === undefined || document.path === from) return undefined;
  return { gold: passageAt(document, anchor), target: `${document.path}#${anchor ?? ''}` };
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}

function passageAt(document: StarterDocument, anchor: string | undefined): GoldQuote | undefined {
  if (anchor !== undefined && anchor !== '') {
    const heading = document.blocks.findIndex(
      ({ kind, label }) =>
        kind === 'heading' && label !== undefined && slugOf(label) === anchor.toLowerCase(),
    );
    return heading < 0 ? undefined : proseAfter(document, heading);
  }
  const first = document.blocks.find(isProse);
  return first === undefined ? undefined : quoteOf(document, first);
}

/** The anchor that GitHub makes of a heading. */
const slugOf = (label: string): string =>
  label
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
