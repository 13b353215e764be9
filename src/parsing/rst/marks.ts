/** What the first line of a block says of it. */
const RULE = /^([!-/:-@[-`{-~])\1+$/;
const BULLET = /^[-*+•‣⁃](?= |$)/;
const ENUMERATOR = /^\(?(?:\d{1,9}|[A-Za-z]|[ivxlcdmIVXLCDM]{1,8}|#)[.)](?= )/;
const FIELD = /^:([^\s:`][^:`]{0,100}):(?: +([^ ].*))?$/s;
const OPTION = /^(?:-{1,2}|\/)[A-Za-z\d?][^ ]{0,60}(?:,? [^ ]{1,40}){0,8}?(?= {2}|$)/;

/** A line of one punctuation character, below or above a title or between paragraphs. */
export const isRule = (line: string): boolean => RULE.test(line) && line !== '::' && line !== '..';

/** A field of a list such as `:param x: what it is`. */
export function fieldOf(line: string): { readonly name: string; readonly text: string } | undefined {
  const [, name, text = ''] = FIELD.exec(line) ?? [];
  return name === undefined ? undefined : { name, text };
}

/** Mark of an item: how wide it is in the source, with the blanks behind it, and what it is in Markdown. */
export interface ItemMark {
  readonly width: number;
  readonly marker: string;
  /** Items of one kind make one list. */
  readonly kind: 'bullet' | 'number';
}

export function itemMarkOf(line: string): ItemMark | undefined {
  const bullet = BULLET.exec(line)?.[0];
  if (bullet !== undefined) return { width: widthOf(line, bullet), marker: '-', kind: 'bullet' };
  const number = ENUMERATOR.exec(line)?.[0];
  if (number === undefined) return undefined;
  const digits = /\d+/.exec(number)?.[0] ?? (number.includes('#') ? '1' : undefined);
  const marker = digits === undefined ? `- ${number}` : `${digits}.`;
  return { width: widthOf(line, number), marker, kind: 'number' };
}

const widthOf = (line: string, mark: string): number =>
  mark.length + Math.max(1, line.slice(mark.length).search(/\S|$/));

/** The options of an option list such as `-o FILE, --output=FILE`, of the line that they open. */
export const optionsOf = (line: string): string | undefined => OPTION.exec(line)?.[0];

const PARAMETER = /^(?:param|parameter|arg|argument|key|keyword|kwarg)\s+(?:(.*)\s)?(\S+)$/;
const RAISED = /^(?:raises?|except|exception)\s+(\S+)$/;
const PLAIN_FIELDS: Readonly<Record<string, string>> = {
  returns: 'Returns',
  return: 'Returns',
  rtype: 'Return type',
};

/** A field's name as a person reads it. */
export function fieldLabel(name: string): string {
  const [, type, parameter] = PARAMETER.exec(name) ?? [];
  if (parameter !== undefined) return `\`${parameter}\`${type === undefined ? '' : ` (${type.trim()})`}`;
  const typed = /^type\s+(\S+)$/.exec(name)?.[1];
  if (typed !== undefined) return `Type of \`${typed}\``;
  const raised = RAISED.exec(name)?.[1];
  if (raised !== undefined) return `Raises \`${raised}\``;
  return PLAIN_FIELDS[name] ?? name;
}
