import { detectSensitive } from '../../src/platform/security/redaction/detect.js';
import {
  type Detection,
  REDACTION_TYPES,
  type RedactionType,
} from '../../src/platform/security/redaction/detection.js';

/** A text with the values in it. */
export interface LabelledText {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly Detection[];
}

/** Exact matches of one type: start, end and type all right. */
export interface TypeScore {
  readonly type: RedactionType;
  readonly found: number;
  readonly missed: number;
  readonly wrong: number;
  /** Share of what was marked that is right; 1 where nothing was marked. */
  readonly precision: number;
  /** Share of the labels that were found; 1 where there are none. */
  readonly recall: number;
}

/** Precision and recall by type over labelled texts. */
export function scoreDetections(texts: readonly LabelledText[]): TypeScore[] {
  const all = new Set(REDACTION_TYPES);
  const pairs = texts.map(({ text, spans }) => ({
    expected: new Set(spans.map(keyOf)),
    actual: detectSensitive(text, all),
    spans,
  }));
  return REDACTION_TYPES.map((type) => {
    let found = 0;
    let wrong = 0;
    let labels = 0;
    for (const { expected, actual, spans } of pairs) {
      labels += spans.filter((span) => span.type === type).length;
      for (const detection of actual.filter((span) => span.type === type))
        if (expected.has(keyOf(detection))) found += 1;
        else wrong += 1;
    }
    return {
      type,
      found,
      wrong,
      missed: labels - found,
      precision: share(found, found + wrong),
      recall: share(found, labels),
    };
  });
}

const keyOf = ({ start, end, type }: Detection): string => `${start}-${end}-${type}`;
const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);
