import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { isMarkedName, type Metadata } from '../../core/metadata.js';
import { momentOf } from '../../core/moment.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { ROW_PRESETS, type RowPresetName } from './bug-templates.js';
import { listOf, type Row, RowTemplate, textOf } from './row-template.js';
import { jsonValueOf } from './sql-values.js';

/** What of a row becomes what of a document. `{column}` stands for a value in `text`, `title` and `link`; see `RowTemplate`. */
export interface RowMappingOptions {
  /** Built-in mapping of one of the tables of a bug database; every other option goes over its part of it. */
  readonly template?: RowPresetName;
  /** Column that tells rows apart, or several that do together. */
  readonly key?: readonly string[];
  /** The document's text. */
  readonly text?: string;
  /** Instead of `text`: columns whose values are the document; several become sections under their names. */
  readonly content?: readonly string[];
  readonly title?: string;
  /** Address of the row for people; values are encoded for it. */
  readonly link?: string;
  /** Columns that become metadata, under their own names or others (`{ priority: 'prio' }`: name, column). */
  readonly fields?: readonly string[] | Readonly<Record<string, string>>;
  readonly createdAt?: string;
  /** Column whose value changes with every change of the row; without it rows are compared by hash. */
  readonly updatedAt?: string;
  /** Column that marks a deleted row: not null, not false, not 0. */
  readonly deletedAt?: string;
  /** Media type of the text. @default text/plain; text/markdown for several `content` columns */
  readonly mediaType?: string;
  /** Metadata fields that stand in no text: a text, title or address that names their columns goes without the values. @default none */
  readonly markedFields?: readonly string[];
  /** Facts added to every document. */
  readonly metadata?: Metadata;
}

/** Turns rows into documents. Knows which columns that takes, and asks for no other. */
export class RowMapping {
  readonly key: readonly string[];
  readonly updatedAt: string | undefined;
  readonly deletedAt: string | undefined;
  /** Every column that a document is made of. */
  readonly columns: readonly string[];
  /** What `filters.sourceType` compares. */
  readonly sourceType: string;
  readonly #text: RowTemplate | undefined;
  readonly #content: readonly string[];
  readonly #title: RowTemplate | undefined;
  readonly #link: RowTemplate | undefined;
  readonly #fields: readonly (readonly [name: string, column: string])[];
  readonly #createdAt: string | undefined;
  readonly #mediaType: string;
  readonly #metadata: Metadata;
  /** Whether a column is of a marked field, or called so, or like a part of it. */
  readonly #isWithheld: (column: string) => boolean;

