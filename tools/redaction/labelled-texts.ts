import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Detection, RedactionType } from '../../src/platform/security/redaction/detection.js';
import type { LabelledText } from './score-detections.js';

/** Labelled lines beside the repository; another file of the same form may be named. */
export const LABELLED_LINES = fileURLToPath(
  new URL('../../../shared/data/redaction/redaction-dev.jsonl.gz', import.meta.url),
);
const MARKED_LINES = new URL('../../tests/fixtures/redaction/marked-lines.txt', import.meta.url);

/** JSON lines of `{id, text, spans}`, packed or not; undefined where there is no such file. */
export function readLabelledLines(path = LABELLED_LINES): LabelledText[] | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): LabelledText => JSON.parse(line));
}

/**
 * This repository's own variants, one a line, values marked as `⟦TYPE:value⟧`. A `~` inside tokens is taken out: with it
 * no scanner of secrets takes the file for a leak.
 */
export function readMarkedLines(): LabelledText[] {
  return readFileSync(MARKED_LINES, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line, index) => ({ id: `line ${index + 1}`, ...parseMarked(line.replaceAll('~', '')) }));
}

function parseMarked(line: string): { readonly text: string; readonly spans: Detection[] } {
  const spans: Detection[] = [];
  let text = '';
  let from = 0;
  for (const { index, 0: mark, 1: type, 2: value = '' } of line.matchAll(/⟦([A-Z_]+):([^⟧]*)⟧/g)) {
    text += line.slice(from, index);
    spans.push({ start: text.length, end: text.length + value.length, type: type as RedactionType });
    text += value;
    from = index + mark.length;
  }
  return { text: text + line.slice(from), spans };
}
