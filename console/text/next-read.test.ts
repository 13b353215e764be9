import { expect, test } from 'vitest';
import { nextReadOf } from './next-read.js';

const NOW = Date.parse('2026-05-01T10:00:00Z');

test.each([
  ['nobody follows it', undefined, { kind: 'unscheduled' }],
  ['its schedule was removed', { state: 'idle' }, { kind: 'unscheduled' }],
  ['it is watched', { state: 'idle', watch: 'on' }, { kind: 'change' }],
  ['it cannot be watched', { state: 'idle', watch: 'interval' }, { kind: 'interval' }],
  ['it is read now', { state: 'running' }, { kind: 'running' }],
  [
    'its turn comes',
    { state: 'idle', watch: 'on', nextAt: '2026-05-01T10:05:00.000Z' },
    { kind: 'at', at: '2026-05-01T10:05:00.000Z' },
  ],
  [
    'its turn came and nothing began',
    { state: 'due', nextAt: '2026-05-01T09:58:00.000Z' },
    { kind: 'overdue', at: '2026-05-01T09:58:00.000Z' },
  ],
] as const)('a source of which %s', (_, following, expected) => {
  expect(nextReadOf(following, NOW)).toEqual(expected);
});
