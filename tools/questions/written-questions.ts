import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { nonEmptyText } from '../../src/core/setting-values.js';
import { type DocPackage, packageSchema, readDocSets, spanSchema } from './doc-sets.js';

const writtenPackageSchema = packageSchema.extend({ kind: nonEmptyText() });

const writtenPassageSchema = spanSchema.extend({
  /** As one would ask. */
  nl: nonEmptyText(),
  /** The same need in other words: of the passage's content words two at most. */
  other: nonEmptyText(),
  /** Two to five words. */
  kw: nonEmptyText(),
});

const unanswerableSchema = z.strictObject({ package: nonEmptyText(), question: nonEmptyText() });

export type WrittenPackage = DocPackage & { readonly kind: string };
export type WrittenPassage = z.infer<typeof writtenPassageSchema>;
export type Unanswerable = z.infer<typeof unanswerableSchema>;

/** Packages of the written questions. Throws where one is on the test side of the documentation sets. */
export function readWrittenPackages(): WrittenPackage[] {
  const packages = z.array(writtenPackageSchema).parse(JSON.parse(read('packages.json')));
  const tested = new Set(
    readDocSets()
      .filter(({ split }) => split === 'test')
      .flatMap((set) => set.packages.map(({ name }) => name)),
  );
  const both = packages.filter(({ name }) => tested.has(name)).map(({ name }) => name);
  if (both.length > 0) throw new Error(`On the test side and among the written ones: ${both.join(', ')}.`);
  return packages;
}

/** Passages with what people would type to find them; paths begin with the package's name. */
export const readWrittenPassages = (): WrittenPassage[] => readLines('passages.jsonl', writtenPassageSchema);

/** Questions that a package's documentation does not answer, by what their writer saw of it. */
export const readUnanswerable = (): Unanswerable[] => readLines('unanswerable.jsonl', unanswerableSchema);

const readLines = <T>(file: string, schema: z.ZodType<T>): T[] =>
  read(file)
    .trimEnd()
    .split('\n')
    .map((line, i) => {
      const parsed = schema.safeParse(JSON.parse(line));
      if (!parsed.success) throw new Error(`${file}, line ${i + 1}: ${z.prettifyError(parsed.error)}`);
      return parsed.data;
    });

const read = (file: string): string => readFileSync(new URL(`written/${file}`, import.meta.url), 'utf8');
