import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { feedbackFileOf } from '../feedback/feedback-log.js';
import { eraseFeedback } from './erase-feedback.js';

test('a line that names a forgotten document goes with its question, and so does one that nobody can read', () => {
  const path = feedbackFileOf(temporaryFolder(), 'default');
  const line = (question: string, ...documents: string[]): string =>
    JSON.stringify({ question, places: documents.map((documentId) => ({ documentId })) });
  const kept = [line('where is the gate?', 'a', 'b'), JSON.stringify({ question: 'and the door?' })];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [kept[0], line('who is Jane Roe?', 'b', 'jane'), '{"cut', kept[1], ''].join('\n'));
  const isForgotten = (id: string): boolean => id === 'jane';
  expect(eraseFeedback(path, isForgotten)).toEqual([{ place: 'feedback', what: 'lines', count: 2 }]);
  expect(readFileSync(path, 'utf8')).toBe(`${kept.join('\n')}\n`);
  expect(eraseFeedback(path, isForgotten)).toEqual([]);
});
