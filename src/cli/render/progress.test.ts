import { describe, expect, it } from 'vitest';
import { progressLine } from './progress.js';

const line = {
  done: 120,
  total: 1_244,
  label: 'indexing path:a/long/way/down',
  detail: '456 chunks/s, 3.2 s left',
};

describe('a line of progress', () => {
  it.each([40, 80, 200])('at %i columns has the count, the rate and the time left', (width) => {
    const text = progressLine(line, width);
    expect(text).toContain('120 of 1,244, 456 chunks/s, 3.2 s left');
    expect(text.length).toBeLessThanOrEqual(width);
  });

  it('shortens what is done, and has no bar before anything is counted', () => {
    expect(progressLine(line, 80)).toMatch(/^█{2}░{22} 120 of .* left {2}indexing …$|…$/);
    expect(progressLine({ ...line, done: 0, total: 0 }, 80)).toBe('indexing path:a/long/way/down ...');
  });
});
