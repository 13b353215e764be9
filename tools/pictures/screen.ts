import xterm, { type IBufferCell, type IBufferLine } from '@xterm/headless';

/** Text of one style; `colour` is a number of the terminal's palette. */
export interface Run {
  readonly column: number;
  readonly text: string;
  readonly colour: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

/** A terminal that keeps what it is sent. */
export interface Screen {
  write(data: string): Promise<void>;
  /** Its lines down to the last one that shows something. */
  lines(): readonly (readonly Run[])[];
}

export function openScreen(columns: number): Screen {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows: 40,
    scrollback: 10_000,
    allowProposedApi: true,
  });
  return {
    write: (data) =>
      new Promise((resolve) => {
        terminal.write(data, resolve);
      }),
    lines: () => {
      const { active } = terminal.buffer;
      const all = Array.from({ length: active.length }, (_, at) => runsOf(active.getLine(at), columns));
      return all.slice(0, all.findLastIndex((runs) => runs.length > 0) + 1);
    },
  };
}

function runsOf(line: IBufferLine | undefined, columns: number): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined) break;
    const next = { ...styleOf(cell), column, text: cell.getChars() || ' ' };
    const last = runs.at(-1);
    if (last !== undefined && isSameStyle(last, next))
      runs[runs.length - 1] = { ...last, text: last.text + next.text };
    else runs.push(next);
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

const styleOf = (cell: IBufferCell): Pick<Run, 'colour' | 'isBold' | 'isDim'> => ({
  colour: cell.isFgPalette() ? cell.getFgColor() : undefined,
  isBold: cell.isBold() !== 0,
  isDim: cell.isDim() !== 0,
});

const isSameStyle = (left: Run, right: Run): boolean =>
  left.colour === right.colour && left.isBold === right.isBold && left.isDim === right.isDim;
