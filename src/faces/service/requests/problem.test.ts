import { expect, test } from 'vitest';
import { RAGError } from '../../../index.js';
import { problemOf } from './problem.js';

test('who writes the index is not told to callers', () => {
  const error = new RAGError('INDEX_LOCKED', 'The index in /srv/data is being written by process 7 on host.');
  const { status, detail, retryable } = problemOf(error, 'r');
  expect([status, retryable]).toEqual([503, true]);
  expect(detail).not.toMatch(/srv|process 7|on host/);
});
