import { describe, expect, it } from 'vitest';
import { readUnanswerable, readWrittenPackages, readWrittenPassages } from './written-questions.js';

describe('written questions', () => {
  const packages = readWrittenPackages().map(({ name }) => name);

  it('are about passages of pinned packages, none of which is measured on', () => {
    const stray = readWrittenPassages().filter(
      ({ path }) => !packages.some((name) => path.startsWith(`${name}/`)),
    );
    expect(stray).toEqual([]);
  });

  it('name the package that does not answer', () => {
    expect(readUnanswerable().filter((asked) => !packages.includes(asked.package))).toEqual([]);
  });
});
