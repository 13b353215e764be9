import type { TextRange } from '../../core/document.js';
import { groupedBy } from '../../core/grouped-by.js';
import { conflictOf, LEAST_OVERLAP, type PlacedStatement, type Verdict } from './conflict-of.js';
import type { Difference } from './conflict-types.js';
import { type DuplicatePassage, duplicatePassages } from './duplicate-passages.js';
import type { StoredStatement } from './packed-statements.js';
import { SimilarPairs } from './similar-pairs.js';
import { readStatement } from './statements.js';
import { haveOwnSubjects } from './word-classes.js';

/** A document that is compared with others. */
export interface ComparedDocument {
  readonly documentId: string;
  readonly revision: string;
  readonly statements: readonly StoredStatement[];
}

/** A statement that stands in one or more documents in the same words. */
export interface StatementPlaces {
  readonly places: readonly { readonly document: number; readonly range: TextRange }[];
}

export interface FoundConflict {
  readonly agreement: number;
  readonly differences: readonly Difference[];
  readonly first: StatementPlaces;
  readonly second: StatementPlaces;
}

export interface FoundPassages {
  readonly conflicts: readonly FoundConflict[];
  readonly duplicates: readonly DuplicatePassage[];
  /** See `SimilarPairs.isCut`. */
  readonly isCut: boolean;
  /** Pairs that are filled in forms: the same sentence of many documents, each with its own value. */
  readonly forms: number;
  /** Pairs of sibling pages: see `withoutSiblings`. */
  readonly siblings: number;
}

/** What the comparison asks for. */
export interface ComparisonPorts {
  /** Texts of ranges of a document, in their order; undefined where its text is gone. */
  readonly slices: (document: number, ranges: readonly TextRange[]) => Promise<readonly string[] | undefined>;
  /** Terms of title and path of a document. */
  readonly about: (document: number) => ReadonlySet<string>;
  /** Called again and again, so that others get their turn. */
  readonly pause: () => Promise<void>;
}

/** Sets that are compared between two pauses. */
const BETWEEN_PAUSES = 200;
/** With so many values beside its own a statement is a form that documents fill in, not a claim that one of them has wrong. */
const VALUES_OF_FORM = 3;

/**
 * Conflicts and duplicates between documents. Depends on nothing but what it is given, so that findings are those of a rebuild, and documents that
 * are not given change nothing.
 */
export async function findConflicts(
  documents: readonly ComparedDocument[],
  ports: ComparisonPorts,
): Promise<FoundPassages> {
  const forms = distinctForms(documents);
  const search = new SimilarPairs(
    forms.map(({ terms }) => terms),
    LEAST_OVERLAP,
  );
  const pairs: (readonly [Form, Form])[] = [];
  for (let at = 0; ; at++) {
    const similar = search.next();
    if (similar === undefined) break;
    for (const { a, b } of similar) {
      const [first, second] = [forms[a], forms[b]];
      if (first !== undefined && second !== undefined && areOfTwo(first, second)) pairs.push([first, second]);
    }
    if (at % BETWEEN_PAUSES === 0) await ports.pause();
  }
  await readForms([...new Set(pairs.flat())], ports);
  const judged: Judged[] = [];
  for (const [at, [first, second]] of pairs.entries()) {
    const verdict = verdictOf(first, second);
    if (verdict !== undefined) judged.push({ first, second, verdict });
    if (at % BETWEEN_PAUSES === 0) await ports.pause();
  }
  const classes = classesOf(forms, judged);
  const all = judged.flatMap(({ first, second, verdict }) =>
    verdict.kind === 'conflict' ? [{ ...verdict, first, second }] : [],
  );
  const filled = withoutFilledForms(all);
  const conflicts = withoutSiblings(filled, { judged, forms, about: ports.about });
  return {
    conflicts,
    duplicates: duplicatePassages(
      documents.map(({ statements }) => statements),
      ({ form }) => classes.get(form) ?? 0,
    ),
    isCut: search.isCut,
    forms: all.length - filled.length,
    siblings: filled.length - conflicts.length,
  };
}

interface Form extends StatementPlaces {
  readonly at: number;
  readonly form: string;
  readonly terms: Uint32Array;
  readonly places: { readonly document: number; readonly range: TextRange }[];
  placed?: PlacedStatement;
}

interface Judged {
  readonly first: Form;
  readonly second: Form;
  readonly verdict: Verdict;
}

function verdictOf({ placed: first }: Form, { placed: second }: Form): Verdict | undefined {
  return first === undefined || second === undefined ? undefined : conflictOf(first, second);
}

