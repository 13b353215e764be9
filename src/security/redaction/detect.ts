import type { Detection, Detector, RedactionType } from './detection.js';
import { detectAssignedSecrets } from './detectors/assigned-secret.js';
import { detectAwsSecrets } from './detectors/aws-secret.js';
import { detectEmails } from './detectors/email.js';
import { detectIbans } from './detectors/iban.js';
import { detectIpAddresses } from './detectors/ip-address.js';
import { detectJwts } from './detectors/jwt.js';
import { detectNationalIds } from './detectors/national-id.js';
import { detectPaymentCards } from './detectors/payment-card.js';
import { detectPhones } from './detectors/phone.js';
import { detectPrivateKeys } from './detectors/private-key.js';
import { detectUrlPasswords } from './detectors/url-password.js';
import { detectVendorTokens } from './detectors/vendor-tokens.js';
import { digitRuns } from './digit-runs.js';

/** Raise it whenever the same text gives other detections: documents are then processed again. */
export const REDACTION_VERSION = 3;

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

/**
 * Personal data and secrets in a text, in order, not overlapping. All detectors run whatever is asked for, so that a
 * value which is of one type is never taken for another.
 */
export function detectSensitive(text: string, types: ReadonlySet<RedactionType>): Detection[] {
  const runs = digitRuns(text);
  const found: RankedDetection[] = [];
  for (const [rank, detect] of DETECTORS.entries())
    for (const { start, end, type } of detect(text, runs)) found.push({ start, end, type, rank });
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  return groupsThatOverlap(found)
    .flatMap(withoutOverlaps)
    .filter(({ type }) => types.has(type))
    .map(({ start, end, type }) => ({ start, end, type }));
}

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
