import { expect, test } from 'vitest';
import { statedFields } from './stated-fields.js';

test('a field behind a text of many megabytes is found in JSON', () => {
  const json = `{"a": "${'x\\" '.repeat(4_000_000)}", "owner": "Ann"}`;
  const [owner] = (statedFields(json, ['owner'])?.stated ?? []).map(({ start, end }) =>
    json.slice(start, end),
  );
  expect(owner).toBe('"owner": "Ann"');
});

test('a line of marks takes no longer than its length says', () => {
  const yaml = `---\na: [\n${'&'.repeat(50_000)} x\nowner: Ann\n---\n`;
  expect(statedFields(yaml, ['owner'])?.stated).toMatchObject([{ start: 0, isUnread: true }]);
});
