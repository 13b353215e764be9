import { expect, test } from 'vitest';
import type { AgentReport } from '../../../index.js';
import { renderSteps } from './steps.js';

test('each step is a line, with what ended them', () => {
  const report: AgentReport = {
    by: 'rules',
    steps: [
      {
        step: 1,
        tool: 'search',
        why: 'the question',
        query: 'a\nb \u001b[2J',
        found: 3,
        new: 3,
        tokens: 0,
        ms: 5,
      },
      {
        step: 2,
        tool: 'search',
        why: 'a link',
        query: 'c',
        found: 0,
        new: 0,
        tokens: 0,
        ms: 1,
        problem: 'It is out.',
      },
    ],
    stopped: 'steps',
    limits: { maxSteps: 2, maxTokens: 0, maxCost: 0, deadlineMs: 10 },
    used: { steps: 2, tokens: 0, ms: 6 },
  };
  const lines = renderSteps(report).split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain('step 1: search "a b');
  expect(lines[1]).toContain('It is out.');
  expect(lines[2]).toBe('stopped: the limit of steps was reached (--max-steps) (2 steps, 6 ms)');
});
