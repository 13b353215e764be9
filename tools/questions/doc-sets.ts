import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { nonEmptyText } from '../../src/core/setting-values.js';

export const packageSchema = z.strictObject({
  registry: z.enum(['npm', 'pypi']),
  name: z.string().regex(/^(@[a-z\d-]+\/)?[a-z\d][a-z\d._-]*$/),
  version: z.string().regex(/^\d[\w.+-]*$/),
  /** Of the archive that the registry's client fetches (pypi: the source archive), as in a lock file of npm. */
  integrity: z.string().regex(/^sha(256|512)-[A-Za-z\d+/]+=*$/),
  /** SPDX expression. */
  licence: nonEmptyText(),
  /** Globs below the archive's one top folder; those that begin with `!` leave out. */
  files: z.array(nonEmptyText()).min(1),
});

const docSetSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z-]*$/),
  kind: nonEmptyText(),
  /** The side that all questions of the set are on: nothing may be learned or chosen on `test`. */
  split: z.enum(['train', 'test']),
  packages: z.array(packageSchema).min(1),
});

export const spanSchema = z.strictObject({
  /** `PACKAGE/PATH`, below the folder of the set. */
  path: z.string().regex(/^(?!.*(^|\/)\.\.(\/|$))[^/].*$/),
  /** First character of the quote and the one behind its last: UTF-16 code units of the file read as UTF-8. */
  start: z.int().nonnegative(),
  end: z.int().positive(),
  /** Of the quote as UTF-8, hexadecimal. */
  sha256: z.string().regex(/^[\da-f]{64}$/),
});

const questionSchema = z.strictObject({
  id: nonEmptyText(),
  question: nonEmptyText(),
  type: z.enum(['lookup', 'howto', 'why', 'paraphrase', 'keyword', 'identifier', 'multi', 'unanswerable']),
  /** In other words than the text's, one short sentence. */
  answer: nonEmptyText(),
  /** One passage that answers; two of different files for `multi`, none for `unanswerable`. */
  gold: z.array(spanSchema),
  /** Other passages that answer as well. */
  alternates: z.array(spanSchema),
});

export type DocPackage = z.infer<typeof packageSchema>;
export type DocSet = z.infer<typeof docSetSchema>;
export type Span = z.infer<typeof spanSchema>;
export type Question = z.infer<typeof questionSchema>;

const GOLD: Partial<Record<Question['type'], number>> = { multi: 2, unanswerable: 0 };

/** All documentation sets, in the order of the list. Throws where two have one name or a package is on both sides. */
export function readDocSets(): DocSet[] {
  const sets = z.array(docSetSchema).parse(JSON.parse(read('doc-sets.json')));
  const sides = new Map<string, string>();
  const names = new Set<string>();
  for (const { name, split, packages } of sets) {
    if (names.has(name)) throw new Error(`Two documentation sets are called ${name}.`);
    names.add(name);
    for (const { registry, name: packageName } of packages) {
      const key = `${registry}:${packageName}`;
      if ((sides.get(key) ?? split) !== split)
        throw new Error(`${key} is on the train and on the test side.`);
      sides.set(key, split);
    }
  }
  return sets;
}

/** The questions of a set. Throws with the line where one is not as the schema says. */
export function readQuestions(set: string): Question[] {
  const ids = new Set<string>();
  return read(`${set}.jsonl`)
    .trimEnd()
    .split('\n')
    .map((line, i) => {
      const { data: question, error } = questionSchema.safeParse(JSON.parse(line));
      const problem = error === undefined ? problemOf(question, ids) : z.prettifyError(error);
      if (question === undefined || problem !== undefined)
        throw new Error(`${set}.jsonl, line ${i + 1}: ${problem}`);
      ids.add(question.id);
      return question;
    });
}

function problemOf({ id, type, gold, alternates }: Question, ids: ReadonlySet<string>): string | undefined {
  if (ids.has(id)) return `${id} is there twice.`;
  if (gold.length !== (GOLD[type] ?? 1)) return `${gold.length} gold passages for ${type}.`;
  if (type === 'multi' && gold[0]?.path === gold[1]?.path) return 'Both passages are in one file.';
  if ([...gold, ...alternates].some(({ start, end }) => end <= start)) return 'A passage is empty.';
  return undefined;
}

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');
