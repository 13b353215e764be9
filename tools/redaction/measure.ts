// Precision and recall of redaction by type, and its speed: npm run bench:redaction [-- FILE.jsonl[.gz]]
import { detectSensitive } from '../../src/platform/security/redaction/detect.js';
import { REDACTION_TYPES } from '../../src/platform/security/redaction/detection.js';
import { generatedTexts, SIDES } from './generated-texts.js';
import { LABELLED_LINES, readLabelledLines, readMarkedLines } from './labelled-texts.js';
import { type LabelledText, scoreDetections } from './score-detections.js';

const FLOOR = 0.95;
const SPEED_TEXT_LENGTH = 4_000_000;

function report(name: string, texts: readonly LabelledText[]): boolean {
  const scores = scoreDetections(texts);
  console.log(
    `\n${name}: ${texts.length} texts\n${'type'.padEnd(14)} precision  recall  found  missed  wrong`,
  );
  for (const { type, precision, recall, found, missed, wrong } of scores)
    console.log(
      `${type.padEnd(14)} ${precision.toFixed(3).padStart(9)} ${recall.toFixed(3).padStart(7)} ${String(found).padStart(6)} ${String(missed).padStart(7)} ${String(wrong).padStart(6)}`,
    );
  return scores.every(({ precision, recall }) => precision >= FLOOR && recall >= FLOOR);
}

/** Megabytes of UTF-16 text as UTF-8 in a second, over the texts repeated in order. */
function speedOf(texts: readonly LabelledText[]): string {
  const once = texts.map(({ text }) => text).join('\n\n');
  const text = once.repeat(Math.ceil(SPEED_TEXT_LENGTH / once.length));
  const all = new Set(REDACTION_TYPES);
  detectSensitive(once, all);
  // Processor time: what else the machine does must not count.
  const before = process.cpuUsage();
  const found = detectSensitive(text, all).length;
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const megabytes = Buffer.byteLength(text) / 1e6;
  return `${megabytes.toFixed(1)} MB with ${found} values in ${seconds.toFixed(2)} s: ${(megabytes / seconds).toFixed(1)} MB/s`;
}

const path = process.argv[2] ?? LABELLED_LINES;
const labelled = readLabelledLines(path);
const marked = readMarkedLines();
let isGood = report('variants of this repository', marked);
for (const side of SIDES) isGood = report(`generated lines, ${side} side`, generatedTexts(side)) && isGood;
if (labelled === undefined)
  console.log(`\n${path} is not there; only the repository's own variants were measured.`);
else isGood = report(path, labelled) && isGood;
console.log(`\nspeed: ${speedOf(labelled ?? marked)}`);
process.exitCode = isGood ? 0 : 1;