/** Names of what statements say: forms that are nearly the same have one. */
function classesOf(forms: readonly Form[], judged: readonly Judged[]): Map<string, number> {
  const parents = forms.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[at] = root;
    return root;
  };
  for (const { first, second, verdict } of judged)
    if (verdict.kind === 'duplicate') parents[rootOf(second.at)] = rootOf(first.at);
  return new Map(forms.map(({ form, at }) => [form, rootOf(at)]));
}

function distinctForms(documents: readonly ComparedDocument[]): Form[] {
  const forms = new Map<string, Form>();
  for (const [document, { statements }] of documents.entries())
    for (const { form, terms, start, end } of statements) {
      const place = { document, range: { start, end } };
      const known = forms.get(form);
      if (known === undefined) forms.set(form, { at: forms.size, form, terms, places: [place] });
      else known.places.push(place);
    }
  return [...forms.values()];
}

/** Whether they stand in different documents, and in none both: a document that says both means two things. */
function areOfTwo(first: Form, second: Form): boolean {
  const documents = new Set(first.places.map(({ document }) => document));
  return second.places.every(({ document }) => !documents.has(document));
}

/** Each in the words of its first place; documents are read once. */
async function readForms(forms: readonly Form[], { slices, about }: ComparisonPorts): Promise<void> {
  const byDocument = groupedBy(forms, ({ places: [place] }) => place?.document ?? 0);
  for (const [document, own] of byDocument) {
    const texts = await slices(
      document,
      own.flatMap(({ places: [place] }) => place?.range ?? []),
    );
    for (const [at, form] of own.entries()) {
      const text = texts?.[at];
      if (text !== undefined) form.placed = { text, statement: readStatement(text), about: about(document) };
    }
  }
}

interface FormConflict extends FoundConflict {
  readonly first: Form;
  readonly second: Form;
}

/** Without pairs of which a statement differs from so many others that it is a form. */
function withoutFilledForms(conflicts: readonly FormConflict[]): FormConflict[] {
  const values = new Map<Form, Set<string>>();
  const add = (form: Form, value: string): void => {
    values.set(form, (values.get(form) ?? new Set()).add(value.toLowerCase()));
  };
  for (const { first, second, differences } of conflicts) {
    add(first, differences[0]?.second ?? '');
    add(second, differences[0]?.first ?? '');
  }
  const isForm = (form: Form): boolean => (values.get(form)?.size ?? 0) >= VALUES_OF_FORM;
  return conflicts.filter(({ first, second }) => !isForm(first) && !isForm(second));
}

/** Two documents with so many pairs of statements that are nearly the same are one page for two things, if they are named so. */
const PAIRS_OF_SIBLINGS = 3;

/**
 * Without pairs of sibling pages: medical and parental leave, the onboarding of two teams. They are alike in many statements, differ in some, and each
 * has a subject of its own in its name. Copies of one page have not: their names are equal, or one has a year or `old` more.
 */
function withoutSiblings(
  conflicts: readonly FormConflict[],
  {
    judged,
    forms,
    about,
  }: {
    readonly judged: readonly Judged[];
    readonly forms: readonly Form[];
    readonly about: ComparisonPorts['about'];
  },
): FormConflict[] {
  const wanted = new Set(conflicts.flatMap(({ first, second }) => documentPairs(first, second)));
  const alike = new Map<string, number>();
  const count = (first: Form, second: Form): void => {
    for (const pair of new Set(documentPairs(first, second)))
      if (wanted.has(pair)) alike.set(pair, (alike.get(pair) ?? 0) + 1);
  };
  for (const { first, second } of judged) count(first, second);
  for (const form of forms) if (form.places.length > 1) count(form, form);
  const areSiblings = (pair: string): boolean => {
    const [a = 0, b = 0] = pair.split(' ').map(Number);
    return (alike.get(pair) ?? 0) >= PAIRS_OF_SIBLINGS && haveOwnSubjects(about(a), about(b));
  };
  return conflicts.filter(({ first, second }) => !documentPairs(first, second).every(areSiblings));
}

/** Places of one statement that are paired; of more the others are like them. */
const PAIRED_PLACES = 5;

const documentPairs = (first: Form, second: Form): string[] =>
  first.places
    .slice(0, PAIRED_PLACES)
    .flatMap(({ document: a }) =>
      second.places
        .slice(0, PAIRED_PLACES)
        .flatMap(({ document: b }) => (a === b ? [] : [`${Math.min(a, b)} ${Math.max(a, b)}`])),
    );
