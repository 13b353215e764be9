import ts from 'typescript';

/** A scope check of a source file, and the text that takes it away. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** 1-based. */
  readonly line: number;
  /** In words: what is replaced by what. */
  readonly change: string;
}

/** How a call that checks a scope is taken away; the arguments are given as text. */
type TakeAway = (args: readonly string[]) => string;

const first: TakeAway = ([value = '']) => value;

/** Calls that check, by the name of the function, wherever they stand. */
const CHECKS: Readonly<Record<string, TakeAway>> = {
  scopeCollection: first,
  isOfScope: () => 'true',
};

/** Calls that check in one file alone; elsewhere the same names mean something else. */
const CHECKS_OF_FILE: Readonly<Record<string, Readonly<Record<string, TakeAway>>>> = {
  'src/core/scope.ts': { eq: () => 'and()', range: () => 'and()', or: () => 'and()' },
  'src/stores/scoped-collection.ts': {
    narrow: first,
    narrowing: ([, search = '']) => search,
    weighedFor: ([, search = '']) => search,
    matchesFilter: () => 'true',
    assertOwn: () => 'undefined',
  },
  'src/features/feedback/feedback-log.ts': { isWithin: () => 'true' },
  'src/engine/verify-requests.ts': { isOwn: () => 'true' },
  'src/stores/scope-reach.ts': { scopeFilter: ([scope = '']) => `ownedFilter(${scope})` },
};

/** Parts of a scope that are compared with those of a record. */
const OWNER = /\b(tenant|project)$/;

/** Every scope check that a file holds. */
export function findMutants(path: string, text: string): Mutant[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const add = (node: ts.Node, replacement: string): void => {
    const start = node.getStart(file);
    mutants.push({
      start,
      end: node.getEnd(),
      replacement,
      line: file.getLineAndCharacterOfPosition(start).line + 1,
      change: `${node.getText(file).replaceAll(/\s+/g, ' ')} -> ${replacement.replaceAll(/\s+/g, ' ')}`,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const name = node.expression.text;
      const takeAway = CHECKS_OF_FILE[path]?.[name] ?? CHECKS[name];
      if (takeAway !== undefined)
        add(node, takeAway(node.arguments.map((argument) => argument.getText(file))));
    }
    if (ts.isBinaryExpression(node) && comparesOwners(node, file))
      add(node, node.operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken ? 'true' : 'false');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants;
}

/** The name under which a running test is told which check is taken away. */
export const TAKEN_AWAY = 'ragstoneTakenAway';

/** The text of a file in which every check can be taken away while it runs: the one whose name the global of tests holds. */
export function withMutants(
  text: string,
  mutants: readonly Mutant[],
  nameOf: (mutant: Mutant) => string,
): string {
  const render = (from: number, to: number, inside: readonly Mutant[]): string => {
    let out = '';
    let at = from;
    for (const mutant of inside) {
      // One that stands inside another was written with it.
      if (mutant.start < at) continue;
      const { start, end, replacement } = mutant;
      const nested = inside.filter((other) => other !== mutant && other.start >= start && other.end <= end);
      const condition = `globalThis.${TAKEN_AWAY} === ${JSON.stringify(nameOf(mutant))}`;
      out += `${text.slice(at, start)}(${condition} ? (${replacement}) : (${render(start, end, nested)}))`;
      at = end;
    }
    return out + text.slice(at, to);
  };
  return render(
    0,
    text.length,
    mutants.toSorted((a, b) => a.start - b.start || b.end - a.end),
  );
}

function comparesOwners({ left, right, operatorToken }: ts.BinaryExpression, file: ts.SourceFile): boolean {
  const { kind } = operatorToken;
  const isComparison =
    kind === ts.SyntaxKind.EqualsEqualsEqualsToken || kind === ts.SyntaxKind.ExclamationEqualsEqualsToken;
  return isComparison && [left, right].every((side) => OWNER.test(side.getText(file)));
}
