import { readFileSync } from 'node:fs';
import { seededRandom } from '../../src/evaluation/random.js';
import type { Detection, RedactionType } from '../../src/security/redaction/detection.js';
import type { LabelledText } from './score-detections.js';
import { NEAR_MISSES, type Random, VALUES } from './value-makers.js';

/** `dev` is what detectors are tuned on; no template of `test` was looked at while they were. */
export type Side = 'dev' | 'test';

const LINES_A_SIDE = 500;
const SEEDS: Readonly<Record<Side, number>> = { dev: 11, test: 12 };

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
  return Array.from({ length: LINES_A_SIDE }, (_, index) => ({
    id: `${side} ${index + 1}`,
    ...filled((templates[index % templates.length] ?? '').replaceAll('\\n', '\n'), random),
  }));
}

function filled(template: string, random: Random): { readonly text: string; readonly spans: Detection[] } {
  const spans: Detection[] = [];
  let text = '';
  let from = 0;
  for (const { index, 0: mark, 1: type, 2: kind } of template.matchAll(/⟦([A-Z_]+)⟧|⟪([A-Z_]+)⟫/g)) {
    text += template.slice(from, index);
    from = index + mark.length;
    if (type === undefined) text += NEAR_MISSES[kind ?? '']?.(random) ?? unknown(mark);
    else {
      const value = isType(type) ? VALUES[type](random) : unknown(mark);
      spans.push({ start: text.length, end: text.length + value.length, type: type as RedactionType });
      text += value;
    }
  }
  return { text: text + template.slice(from), spans };
}

const isType = (name: string): name is RedactionType => Object.hasOwn(VALUES, name);

function unknown(mark: string): never {
  throw new Error(`No such value: ${mark}`);
}
