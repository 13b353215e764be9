import type { Label } from '../label-reader.js';

/** A member of a record, or an item of a list, of JSON or YAML. */
export interface Part {
  /** Absent in lists. */
  readonly key?: string | undefined;
  /** Its value, where that is a text. */
  readonly text?: string | undefined;
  readonly isScalar: boolean;
}

/** The names of columns, as a list that stands beside the rows. */
export interface Header {
  readonly length: number;
  /** Of each column that is one of the fields. */
  readonly columns: ReadonlyMap<number, readonly string[]>;
}

/** Of these the name is the last part of an address. */
const ADDRESS_KEY = /^[@$_]?(?:url|uri|ref|system)$/i;
/** Whether it may be a mere link to what is called so. */
export const isAddress = ({ key = '' }: Pick<Part, 'key'>): boolean => ADDRESS_KEY.test(key);
const labelsOf = ({ key, text }: Pick<Part, 'key' | 'text'>, labelOf: Label['alone']): readonly string[] =>
  key === undefined || text === undefined || CHOOSING_KEY.test(key)
    ? []
    : labelOf(ADDRESS_KEY.test(key) ? text.slice(text.search(/[^/#:]*$/)) : text.replace(/[:：]$/, ''));

/** What pairs of a name and a value call the name. */
const NAME_KEY =
  /^[@$_]?(?:name|key|field|fieldname|label|title|id|k|n|prop(?:erty)?|attr(?:ibute)?|col(?:umn)?|term|var(?:iable)?|param(?:eter)?|header|heading|question|code|path|slug|link_?id|tag|caption|dimension|metric|measure|fact)$|(?:name|key|label|field|column|_id)$/i;
/** What is done by a field, whatever it holds. */
const CHOOSING_KEY =
  /^(?:sort|order|group|select|distinct|partition|facet|index)(?:[a-z]+)?(?:[A-Z_-]\w*)?$|(?:_b|B)y$/;
const VALUE_KEY = /^value|value$|^(?:extension|val|v|data|text|content|answer|example|default)$/i;

/** Of what holds a value and nothing else. */
export const isValue = ({ key = '' }: Pick<Part, 'key'>): boolean => /^value|value$|^answer$/i.test(key);

/** Parts of a row that is a name and what is said of it. */
const MOST_IN_ROW = 4;

/** Names that a record gives as the name of what its other members say. */
export const recordLabels = (
  parts: readonly Pick<Part, 'key' | 'text'>[],
  labelOf: Label['alone'],
): readonly string[] => parts.flatMap((part) => labelsOf(part, labelOf));

/** The parts of a record or a list that state a field by a name that is a value itself, with the name. */
export function pairedParts(
  parts: readonly Part[],
  {
    isList,
    isInList,
    isWhole = false,
    labelOf,
  }: {
    readonly isList: boolean;
    readonly isInList: boolean;
    /** It is all of front matter, or of settings, whose title or address names what a text is about. */
    readonly isWhole?: boolean;
    readonly labelOf: Label;
  },
): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  if (isList) {
    for (const [at, { text = '' }] of parts.entries()) {
      const option = text.startsWith('-') ? labelOf(text.replace(/^-+/, '')) : [];
      if (option.length === 0) continue;
      found.set(at, option);
      const value = parts[at + 1];
      if (value !== undefined && !/^--?\p{L}/u.test(value.text ?? '')) found.set(at + 1, option);
    }
    if (!isInList || parts.length < 2 || parts.length > MOST_IN_ROW) return found;
    // In a longer row what it is of stands before the name.
    const at = parts.findIndex(({ text }) => text !== undefined && labelOf(text).length > 0);
    const names = at < 0 || at === parts.length - 1 ? [] : labelOf(parts[at]?.text ?? '');
    if (names.length > 0) for (let place = at; place < parts.length; place += 1) found.set(place, names);
    return found;
  }
  // What merely mentions a field names none where nothing else is called a value.
  const hasValue = parts.some(({ key = '' }) => VALUE_KEY.test(key));
  if (isWhole && !hasValue) return found;
  const read = hasValue ? labelOf : labelOf.alone;
  const labelled = parts.filter((part) => labelsOf(part, read).length > 0);
  const names = recordLabels(labelled, read);
  if (names.length === 0) return found;
  // A link is none.
  if (labelled.every(isAddress) && !hasValue) return found;
  const isNamed = labelled.some((part) => isAddress(part) || NAME_KEY.test(part.key ?? ''));
  for (const [at, { isScalar }] of parts.entries()) if (isNamed || isScalar) found.set(at, names);
  return found;
}

/** The header that a list is, where it names a field. */
export function headerOf(
  items: readonly (Part & { readonly record?: readonly Part[] | undefined })[],
  labelOf: Label,
): Header | undefined {
  const isAlike =
    items.every(({ isScalar }) => isScalar) || items.every(({ record }) => record !== undefined);
  if (!isAlike) return undefined;
  const columns = new Map<number, readonly string[]>();
  for (const [at, { text, record = [] }] of items.entries()) {
    const isPair = record.some(({ key = '' }) => VALUE_KEY.test(key));
    const names = text !== undefined ? labelOf(text) : isPair ? [] : recordLabels(record, labelOf);
    if (names.length > 0) columns.set(at, names);
  }
  return columns.size === 0 ? undefined : { length: items.length, columns };
}
