import { compareText } from '../../core/filter.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { conflictOf, LEAST_OVERLAP, type PlacedStatement } from './conflict-of.js';
import type { SourceConflict, SourceStatement } from './conflict-types.js';
import { SimilarPairs } from './similar-pairs.js';
import { type Statement, statementsOf } from './statements.js';
import { aboutOf } from './word-classes.js';

/** A passage that is handed to the answerer. */
export interface SourcePassage {
  readonly n: number;
  readonly documentId: string;
  /** Path or id relative to the root of its source. */
  readonly source: string;
  readonly title?: string | undefined;
  readonly date?: string | undefined;
  readonly pieces: readonly { readonly text: string }[];
}

/** More are no help to a reader. */
const MOST_CONFLICTS = 5;

interface Placed {
  readonly passage: SourcePassage;
  readonly placed: PlacedStatement;
}

/**
 * Statements of passages of different documents that contradict each other, the surest first: by the same comparison as `ragstone conflicts`, of
 * nothing but what is handed over.
 */
export function sourceConflicts(passages: readonly SourcePassage[]): SourceConflict[] {
  const statements = passages.flatMap(placedStatements);
  const numbers = new Map<string, number>();
  const numberOf = (term: string): number => {
    const known = numbers.get(term) ?? numbers.size;
    numbers.set(term, known);
    return known;
  };
  const sets = statements.map(({ placed }) => Uint32Array.from(placed.statement.terms, numberOf).sort());
  const search = new SimilarPairs(sets, LEAST_OVERLAP);
  const found: { readonly agreement: number; readonly conflict: SourceConflict }[] = [];
  for (let pairs = search.next(); pairs !== undefined; pairs = search.next())
    for (const { a, b } of pairs) {
      const [first, second] = [statements[a], statements[b]];
      if (first === undefined || second === undefined) continue;
      if (first.passage.documentId === second.passage.documentId) continue;
      const [newer, older] = isOlder(first.passage, second.passage) ? [second, first] : [first, second];
      const verdict = conflictOf(newer.placed, older.placed);
      if (verdict?.kind !== 'conflict') continue;
      const { agreement, differences } = verdict;
      found.push({ agreement, conflict: { differences, statements: [told(newer), told(older)] } });
    }
  const surest = found.toSorted((a, b) => b.agreement - a.agreement).map(({ conflict }) => conflict);
  const distinct = new Map(surest.toReversed().map((conflict) => [keyOf(conflict), conflict]));
  return [...distinct.values()].toReversed().slice(0, MOST_CONFLICTS);
}

function placedStatements(passage: SourcePassage): Placed[] {
  const about = aboutOf(passage.title ?? '', passage.source);
  return passage.pieces.flatMap(({ text }) =>
    statementsOf(text).map((statement: Statement) => ({
      passage,
      placed: { text: text.slice(statement.start, statement.end), statement, about },
    })),
  );
}

const keyOf = ({ statements }: SourceConflict): string =>
  statements.map(({ quote, documentId }) => `${documentId} ${quote}`).join('\n');

/** Without two dates the order of the passages stays. */
const isOlder = ({ date: a }: SourcePassage, { date: b }: SourcePassage): boolean =>
  b !== undefined && (a === undefined || compareText(a, b) < 0);

const told = ({
  passage: { n, documentId, source, title, date },
  placed: { text },
}: Placed): SourceStatement => ({
  n,
  documentId,
  source,
  ...withoutUndefined({ title, date }),
  quote: text,
});

/** For a language model: which passages, and which is newer. No word of a document is in it. */
export function conflictLine({ statements: [newer, older] }: SourceConflict): string {
  const which = areOfTwoDays(newer, older) ? `; [${newer.n}] is newer (${dayOf(newer)})` : '';
  return `Passages [${newer.n}] and [${older.n}] contradict each other${which}. Say so where it matters to the question.`;
}

// What is no date is a text of the document.
const dayOf = ({ date = '' }: SourceStatement): string | undefined => /^\d{4}-\d\d-\d\d/.exec(date)?.[0];

/** Days are what is shown: of one day none is called newer. */
const areOfTwoDays = (a: SourceStatement, b: SourceStatement): boolean =>
  dayOf(a) !== undefined && dayOf(b) !== undefined && dayOf(a) !== dayOf(b);

const LONGEST_QUOTE = 200;

/** For people: who says what, the newer one first. `inert` makes a text of a document one line that is no markup. */
export function conflictNotice(
  { statements: [newer, older] }: SourceConflict,
  inert: (text: string) => string,
): string {
  const saying = (statement: SourceStatement): string => {
    const line = inert(statement.quote);
    const day = dayOf(statement);
    const shown = line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)} …` : line;
    return `${inert(statement.source)}${day === undefined ? '' : ` (${day})`} says "${shown}"`;
  };
  return `Sources contradict each other: ${saying(newer)}, ${areOfTwoDays(newer, older) ? 'older ' : ''}${saying(older)}.`;
}
