import { readFileSync } from 'node:fs';
import { seededRandom } from '../../src/evaluation/random.js';
import type { Detection, RedactionType } from '../../src/platform/security/redaction/detection.js';
import type { LabelledText } from './score-detections.js';
import { NEAR_MISSES, type Random, VALUES, type ValueKind } from './value-makers.js';

/** Detectors are tuned on `seen`; templates of `unseen` were written before, and none was looked at while they were. */
export const SIDES = ['seen', 'unseen'] as const;
export type Side = (typeof SIDES)[number];

const LINES: Readonly<Record<Side, number>> = { seen: 700, unseen: 300 };
const SEEDS: Readonly<Record<Side, number>> = { seen: 11, unseen: 12 };

/**
 * Lines in ten languages and many formats: templates of the repository with values of a fixed seed. In a template `⟦TYPE⟧`
 * stands for a value that must be found, `⟪KIND⟫` for one that only looks like it; `\n` is a line end.
 */
export function generatedTexts(side: Side): LabelledText[] {
  const templates = readFileSync(
    new URL(`../../tests/fixtures/redaction/templates-${side}.txt`, import.meta.url),
    'utf8',
  )
    .trimEnd()
    .split('\n');
  const random = seededRandom(SEEDS[side]);
  return Array.from({ length: LINES[side] }, (_, index) => ({
    id: `${side} ${index + 1}`,
    ...filled((templates[index % templates.length] ?? '').replaceAll('\\n', '\n'), random),
  }));
}

function filled(template: string, random: Random): { readonly text: string; readonly spans: Detection[] } {
  const spans: Detection[] = [];
  let text = '';
  let from = 0;
  for (const { index, 0: mark, 1: type, 2: nearMiss } of template.matchAll(/⟦([A-Z_]+)⟧|⟪([A-Z_]+)⟫/g)) {
    text += template.slice(from, index);
    from = index + mark.length;
    if (type === undefined) text += NEAR_MISSES[nearMiss ?? '']?.(random) ?? unknown(mark);
    else {
      const kind = isKind(type) ? type : unknown(mark);
      const value = VALUES[kind](random);
      spans.push({ start: text.length, end: text.length + value.length, type: typeOf(kind) });
      text += value;
    }
  }
  return { text: text + template.slice(from), spans };
}

const isKind = (name: string): name is ValueKind => Object.hasOwn(VALUES, name);
const typeOf = (kind: ValueKind): RedactionType => (kind === 'AWS_SECRET' ? 'AWS_KEY' : kind);

function unknown(mark: string): never {
  throw new Error(`No such value: ${mark}`);
}
