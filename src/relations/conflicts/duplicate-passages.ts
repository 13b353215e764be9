import type { TextRange } from '../../core/document.js';
import type { StoredStatement } from './packed-statements.js';

/** A passage that several documents have. */
export interface DuplicatePassage {
  readonly words: number;
  /** One of each document, by its place in what was given. */
  readonly places: readonly { readonly document: number; readonly range: TextRange }[];
}

/** A passage of fewer words is a phrase that anybody may use. */
const LEAST_WORDS = 20;
/** Statements that one document may have between two that both have. */
const GAP = 1;

/**
 * Passages of as many statements as possible that stand in the same order in several documents. `classOf` names what a statement says: equal for
 * statements that are nearly the same. Each statement belongs to one passage at most, so the work grows with the statements.
 */
export function duplicatePassages(
  documents: readonly (readonly StoredStatement[])[],
  classOf: (statement: StoredStatement) => number,
): DuplicatePassage[] {
  const places = placesByClass(documents, classOf);
  const taken = documents.map(() => new Set<number>());
  const isFree = (document: number, at: number): boolean => taken[document]?.has(at) === false;
  const found: DuplicatePassage[] = [];
  for (const [document, statements] of documents.entries())
    for (const [at, statement] of statements.entries()) {
      const first = placesOf(places.get(classOf(statement)) ?? [], isFree);
      if (first.size < 2 || first.get(document) !== at) continue;
      const passage = extend(first, documents, { classOf, isFree });
      for (const { document: member, ats } of passage) for (const place of ats) taken[member]?.add(place);
      found.push(...passageOf(passage, documents));
    }
  return found;
}

interface Place {
  readonly document: number;
  readonly at: number;
}

interface Member {
  readonly document: number;
  /** Places of its statements, ascending. */
  readonly ats: number[];
}

function placesByClass(
  documents: readonly (readonly StoredStatement[])[],
  classOf: (statement: StoredStatement) => number,
): Map<number, Place[]> {
  const places = new Map<number, Place[]>();
  for (const [document, statements] of documents.entries())
    for (const [at, statement] of statements.entries()) {
      const name = classOf(statement);
      const known = places.get(name);
      if (known === undefined) places.set(name, [{ document, at }]);
      else known.push({ document, at });
    }
  return places;
}

/** Of each document the first place that is free. */
function placesOf(
  places: readonly Place[],
  isFree: (document: number, at: number) => boolean,
): Map<number, number> {
  const first = new Map<number, number>();
  for (const { document, at } of places)
    if (!first.has(document) && isFree(document, at)) first.set(document, at);
  return first;
}

/** The documents go on together as long as all of them do. */
function extend(
  first: ReadonlyMap<number, number>,
  documents: readonly (readonly StoredStatement[])[],
  {
    classOf,
    isFree,
  }: {
    readonly classOf: (statement: StoredStatement) => number;
    readonly isFree: (document: number, at: number) => boolean;
  },
): Member[] {
  const members: Member[] = [...first].map(([document, at]) => ({ document, ats: [at] }));
  const [leader, ...others] = members;
  if (leader === undefined) return [];
  const after = ({ document, ats }: Member): { at: number; name: number }[] =>
    Array.from({ length: GAP + 1 }, (_, step) => (ats.at(-1) ?? 0) + 1 + step).flatMap((at) => {
      const statement = documents[document]?.[at];
      return statement === undefined || !isFree(document, at) ? [] : [{ at, name: classOf(statement) }];
    });
  for (;;) {
    const rest = others.map((member) => after(member));
    const next = after(leader).find(({ name }) =>
      rest.every((places) => places.some((place) => place.name === name)),
    );
    if (next === undefined) return members;
    leader.ats.push(next.at);
    for (const [index, member] of others.entries()) {
      const place = rest[index]?.find(({ name }) => name === next.name);
      if (place !== undefined) member.ats.push(place.at);
    }
  }
}

function passageOf(
  members: readonly Member[],
  documents: readonly (readonly StoredStatement[])[],
): DuplicatePassage[] {
  const lengths = members.map(({ document, ats }) =>
    ats.reduce((sum, at) => sum + (documents[document]?.[at]?.words ?? 0), 0),
  );
  const words = Math.min(...lengths);
  if (words < LEAST_WORDS) return [];
  return [
    {
      words,
      places: members.map(({ document, ats }) => ({
        document,
        range: {
          start: documents[document]?.[ats[0] ?? 0]?.start ?? 0,
          end: documents[document]?.[ats.at(-1) ?? 0]?.end ?? 0,
        },
      })),
    },
  ];
}
