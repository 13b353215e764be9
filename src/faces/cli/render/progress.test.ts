import { describe, expect, it } from 'vitest';
import { describeProgress, progressLine } from './progress.js';

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
    expect(progressLine({ ...line, done: 0, total: 0, detail: '' }, 80)).toBe(
      'indexing path:a/long/way/down ...',
    );
  });
});

const progress = {
  source: 'wiki',
  sourceNumber: 2,
  sourcesTotal: 3,
  itemsTotal: 900,
  itemsDone: 420,
  sourceItemsTotal: 500,
  sourceItemsDone: 120,
  itemsListed: 0,
  itemsPerSecond: 35.4,
  chunksWritten: 1_000,
  chunksPerSecond: 210,
};

describe('progress of a run', () => {
  it('says which source is listed, how much of it and how fast', () => {
    const line = describeProgress({
      ...progress,
      stage: 'listing',
      itemsListed: 12_000,
      itemsPerSecond: 800,
    });
    expect(progressLine(line, 80)).toBe('looking at wiki (2 of 3) ... 12,000 listed, 800/s');
  });

  it('says how much of the source is indexed, how fast, and how long it takes', () => {
    const line = describeProgress({ ...progress, stage: 'indexing', etaMs: 10_800 });
    expect(progressLine(line, 120)).toContain(
      '120 of 500, 35/s, 210 chunks/s, 10.8 s left  indexing wiki (2 of 3)',
    );
  });

  it('of one source alone names no number', () => {
    const line = describeProgress({ ...progress, stage: 'listing', sourcesTotal: 1, sourceNumber: 1 });
    expect(progressLine(line, 80)).toBe('looking at wiki ...');
  });
});
