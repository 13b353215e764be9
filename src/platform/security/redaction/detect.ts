import type { TextRange } from '../../../core/document.js';
import { partitionPoint } from '../../../core/partition-point.js';
import { breaks, isBreakable, isBrokenToken, withBreaks } from './breaks.js';
import type { Detection, Detector, RedactionType } from './detection.js';
import { detectAssignedSecrets } from './detectors/assigned-secret.js';
import { detectAwsSecrets } from './detectors/aws-secret.js';
import { detectEmails } from './detectors/email.js';
import { detectIbans } from './detectors/iban.js';
import { detectIpAddresses } from './detectors/ip-address.js';
import { detectJwts } from './detectors/jwt.js';
import { detectNationalIds } from './detectors/national-id.js';
import { detectPaymentCards } from './detectors/payment-card.js';
import { detectPhones, isWholePhone } from './detectors/phone.js';
import { detectPrivateKeys } from './detectors/private-key.js';
import { detectUrlPasswords } from './detectors/url-password.js';
import { detectVendorTokens } from './detectors/vendor-tokens.js';
import { digitRuns } from './digit-runs.js';
import { dressings } from './dressings.js';
import { type Rewriting, rewrittenTexts } from './rewritten-text.js';

/** Raise it whenever a document is redacted otherwise than before: documents are then processed again. */
export const REDACTION_VERSION = 13;

/** The surest first: where two of them claim the same characters, the earlier one keeps them. */
const DETECTORS: readonly Detector[] = [
  detectPrivateKeys,
  detectJwts,
  detectVendorTokens,
  detectAwsSecrets,
  detectUrlPasswords,
  detectAssignedSecrets,
  detectEmails,
  detectIbans,
  detectPaymentCards,
  detectNationalIds,
  detectIpAddresses,
  detectPhones,
];
/** The first of them, whose values may be longer than the stretches around what is rewritten. */
const OF_LONG_VALUES = DETECTORS.slice(0, 2);
const MAY_BE_LONG = /eyJ|-{4}/;

/**
 * Personal data and secrets in a text, in order, not overlapping: as it is written, as it is read where it is dressed up, and
 * over the ends of lines and cells. All detectors run whatever is asked for, so that a value which is of one type is never
 * taken for another.
 */
export function detectSensitive(text: string, types: ReadonlySet<RedactionType>): Detection[] {
  const dressed = dressings(text);
  const broken = breaks(text);
  const found = [...detectAll(text), ...detectRewritten(text, dressed, dressed)].sort(byStart);
  const over = detectRewritten(text, withBreaks(dressed, broken), broken).filter((detection) =>
    isBreakable(text, detection),
  );
  const all = [
    ...found,
    ...withoutContinued(
      over,
      found.filter((known) => isComplete(text, known)),
    ),
  ].sort(byStart);
  return groupsThatOverlap(all)
    .flatMap(withoutOverlaps)
    .filter(({ type }) => types.has(type))
    .map(({ start, end, type }) => ({ start, end, type }));
}

function detectAll(text: string, detectors = DETECTORS): RankedDetection[] {
  const runs = detectors === DETECTORS ? digitRuns(text) : [];
  return detectors.flatMap((detect, rank) => Array.from(detect(text, runs), (found) => ({ ...found, rank })));
}

/** What is found around rewritings and goes over one of `places`, as ranges of the text itself. */
function detectRewritten(
  text: string,
  rewritings: readonly Rewriting[],
  places: readonly TextRange[],
): RankedDetection[] {
  const found: RankedDetection[] = [];
  const stretches = [
    ...Array.from(rewrittenTexts(text, rewritings), (stretch) => ({ stretch, detectors: DETECTORS })),
    ...Array.from(MAY_BE_LONG.test(text) ? rewrittenTexts(text, rewritings, Infinity) : [], (stretch) => ({
      stretch,
      detectors: OF_LONG_VALUES,
    })),
  ];
  for (const { stretch, detectors } of stretches) {
    if (!holdsOne(stretch.range, places)) continue;
    for (const detection of detectAll(stretch.text, detectors)) {
      const range = stretch.origin(detection);
      // What the end of a stretch cuts is no value.
      const isWhole =
        (detection.start > 0 || stretch.range.start === 0) &&
        (detection.end < stretch.text.length || stretch.range.end === text.length);
      if (isWhole && holdsOne({ start: range.start - NAME_REACH, end: range.end + 1 }, places))
        found.push({ ...detection, ...range });
    }
  }
  return found;
}

/** What stands so near before a value, its quote or the sign between its name and it, tells of it, too. */
const NAME_REACH = 8;

/** Whether one of `places`, which are in order, is in a range. */
function holdsOne({ start, end }: TextRange, places: readonly TextRange[]): boolean {
  const place = places[partitionPoint(places.length, (at) => (places[at]?.start ?? 0) < start)];
  return place !== undefined && place.end <= end;
}

/**
 * Of what goes over a break, all but what was found on one line, from there or before: what joins it to the next line is the
 * text that follows.
 */
function withoutContinued(
  over: readonly RankedDetection[],
  found: readonly RankedDetection[],
): RankedDetection[] {
  const ends = new Map<RedactionType, number>();
  let next = 0;
  return over.toSorted(byStart).filter(({ start, type }) => {
    for (let known = found[next]; known !== undefined && known.start <= start; known = found[next]) {
      ends.set(known.type, Math.max(known.end, ends.get(known.type) ?? 0));
      next += 1;
    }
    return (ends.get(type) ?? 0) <= start;
  });
}

/** A number with a country code, and the signature of a token, may lack what stands on the next line. */
const isComplete = (text: string, { type, start, end }: Detection): boolean =>
  type === 'JWT'
    ? !isBrokenToken(text, { start, end })
    : type !== 'PHONE' || !text.startsWith('+', start) || isWholePhone(text.slice(start, end));

/** The longer first where two begin together. */
const byStart = (a: Detection, b: Detection): number => a.start - b.start || b.end - a.end;

interface RankedDetection extends Detection {
  /** That of its detector: the lower one keeps what two claim. */
  readonly rank: number;
}

/** Detections in order, cut where none reaches over. */
function groupsThatOverlap(detections: readonly RankedDetection[]): RankedDetection[][] {
  const groups: RankedDetection[][] = [];
  let end = 0;
  for (const detection of detections) {
    if (detection.start >= end) groups.push([]);
    groups.at(-1)?.push(detection);
    end = Math.max(end, detection.end);
  }
  return groups;
}

/** Detector after detector, what overlaps nothing before it. */
function withoutOverlaps(group: readonly RankedDetection[]): readonly RankedDetection[] {
  if (group.length === 1) return group;
  let taken: readonly RankedDetection[] = [];
  for (let rank = 0; rank < DETECTORS.length; rank += 1)
    taken = mergeFree(
      taken,
      group.filter((detection) => detection.rank === rank),
    );
  return taken;
}

/** Both in order; of `added`, what overlaps nothing before it. */
function mergeFree(
  taken: readonly RankedDetection[],
  added: readonly RankedDetection[],
): readonly RankedDetection[] {
  if (added.length === 0) return taken;
  const merged: RankedDetection[] = [];
  let next = 0;
  for (const detection of added) {
    for (; next < taken.length; next += 1) {
      const other = taken[next];
      if (other === undefined || other.start >= detection.end) break;
      merged.push(other);
    }
    if (detection.start >= (merged.at(-1)?.end ?? 0)) merged.push(detection);
  }
  return [...merged, ...taken.slice(next)];
}
