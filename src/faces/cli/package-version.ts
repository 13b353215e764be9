import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const manifest = (): Manifest =>
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as Manifest;

/** Version of the package that this command line is of. */
export const packageVersion = (): string => manifest().version;

/** Versions of Node that it runs on. */
export const packageEngines = (): string => manifest().engines.node;
