import type { ContextEntry, ContextPiece } from '../context/context-pack.js';
import { extractIdentifiers, isSignedName } from '../core/analysis/identifiers.js';
import { passageUnits } from '../core/analysis/passage-units.js';
import type { TextRange } from '../core/document.js';
import { itemIdsOf } from '../core/item-id.js';
import { type ExactName, exactNamesIn } from './exact-names.js';

/**
 * Where a passage holds the identifier: in the stretch itself or in what it is headed by, in its section alone, or elsewhere or nowhere. `unsaid`: it
 * holds no name of a language, where that is asked for, so it may be about any.
 */
export type Holding = 'own' | 'section' | 'unsaid' | 'none';

const IS_VERSION = /^v?\d+(?:\.\d+)+/i;
const IS_FILE = /[/\\]|\.[a-z][a-z0-9]{0,9}$/i;
/** `OAuth2` is told of as `OAuth` too. */
const IS_GENERATION = /^\p{L}{3,}\d{1,2}$/u;

/**
 * The identifier with digits or the language with signs that a question is about (`0x80070005`, `E101`, `SHOP-481`, `C#`): the only one that it names. None for versions, which texts
 * name by halves and ranges, and for paths.
 */
export function askedIdentifier(question: string): ExactName | undefined {
  const [only, ...others] = exactNamesIn(question);
  if (only === undefined || others.length > 0) return undefined;
  const { name } = only;
  if (isSignedName(only.identifier)) return only;
  const isOne = /\d/.test(name) && !IS_VERSION.test(name) && !IS_FILE.test(name) && !IS_GENERATION.test(name);
  return isOne ? only : undefined;
}

type Holder = Pick<ContextEntry, 'source' | 'title' | 'headingPath' | 'pieces' | 'metadata'>;

/** How a stretch of an entry holds an identifier. */
export function holdingOf(identifier: ExactName, entry: Holder, stretch: TextRange): Holding {
  const piece = entry.pieces.find(({ start, end }) => start <= stretch.start && stretch.start < end);
  const own = piece?.text.slice(stretch.start - piece.start, stretch.end - piece.start) ?? '';
  const titles = [entry.title ?? '', entry.source.split('/').at(-1) ?? '', ...itemIdsOf(entry.metadata)];
  const section = piece === undefined ? undefined : sectionAt(piece, stretch.start - piece.start);
  const headings = headingsOver(entry.headingPath, section);
  const told = [own, ...titles, ...headings];
  if (told.some((text) => identifier.standsIn(text))) return 'own';
  if (section !== undefined && identifier.standsIn(section.text)) return 'section';
  return isSignedName(identifier.identifier) && !told.some((text) => namesLanguageLike(identifier, text))
    ? 'unsaid'
    : 'none';
}

const SAID_WITHOUT_SIGNS = /(?<![\p{L}\p{N}])(?:cpp|[cf]sharp|dotnet)(?![\p{L}\p{N}])/iu;

/** `C++`, `pool.cpp` or `C` where `C#` is asked for. */
function namesLanguageLike({ parts: [letters = ''] }: ExactName, text: string): boolean {
  const alone = new RegExp(String.raw`(?<![\p{L}\p{N}.+#'’-])${letters}(?![\p{L}\p{N}+#'’-])`, 'u');
  return (
    extractIdentifiers(text).some(isSignedName) ||
    SAID_WITHOUT_SIGNS.test(text) ||
    (letters.length === 1 && alone.test(text))
  );
}

interface Section {
  /** Headings of the piece that stand over it, outermost first. */
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  /** What stands under them: its own text and what leads to the sections they are divided into. */
  readonly text: string;
}

function sectionAt({ text }: ContextPiece, at: number): Section {
  const marks = passageUnits(text)
    .filter(({ kind }) => kind === 'heading')
    .map((unit) => {
      const heading = text.slice(unit.start, unit.end).trim();
      return { start: unit.start, level: levelOf(heading), text: heading };
    });
  const behind = (mark: { readonly start: number }): number =>
    marks.find(({ start }) => start > mark.start)?.start ?? text.length;
  const over: (typeof marks)[number][] = [];
  for (const mark of marks) {
    if (mark.start > at) break;
    while ((over.at(-1)?.level ?? 0) >= mark.level && over.length > 0) over.pop();
    over.push(mark);
  }
  const isHeaded = marks.some(({ start }) => start <= at);
  const first = { start: -1 };
  const texts = (isHeaded ? over : [first]).map((mark) => text.slice(Math.max(0, mark.start), behind(mark)));
  return { headings: over, text: texts.join('\n') };
}

/** By its signs, or by the line below it. */
const levelOf = (heading: string): number =>
  /^#+/.exec(heading)?.[0].length ?? (heading.endsWith('=') ? 1 : 2);

/** A path of headings is that of where a passage begins: what stands under a heading of its own is no longer under those of that level. */
function headingsOver(path: readonly string[], section: Section | undefined): string[] {
  const [outermost] = section?.headings ?? [];
  if (section === undefined || outermost === undefined) return [...path];
  return [...path.slice(0, outermost.level - 1), ...section.headings.map(({ text }) => text)];
}
