import { readFileSync } from 'node:fs';
import { subset } from 'semver';
import { expect, test } from 'vitest';

interface Package {
  readonly engines?: { readonly node?: string };
}

const packagesOf = (lock: string): [string, Package][] => {
  const { packages } = JSON.parse(readFileSync(new URL(`../../${lock}`, import.meta.url), 'utf8')) as {
    readonly packages: Readonly<Record<string, Package>>;
  };
  return Object.entries(packages);
};

/** What `npm install` warns of as its first line (EBADENGINE). */
test('no package that is installed in a clone refuses the oldest Node.js that the README names', () => {
  const packages = packagesOf('package-lock.json');
  const oldest = packages.find(([path]) => path === '')?.[1].engines?.node ?? '';
  expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain(
    `Node ${oldest.slice(2)}`,
  );
  const refusing = packages.filter(
    ([, { engines }]) => !subset(`${oldest.slice(2)}.x`, engines?.node ?? '*'),
  );
  expect(refusing.map(([path, { engines }]) => `${path} takes ${engines?.node}`)).toEqual([]);
  expect(packages.length).toBeGreaterThan(500);
});
