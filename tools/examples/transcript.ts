/** One command of a terminal session in a README, and what it prints. */
export interface TranscriptStep {
  readonly command: string;
  /** Lines of output; `…` stands for any text of a line, alone for any number of lines. */
  readonly expected: readonly string[];
  /** It ends in `&`: a server that goes on. */
  readonly isBackground: boolean;
}

const BLOCK = /^```console\n(.*?)^```$/gms;
const ANY = '…';

/** The commands of every `console` block of a README, in their order. */
export function transcriptOf(readme: string): TranscriptStep[] {
  return [...readme.matchAll(BLOCK)].flatMap(([, block = '']) => stepsOf(block));
}

function stepsOf(block: string): TranscriptStep[] {
  const parts = block.split(/^\$ /m);
  if (parts[0] !== '') throw new Error(`A transcript begins with a command: ${JSON.stringify(parts[0])}`);
  return parts.slice(1).map((part) => {
    const [line = '', ...output] = part.trimEnd().split('\n');
    const isBackground = line.endsWith('&');
    return { command: isBackground ? line.slice(0, -1).trimEnd() : line, expected: output, isBackground };
  });
}

/** Whether a command printed what a README says. White space at the ends of lines and of the whole does not count. */
export function isAsWritten(expected: readonly string[], output: string): boolean {
  const pattern = expected
    .map((line) => (line.trim() === ANY ? '(?:.*\n)*?' : `${linePattern(line)}\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(tidy(output));
}

/** Whether what a command printed begins so. */
export const beginsAsWritten = (expected: readonly string[], output: string): boolean =>
  isAsWritten([...expected, ANY], output);

const linePattern = (line: string): string => line.trimEnd().split(ANY).map(escaped).join('.*');

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

function tidy(output: string): string {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const text = lines.join('\n').replace(/^\n+|\n+$/g, '');
  return text === '' ? '' : `${text}\n`;
}