  /** @throws RAGError `CONFIG_INVALID` naming the setting that is missing or wrong. */
  constructor(options: RowMappingOptions, source: string) {
    const preset = options.template === undefined ? undefined : ROW_PRESETS[options.template];
    const { content = [], metadata = {} } = options;
    const text = options.text ?? (content.length > 0 ? undefined : preset?.text);
    const key = options.key ?? preset?.key ?? [];
    if (key.length === 0) throw missing(source, 'key', 'the column that tells rows apart');
    if (text === undefined && content.length === 0)
      throw missing(source, 'text', 'what a document says (or `content`, columns, or `template`)');
    this.key = key;
    this.updatedAt = options.updatedAt;
    this.deletedAt = options.deletedAt;
    this.sourceType =
      typeof metadata.sourceType === 'string' ? metadata.sourceType : (options.template ?? 'sql');
    this.#text = templateOf(text, source, 'text');
    this.#content = text === undefined ? content : [];
    this.#title = templateOf(options.title ?? preset?.title, source, 'title');
    this.#link = templateOf(options.link, source, 'link');
    this.#fields = fieldPairs(options.fields ?? preset?.fields ?? []);
    const marked = options.markedFields ?? [];
    const columns = this.#fields.flatMap(([name, column]) => (isMarkedName(name, marked) ? [column] : []));
    const withheld = [...marked, ...columns].map(folded);
    this.#isWithheld = (column) => isMarkedName(folded(column), withheld);
    assertNotKeys(key.filter(this.#isWithheld), source);
    const times = Object.entries({ createdAt: options.createdAt, updatedAt: options.updatedAt });
    assertMarkedNames(
      [
        ...this.#fields,
        ...times.flatMap(([name, column]) => (column === undefined ? [] : [[name, column] as const])),
      ],
      { marked, isWithheld: this.#isWithheld, source },
    );
    this.#createdAt = options.createdAt;
    this.#mediaType = options.mediaType ?? (this.#content.length > 1 ? 'text/markdown' : 'text/plain');
    this.#metadata = metadata;
    this.columns = this.#columnsUsed();
  }

  #columnsUsed(): string[] {
    const templates = [this.#text, this.#title, this.#link].flatMap((template) => template?.columns ?? []);
    const fields = this.#fields.map(([, column]) => column);
    const marks = [this.updatedAt, this.deletedAt, this.#createdAt].filter((column) => column !== undefined);
    return [...new Set([...templates, ...this.#content, ...fields, ...marks])];
  }

  isDeleted(row: Row): boolean {
    const mark = this.deletedAt === undefined ? null : row[this.deletedAt];
    const isBlank = mark === null || mark === undefined || mark === false;
    return !isBlank && !['', '0', 'f', 'false'].includes(String(mark));
  }

  toDocument(externalId: string, row: Row): RawDocument {
    const shown = Object.fromEntries(Object.entries(row).filter(([column]) => !this.#isWithheld(column)));
    const title = this.#title?.render(shown).replaceAll(/\s+/g, ' ').trim();
    const isLinked = this.#link?.columns.every((column) => textOf(shown[column]) !== '') ?? false;
    const createdAt = this.#createdAt === undefined ? undefined : momentOf(row[this.#createdAt]);
    const updatedAt = this.updatedAt === undefined ? undefined : momentOf(row[this.updatedAt]);
    return {
      externalId,
      mediaType: this.#mediaType,
      content: this.#text?.render(shown) ?? this.#sections(shown),
      ...(title ? { title } : {}),
      ...(isLinked && this.#link !== undefined ? { url: this.#link.render(shown, encodeURIComponent) } : {}),
      ...withoutUndefined({ createdAt, updatedAt }),
      metadata: { ...this.#metadataOf(row), ...this.#metadata },
      access: OPEN_ACCESS,
    };
  }

  #sections(row: Row): string {
    const filled = this.#content.flatMap((column) => {
      const text = textOf(row[column]);
      return text === '' ? [] : [{ column, text }];
    });
    if (this.#content.length === 1) return filled[0]?.text ?? '';
    return filled.map(({ column, text }) => `## ${column}\n\n${text}\n`).join('\n');
  }

  #metadataOf(row: Row): Metadata {
    return Object.fromEntries(
      this.#fields.flatMap(([name, column]) => {
        // A list in JSON text is a list, so that filters find its members.
        const value = jsonValueOf(listOf(row[column]) ?? row[column]);
        return value === undefined || value === null ? [] : [[name, value]];
      }),
    );
  }
}

/** Databases compare names of columns without case. */
const folded = (column: string): string => column.toLowerCase();

/** A column of a marked field, or called like one, is one under every name that it becomes metadata under. */
function assertMarkedNames(
  fields: readonly (readonly [string, string])[],
  {
    marked,
    isWithheld,
    source,
  }: {
    readonly marked: readonly string[];
    readonly isWithheld: (column: string) => boolean;
    readonly source: string;
  },
): void {
  const found = fields.find(([name, column]) => isWithheld(column) && !isMarkedName(name, marked));
  if (found === undefined) return;
  const [name, column] = found;
  throw new RAGError(
    'CONFIG_INVALID',
    `Source "${source}": the column "${column}" is a field that is encrypted (\`rag.security.encryption.fields\`), and becomes metadata under the name "${name}", which is not. Encrypt "${name}" too, or take the column from that name.`,
    { details: { source, key: 'fields' } },
  );
}

/** A key is the name of its document, which stands in every file. */
function assertNotKeys(columns: readonly string[], source: string): void {
  if (columns.length === 0) return;
  throw new RAGError(
    'CONFIG_INVALID',
    `Source "${source}": the column "${columns[0]}" is a \`key\`, and a field that is encrypted (\`rag.security.encryption.fields\`). A key is the name of its document and cannot be: choose another key, or take the field out of \`fields\`.`,
    { details: { source, key: 'key' } },
  );
}

const templateOf = (text: string | undefined, source: string, setting: string): RowTemplate | undefined =>
  text === undefined ? undefined : new RowTemplate(text, `source "${source}", ${setting}`);

const fieldPairs = (fields: NonNullable<RowMappingOptions['fields']>): (readonly [string, string])[] =>
  isList(fields) ? fields.map((column) => [column, column]) : Object.entries(fields);

const isList = (fields: NonNullable<RowMappingOptions['fields']>): fields is readonly string[] =>
  Array.isArray(fields);

const missing = (source: string, setting: string, what: string): RAGError =>
  new RAGError('CONFIG_INVALID', `Source "${source}" lacks \`${setting}\`: ${what}.`, {
    details: { source, key: setting },
  });
