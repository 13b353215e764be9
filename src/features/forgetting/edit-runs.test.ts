import { expect, test } from 'vitest';
import { runWithout } from './carry-out.js';

const items = [{ source: 'push', itemId: 'salaries.md' }];
const edit = runWithout({ documents: [], items });
const run = (message: string): string =>
  JSON.stringify({ errors: [], failure: { reason: 'INTERNAL', message } });

test('why a run failed names nothing that was forgotten', () => {
  const edited = edit(run('The push of "salaries.md" failed.'));
  expect(edited).not.toContain('salaries');
  expect(JSON.parse(edited)).toMatchObject({ errors: [], failure: { reason: 'INTERNAL' } });
  const other = run('The push of "canteen.md" failed.');
  expect(edit(other)).toBe(other);
});
