import { expect, it } from 'vitest';
import { checkSupport, SUPPORT_THRESHOLD } from './check-support.js';
import { readEvidence } from './support-features.js';

const check = (source: string, claim: string) => checkSupport(claim, readEvidence([source]));

it.each([
  ['The plugin must be installed manually.', 'The plugin is not installed automatically.'],
  ['The port is closed by default.', 'The port is not open by default.'],
  [
    'Uninstalling keeps the files in the data folder.',
    'Uninstalling does not delete the files in the data folder.',
  ],
  ['Requests without a token are refused.', 'Requests without a token are not accepted.'],
  ['The second test fails on Windows.', 'The second test does not pass on Windows.'],
  ['The account is inactive after a year.', 'The account is not active after a year.'],
  ['The disk of the server is encrypted.', 'The disk of the server is not unencrypted.'],
  ['Guests are forbidden to upload files.', 'Guests are not allowed to upload files.'],
  ['Guests are not allowed to upload files.', 'Guests are forbidden to upload files.'],
  ['The field is required in the form.', 'The field is not optional in the form.'],
  ['The cache is stored locally.', 'The cache is not stored remotely.'],
  ['The request is not invalid.', 'The request is valid.'],
  ['It is not impossible to restore the account.', 'It is possible to restore the account.'],
  ['The change is permanent.', 'The change is not temporary.'],
  ['The door stays locked at night.', 'The door does not stay unlocked at night.'],
  ['The gate is shut on Sundays.', 'The gate is not open on Sundays.'],
  ['The two lists are different.', 'The two lists are not the same.'],
  ['Retention is unlimited on the Oak plan.', 'Retention is not limited on the Oak plan.'],
  ['Payments in cash are declined.', 'Payments in cash are not accepted.'],
  ['All hosts are reachable.', 'No host is unreachable.'],
  [
    'If you are not comfortable with the terms, do not sign.',
    'If you are uncomfortable with the terms, do not sign.',
  ],
])('a denial of the opposite says the same: %j, %j', (source, claim) => {
  const { score, contradiction } = check(source, claim);
  expect(contradiction).toBeUndefined();
  expect(score).toBeGreaterThan(SUPPORT_THRESHOLD);
});

it.each([
  ['The port is open by default.', 'The port is not open by default.'],
  ['The port is closed by default.', 'The port is not closed by default.'],
  ['The port is not closed by default.', 'The port is not open by default.'],
  ['The port is closed by default.', 'The port is open by default.'],
  ['The command does not keep the files.', 'The command does not delete the files.'],
  ['The command keeps the files.', 'The command deletes the files.'],
  ['Requests without a token are refused.', 'Requests without a token are not refused.'],
  ['Requests without a token are refused.', 'Requests without a token are accepted.'],
  ['The second test fails on Windows.', 'The second test does not fail on Windows.'],
  ['The field is required in the form.', 'The field is not required in the form.'],
  ['Images are stored uncompressed.', 'Images are stored compressed.'],
  [
    'If you are not comfortable with the terms, do not sign.',
    'If you are uncomfortable with the terms, do sign.',
  ],
])('a denial of the same, and the opposite alone, do not: %j, not %j', (source, claim) => {
  expect(check(source, claim).score).toBeLessThan(SUPPORT_THRESHOLD);
});

it.each([
  ['The plugin is installed by hand.', 'The plugin is not installed automatically.'],
  ['The report is sent by the clerk.', 'The report is not sent without a person.'],
  ['The room is heated with gas.', 'The room is not heated electrically.'],
  ['The key is kept in a vault.', 'The key is not kept in plain sight.'],
  ['The table is sorted by name.', 'The table is not sorted by size.'],
  ['The plugin is not installed automatically.', 'The plugin is installed by hand.'],
  ['Drafts are shown to their author.', 'Drafts are not shown to strangers.'],
  ['The backup is written to tape.', 'The backup is not written to disk.'],
  ['The lamp is switched by a sensor.', 'The lamp is not switched by hand.'],
  ['The pump runs in summer.', 'The pump does not run in winter.'],
])('where more is denied than the source has, nothing is removed: %j, %j', (source, claim) => {
  expect(check(source, claim).contradiction).toBeUndefined();
});
