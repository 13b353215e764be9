import { rounded } from '../shared/statistics.js';

/** A measured claim: what the engine needs beside what its parts need alone. */
export interface SpeedResult {
  readonly name: string;
  /** What `floor`, `ours` and `ratio` are, in words. */
  readonly what: string;
  readonly unit: string;
  readonly floor: number;
  readonly ours: number;
  /** `ours / floor`, the median over pairs measured one after the other where there are several. */
  readonly ratio: number;
  readonly target: string;
  readonly met: boolean;
  /** Repetitions behind the figures, and how far apart they were. */
  readonly runs: number;
  readonly noise: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface SpeedBenchmark {
  readonly name: string;
  run(options: SpeedOptions): Promise<readonly SpeedResult[]>;
}

export interface SpeedOptions {
  /** A few per cent of the input, to see that everything runs. Its figures mean nothing. */
  readonly isSmall: boolean;
  /** Says what is going on, to a person who waits. */
  readonly say: (text: string) => void;
}

/** The same result with figures to three significant digits. */
export const presentable = (result: SpeedResult): SpeedResult => ({
  ...result,
  floor: rounded(result.floor),
  ours: rounded(result.ours),
  ratio: rounded(result.ratio),
});

/** Figures for a person, one line a result. */
export function renderTable(results: readonly SpeedResult[]): string {
  const rows = results.map(({ name, floor, ours, unit, ratio, target, met, noise }) => [
    name,
    `${floor} ${unit}`,
    `${ours} ${unit}`,
    String(ratio),
    target,
    met ? 'yes' : 'NO',
    noise,
  ]);
  const table = [['result', 'floor', 'ours', 'ratio', 'target', 'met', 'noise'], ...rows];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
