import { admonitionTitle, CHANGES, type DirectiveKind, OWN_TITLE, TITLED } from '../directive-kinds.js';
import { type Area, nested } from './area.js';
import type { Blocks } from './blocks.js';
import type { Directive } from './directive.js';
import { csvCells, readCsvRows, readListTable } from './tables.js';

type ReadDirective = (blocks: Blocks, area: Area, directive: Directive) => void;

/** Writes what a directive says. What it includes is not read: only the document's own bytes are. */
export function readDirective(blocks: Blocks, area: Area, directive: Directive): void {
  READERS[directive.kind](blocks, area, directive);
}

const READERS: Readonly<Record<DirectiveKind, ReadDirective>> = {
  admonition: readAdmonition,
  change: readChange,
  code: readCode,
  'csv-table': readCsvTable,
  definition: readDefinition,
  included: (blocks, _, { argument }) => {
    blocks.included.push(argument);
  },
  language: (blocks, _, { argument }) => {
    blocks.language = languageOf(argument);
  },
  'list-table': (blocks, area, directive) => {
    writeCaption(blocks, area, directive);
    const body = bodyOf(blocks, area, directive);
    const rows = readListTable(blocks.tableLines(body), body.from);
    const hasHead = hasHeaderRows(directive);
    blocks.writeTable(area, { rows, hasHead, end: body.to });
  },
  picture: (blocks, area, directive) => {
    blocks.pictures += 1;
    const alt = directive.options.get('alt');
    if (alt !== undefined) writeParagraph(blocks, area, alt);
    blocks.readArea(bodyOf(blocks, area, directive));
  },
  rubric: (blocks, area, { line, argument }) =>
    writeParagraph(blocks, area, { line, text: `**${argument.replaceAll('\n', ' ')}**` }),
  skipped: () => undefined,
  transparent: (blocks, area, directive) => {
    const { name, line, argument } = directive;
    if (TITLED.has(name) && argument !== '')
      writeParagraph(blocks, area, { line, text: `${argument.replaceAll('\n', ' ')}:` });
    blocks.readArea(bodyOf(blocks, area, directive));
  },
};

const hasHeaderRows = ({ options }: Directive): boolean => Number(options.get('header-rows')?.text ?? 0) > 0;

const bodyOf = (blocks: Blocks, area: Area, { bodyStart: from, to }: Directive): Area =>
  nested(area, { from, to, indent: blocks.lines.indentation(from, to), mayHoldHeadings: false });

function writeParagraph(
  blocks: Blocks,
  { prefix }: Area,
  { line, text }: { line: number; text: string },
): void {
  blocks.out.write(line, blocks.inline(text).replaceAll('\n', ' '), prefix);
  blocks.out.add({ kind: 'paragraph', startLine: line, endLine: line + 1 }, prefix);
}

const writeCaption = (blocks: Blocks, area: Area, { line, argument }: Directive): void => {
  if (argument !== '') writeParagraph(blocks, area, { line, text: `${argument.replaceAll('\n', ' ')}:` });
};

/** "Warning: ..." in front of its first paragraph. */
function readAdmonition(blocks: Blocks, area: Area, directive: Directive): void {
  const { name, line, argument, bodyStart, to } = directive;
  if (OWN_TITLE.test(name)) {
    writeCaption(blocks, area, directive);
    blocks.readArea(bodyOf(blocks, area, directive));
  } else {
    readTitled(blocks, area, { title: admonitionTitle(name), line, argument, bodyStart, to });
  }
}

function readChange(blocks: Blocks, area: Area, { name, line, argument, bodyStart, to }: Directive): void {
  const [version = ''] = /^\S+/.exec(argument) ?? [];
  const text = argument.slice(version.length).trim();
  readTitled(blocks, area, { title: `${CHANGES[name]} ${version}`, line, argument: text, bodyStart, to });
}

interface Titled extends Pick<Directive, 'line' | 'argument' | 'bodyStart' | 'to'> {
  readonly title: string;
}

/** A title before text that begins beside it or below; alone where a list, a table or code comes first. */
function readTitled(blocks: Blocks, area: Area, { title, line, argument, bodyStart, to }: Titled): void {
  const indent = blocks.lines.indentation(line + 1, to);
  const body = nested(area, { from: bodyStart, to, indent, mayHoldHeadings: false });
  const first = blocks.lines.nextText(body, bodyStart);
  const text = blocks.lines.at(body, first);
  const isProse = /^[\p{L}\p{N}`"'(*:|[_<]/u.test(text) && !/^(?:\d+[.)]|\*|:[^`:]+:) /.test(text);
  const lines = argument === '' ? [] : argument.split('\n');
  if (lines.length > 0) {
    const paragraph = blocks.inline([`${title}: ${lines[0]}`, ...lines.slice(1)].join('\n')).split('\n');
    // The argument begins on the line of the directive or, where that names none, on the one below.
    const start = bodyStart - lines.length;
    for (const [index, part] of paragraph.entries())
      blocks.out.write(start + index, part.trim(), area.prefix);
    blocks.out.add({ kind: 'paragraph', startLine: start, endLine: bodyStart }, area.prefix);
  } else if (isProse && first < to) blocks.lines.replace(first, indent, `${title}: ${text}`);
  else writeParagraph(blocks, area, { line, text: first < to ? `${title}:` : `${title}.` });
  blocks.readArea(body);
}

