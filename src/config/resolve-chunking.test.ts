import { describe, expect, test } from 'vitest';
import { explainChunkingConflict, resolveChunking, resolveSourceChunking } from './resolve-chunking.js';

describe('resolveChunking', () => {
  test('shipped defaults count tokens', () => {
    expect(resolveChunking()).toMatchObject({ strategy: 'semantic', unit: 'tokens', maxSize: 320 });
    expect(resolveChunking({ strategy: 'fixed' })).toMatchObject({ unit: 'tokens', maxSize: 320 });
  });

  test('a block that states a size without a unit means characters', () => {
    expect(resolveChunking({ minSize: 100, maxSize: 500, overlap: 50 }).unit).toBe('characters');
    expect(resolveChunking({ maxSize: 800 })).toMatchObject({
      unit: 'characters',
      minSize: 100,
      overlap: 50,
    });
    expect(resolveChunking({ maxSize: 200, unit: 'tokens' }).unit).toBe('tokens');
  });

  test.each([
    { maxSize: 20 },
    { maxSize: 1 },
    { minSize: 900 },
    { overlap: 700 },
    { unit: 'tokens' as const, maxSize: 8 },
  ])('defaults fit what %j states', (settings) => {
    expect(explainChunkingConflict(resolveChunking(settings))).toBeUndefined();
  });

  test('sizes that contradict each other are named', () => {
    expect(explainChunkingConflict(resolveChunking({ minSize: 9, maxSize: 5 }))).toContain('minSize (9)');
    expect(explainChunkingConflict(resolveChunking({ overlap: 5, maxSize: 5 }))).toContain('overlap (5)');
  });
});

describe('resolveSourceChunking', () => {
  test('what a source leaves out comes from the general settings', () => {
    expect(resolveSourceChunking({ maxSize: 700, strategy: 'fixed' }, { overlap: 10 })).toMatchObject({
      strategy: 'fixed',
      unit: 'characters',
      maxSize: 700,
      overlap: 10,
    });
  });

  test('sizes of one unit are never read in another', () => {
    expect(resolveSourceChunking({ maxSize: 900 }, { unit: 'tokens' })).toMatchObject({
      unit: 'tokens',
      maxSize: 320,
    });
  });

  test('a stated general unit holds for sizes of a source', () => {
    expect(resolveSourceChunking({ unit: 'tokens' }, { maxSize: 99 })).toMatchObject({
      unit: 'tokens',
      maxSize: 99,
    });
  });
});
