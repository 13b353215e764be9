import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { nonEmptyText } from '../../src/core/setting-values.js';
import { SERVER_NAMES } from './servers.js';

/** Folder of the examples in a clone. */
export const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

/** `example.json` of an example. */
const manifestSchema = z.strictObject({
  /** Title of the document that asks for the system. */
  document: nonEmptyText(),
  /** Every heading of that document below its title, in its order. */
  headings: z.array(nonEmptyText()).min(1),
  /** Files that the document prints: they are its blocks of code to the letter. */
  printed: z.array(z.string()).default([]),
  /** Where `npm start` listens, and the commands of the README call. */
  port: z.int().min(1).max(65_535),
  /** Servers that the whole test starts, by the folders of their start scripts. Each is named to the tests by a variable. */
  servers: z.array(z.enum(SERVER_NAMES)),
  /** Files of the evaluation data that the whole test names to the tests, by variable; what is absent is left out. */
  data: z.record(z.string(), z.string()).default({}),
});

const packageSchema = z.object({
  scripts: z.object({ start: z.string(), test: z.string(), typecheck: z.string() }),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

/** An example as it stands in the repository. */
export interface Example {
  readonly name: string;
  readonly folder: string;
  readonly manifest: z.infer<typeof manifestSchema>;
  readonly packageJson: z.infer<typeof packageSchema>;
  readonly readme: string;
}

/** Every example there is, by name. */
export const exampleNames = (): string[] =>
  readdirSync(EXAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** Throws where one of its files is missing or is not what it should be. */
export function readExample(name: string): Example {
  const folder = join(EXAMPLES, name);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  return {
    name,
    folder,
    manifest: manifestSchema.parse(JSON.parse(read('example.json'))),
    packageJson: packageSchema.parse(JSON.parse(read('package.json'))),
    readme: read('README.md'),
  };
}

/** Titles of an example's tests, as they are written in its test files. */
export function testTitles({ folder }: Pick<Example, 'folder'>): string[] {
  const files = readdirSync(join(folder, 'test')).filter((file) => file.endsWith('.test.ts'));
  return files.flatMap((file) =>
    [...readFileSync(join(folder, 'test', file), 'utf8').matchAll(TITLE)].map(({ 2: title = '' }) => title),
  );
}

const TITLE = /\b(?:test|it)\(\s*(['"`])(.+?)\1/g;
