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

/** Raise it whenever the same text gives other detections: documents are then processed again. */
export const REDACTION_VERSION = 2;

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
  let taken: readonly Detection[] = [];
  for (const detect of DETECTORS) taken = mergeFree(taken, [...detect(text)]);
  return taken.filter(({ type }) => types.has(type));
}

/** Both in order; of `added`, what overlaps nothing before it. */
function mergeFree(taken: readonly Detection[], added: readonly Detection[]): readonly Detection[] {
  if (added.length === 0) return taken;
  const merged: Detection[] = [];
  const sorted = added.toSorted((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  for (const detection of sorted) {
    for (; next < taken.length; next += 1) {
      const other = taken[next];
      if (other === undefined || other.start >= detection.end) break;
      merged.push(other);
    }
    if (detection.start >= (merged.at(-1)?.end ?? 0)) merged.push(detection);
  }
  return [...merged, ...taken.slice(next)];
}