const languageOf = (argument: string): string => /^[\w+#-]{1,30}/.exec(argument)?.[0] ?? '';
const DRAWINGS: Readonly<Record<string, string>> = {
  digraph: 'dot',
  graph: 'dot',
  graphviz: 'dot',
  math: 'math',
};
const ARGUMENT_IS_CODE = /^(?:math|productionlist)$/;

function readCode(blocks: Blocks, area: Area, directive: Directive): void {
  const { name, argument, options, bodyStart, to, line } = directive;
  const caption = options.get('caption');
  if (caption !== undefined) writeParagraph(blocks, area, { ...caption, text: `${caption.text}:` });
  const body = bodyOf(blocks, area, directive);
  const from = blocks.lines.nextText(body, bodyStart);
  if (ARGUMENT_IS_CODE.test(name) && argument !== '')
    writeParagraph(blocks, area, { line, text: argument.replaceAll('\n', ' ') });
  const language =
    DRAWINGS[name] ?? (name === 'parsed-literal' ? '' : languageOf(argument) || blocks.language);
  if (from < to) blocks.writeCode(area, { from, to, language });
}

function readCsvTable(blocks: Blocks, area: Area, directive: Directive): void {
  writeCaption(blocks, area, directive);
  const body = bodyOf(blocks, area, directive);
  const rows = readCsvRows(blocks.tableLines(body), body.from);
  const file = directive.options.get('file') ?? directive.options.get('url');
  if (file !== undefined) blocks.included.push(file.text);
  const header = directive.options.get('header');
  const head = header === undefined ? [] : [{ line: header.line, cells: csvCells(header.text) }];
  blocks.writeTable(area, {
    rows: [...head, ...rows],
    hasHead: head.length > 0 || hasHeaderRows(directive),
    end: body.to,
  });
}

const WORDS: Readonly<Record<string, string>> = {
  ...{ class: 'class ', autoclass: 'class ', exception: 'exception ', autoexception: 'exception ' },
  ...{ module: 'module ', automodule: 'module ', envvar: 'environment variable ' },
};

/**
 * A name with its description: a heading where what follows is another one or a section, so that no other text comes to stand
 * below it; else a line.
 */
function readDefinition(blocks: Blocks, area: Area, directive: Directive): void {
  const { name, line, argument, options, bodyStart, to } = directive;
  const signatures = argument
    .split('\n')
    .map((signature) => signature.replaceAll('`', '').replace(/\\(?=\S)/g, ''));
  const word = WORDS[name] ?? '';
  const isEmpty = blocks.lines.nextText({ ...area, to }, bodyStart) >= to;
  const next = blocks.lines.at(area, blocks.lines.nextText(area, to));
  // A mark for the index, above what has the same name.
  if (argument === '' ? isEmpty : isEmpty && next.includes(argument)) return;
  const label = argument === '' ? `${name}:` : `${word}${signatures.map((one) => `\`${one}\``).join(', ')}`;
  const mayHoldHeadings = area.prefix === '' && !isEmpty && argument !== '' && blocks.isSectionEnd(area, to);
  const level = Math.min(6, blocks.level + area.definitions + 1);
  if (mayHoldHeadings) blocks.out.heading(line, level, label);
  else writeLabel(blocks, area, { line, label: isEmpty || argument === '' ? label : `${label}:` });
  const synopsis = options.get('synopsis');
  if (synopsis !== undefined) writeParagraph(blocks, area, synopsis);
  const definitions = area.definitions + 1;
  const indent = blocks.lines.indentation(bodyStart, to);
  blocks.readArea(nested(area, { from: bodyStart, to, indent, definitions, mayHoldHeadings }));
}

/** As it is: a signature holds no markup. */
function writeLabel(
  blocks: Blocks,
  { prefix }: Area,
  { line, label }: { line: number; label: string },
): void {
  blocks.out.write(line, label, prefix);
  blocks.out.add({ kind: 'paragraph', startLine: line, endLine: line + 1 }, prefix);
}
