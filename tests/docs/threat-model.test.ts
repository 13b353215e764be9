import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/threat-model.md', root), 'utf8');
const promises = page
  .split('\n')
  .filter((line) => /^\| (?:reader|writer|giver|server|neighbour|anybody) \|/.test(line));

it('every promise of the threat model names tests that exist', () => {
  expect(promises.length).toBeGreaterThan(15);
  for (const promise of promises) {
    const proofs = [...promise.matchAll(/`((?:src|tests)\/[^`]+\.test\.ts)`/g)].map(([, file]) => file ?? '');
    expect(proofs, promise).not.toEqual([]);
    for (const file of proofs) expect([file, existsSync(new URL(file, root))]).toEqual([file, true]);
  }
});

it('SECURITY.md leads to it', () => {
  expect(readFileSync(new URL('SECURITY.md', root), 'utf8')).toContain('docs/threat-model.md');
});
