/** Processor time as a multiple of a fixed loop, so that it says something on any machine. */
export interface Figures {
  readonly loops: number;
  /** Of the parts of it that are worth naming: files, or suites of stores. */
  readonly parts: Readonly<Record<string, number>>;
}

export type Budget = Readonly<Record<string, Figures>>;

export interface Verdict {
  readonly lines: readonly string[];
  readonly isExceeded: boolean;
}

/** Above this multiple of its budget a run fails; between the budget and this it says so. */
export const MOST = 1.5;
/** A run is never twice the same. */
const NOTICED = 1.1;
/** A smaller part is not recorded. */
const LEAST_SHARE = 0.005;
const NAMED = 10;

const rounded = (value: number): number => Number(value.toPrecision(3));

/** Gives each part its share of the processor time: by the clock all are late on a busy machine, and alike. */
export function figuresOf(loops: number, durations: Readonly<Record<string, number>>): Figures {
  const sum = sumOf(Object.values(durations));
  const parts = Object.entries(durations).map(([name, duration]): [string, number] => [
    name,
    (loops * duration) / sum,
  ]);
  return { loops, parts: Object.fromEntries(parts) };
}

/** What the file of the budget keeps. */
export function recordedFigures({ loops, parts }: Figures): Figures {
  const large = Object.entries(parts).filter(([, part]) => part > LEAST_SHARE * loops);
  return { loops: rounded(loops), parts: sortedParts(large) };
}

/** The same of a run of some parts, where others were recorded before. */
export function withParts(before: Figures | undefined, parts: Readonly<Record<string, number>>): Figures {
  const all = sortedParts(Object.entries({ ...before?.parts, ...parts }));
  return { loops: rounded(sumOf(Object.values(all))), parts: all };
}

const sortedParts = (parts: readonly [name: string, loops: number][]): Record<string, number> =>
  Object.fromEntries(
    [...parts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, part]) => [name, rounded(part)] as const),
  );

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Holds a run against its budget; names what grew most where it is above. */
export function judge(name: string, measured: Figures, budget: Figures | undefined): Verdict {
  const used = `processor time of ${name}: ${rounded(measured.loops)} loops`;
  if (budget === undefined) return { lines: [`${used}; tests/budget.json has none`], isExceeded: false };
  const ratio = measured.loops / budget.loops;
  const line = `${used}, ${ratio.toFixed(2)} of its budget of ${budget.loops}`;
  if (ratio <= NOTICED) return { lines: [line], isExceeded: false };
  return { lines: [`${line}. What grew:`, ...grown(measured, budget)], isExceeded: !(ratio <= MOST) };
}

/** What both have: a run may take other parts than the one that was recorded. */
export function inCommon(measured: Figures, budget: Figures | undefined): [Figures, Figures | undefined] {
  if (budget === undefined) return [measured, undefined];
  const names = Object.keys(measured.parts).filter((name) => budget.parts[name] !== undefined);
  const of = ({ parts }: Figures): Figures => {
    const common = names.map((name): [string, number] => [name, parts[name] ?? 0]);
    return {
      loops: rounded(sumOf(common.map(([, part]) => part))),
      parts: Object.fromEntries(common),
    };
  };
  return names.length === 0 ? [measured, undefined] : [of(measured), of(budget)];
}

/** A part that was too small to be recorded counts as large as one may be. */
function grown(measured: Figures, budget: Figures): string[] {
  return Object.entries(measured.parts)
    .map(([part, loops]) => {
      const before = budget.parts[part];
      return { part, loops, before, growth: loops - (before ?? LEAST_SHARE * budget.loops) };
    })
    .filter(({ growth }) => growth > 0)
    .sort((a, b) => b.growth - a.growth)
    .slice(0, NAMED)
    .map(({ part, loops, before }) => `  ${part}: ${rounded(loops)} loops, ${before ?? 'not named'} before`);
}
