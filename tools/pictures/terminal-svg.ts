import type { Run } from './screen.js';

const FONT_SIZE = 13;
const LINE_HEIGHT = 18;
const CHARACTER_WIDTH = 7.8;
const MARGIN = 16;

/** Black on white would be as good; this is what most terminals look like. */
const BACKGROUND = '#1b2028';
const FOREGROUND = '#d8dee6';
const PALETTE: Readonly<Record<number, string>> = {
  1: '#f07178',
  2: '#9ccc7a',
  3: '#e6c06a',
  4: '#7aa7e6',
  5: '#c594e0',
  6: '#6fc7d1',
};

/** Lines of a terminal as a picture. */
export function terminalSvg(lines: readonly (readonly Run[])[], columns: number): string {
  const width = Math.ceil(columns * CHARACTER_WIDTH + 2 * MARGIN);
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const texts = lines.flatMap((runs, row) => runs.map((run) => textOf(run, row)));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal session">
<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="${FOREGROUND}" xml:space="preserve">
${texts.join('\n')}
</g>
</svg>
`;
}

/** Its length is stated, so that columns stand whatever font a reader has. */
function textOf({ column, text, colour, isBold, isDim }: Run, row: number): string {
  const begin = text.length - text.trimStart().length;
  const shown = text.trim();
  const x = (MARGIN + (column + begin) * CHARACTER_WIDTH).toFixed(1);
  const y = MARGIN + row * LINE_HEIGHT + FONT_SIZE;
  const styles = [
    colour === undefined ? '' : ` fill="${PALETTE[colour] ?? FOREGROUND}"`,
    isBold ? ' font-weight="bold"' : '',
    isDim ? ' opacity="0.65"' : '',
  ].join('');
  const length = (shown.length * CHARACTER_WIDTH).toFixed(1);
  return `<text x="${x}" y="${y}" textLength="${length}"${styles}>${escaped(shown)}</text>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
