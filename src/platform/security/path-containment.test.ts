import { join, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { assertPathInside, isPathInside } from './path-containment.js';

const ROOT = resolve('/a/b');

describe('assertPathInside', () => {
  it.each([
    ['the root itself', '.', ROOT],
    ['a file', 'c.md', join(ROOT, 'c.md')],
    ['a path that leaves and comes back', '../b/c', join(ROOT, 'c')],
    ['an absolute path below the root', join(ROOT, 'c', 'd'), join(ROOT, 'c', 'd')],
    ['a name that only looks like a parent', '..c/d', join(ROOT, '..c', 'd')],
    ['three dots', '...', join(ROOT, '...')],
  ])('admits %s', (_, path, expected) => {
    expect(assertPathInside(ROOT, path)).toBe(expected);
  });

  it.each([
    ['a parent', '..'],
    ['a climb', '../../etc/passwd'],
    ['a climb in the middle', 'c/../../d'],
    ['an absolute path elsewhere', '/etc/passwd'],
    ['a prefix twin', '/a/bc'],
    ['a prefix twin by relation', '../bc'],
    ['a NUL byte', 'c\0.md'],
  ])('refuses %s', (_, path) => {
    expect(() => assertPathInside(ROOT, path)).toThrow(RAGError);
    expect(isPathInside(ROOT, path)).toBe(false);
  });

  it('admits exactly what stays below the root, whatever the segments', () => {
    const segment = fc.constantFrom('..', '.', 'a', 'b', 'bc', '...', '');
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 8 }), fc.boolean(), (segments, absolute) => {
        const path = (absolute ? '/' : '') + segments.join('/');
        const target = resolve(ROOT, path);
        expect(isPathInside(ROOT, path)).toBe(`${target}${sep}`.startsWith(`${ROOT}${sep}`));
      }),
    );
  });
});
