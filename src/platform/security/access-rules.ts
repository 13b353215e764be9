import ignore, { type Ignore } from 'ignore';
import type { ParsedDocument, RawDocument } from '../../core/document.js';
import type { Metadata, MetadataValue } from '../../core/metadata.js';
import { type AccessControl, EVERYONE } from '../../core/scope.js';

/** Conditions on a document, all of which must hold, and what follows of them. */
export interface AccessRule {
  /** Names of sources. */
  readonly sources?: readonly string[] | undefined;
  /** Patterns as in `.gitignore`, over the document's id: its path relative to the source's root. */
  readonly paths?: readonly string[] | undefined;
  /** Any of these among the document's `labels` or `tags`, in whatever case. */
  readonly labels?: readonly string[] | undefined;
  /** Any of these texts in its title or text, in whatever case: `strictly confidential`. */
  readonly contains?: readonly string[] | undefined;
  /** Any of these types of personal data or secrets in it. */
  readonly holds?: readonly string[] | undefined;
  /** Security level, from 0 up; read at this clearance and above. */
  readonly level?: number | undefined;
  /** Groups that may read it. */
  readonly groups?: readonly string[] | undefined;
}

export interface AccessRules {
  readonly rules: readonly AccessRule[];
  /** Level of a document that no rule with a level fits. Default: the highest level that a rule states. */
  readonly defaultLevel?: number | undefined;
}

/** What rules look at, before anything was taken out of it. */
export interface AccessSubject {
  readonly source: string;
  readonly raw: RawDocument;
  readonly parsed: ParsedDocument;
  /** Types found in it; empty where redaction is off. */
  readonly found: readonly string[];
}

/** Decides who may read a document. */
export type DecideAccess = (subject: AccessSubject) => AccessControl;

/**
 * Access by rules. It fails closed: of several rules that fit, the highest level counts and only groups that all of them
 * name; what the source itself says is never widened; a document that no rule with a level fits gets the highest level
 * of all rules, unless `defaultLevel` states another.
 */
export function createAccessRules({ rules, defaultLevel }: AccessRules): DecideAccess {
  const compiled = rules.map((rule) => ({ rule, fits: compileRule(rule) }));
  const otherwise = defaultLevel ?? Math.max(0, ...rules.map(({ level }) => level ?? 0));
  return (subject) => {
    const fitting = compiled.filter(({ fits }) => fits(subject)).map(({ rule }) => rule);
    const levels = fitting.flatMap(({ level }) => level ?? []);
    const { access } = subject.raw;
    return {
      level: Math.max(access.level, ...(levels.length === 0 ? [otherwise] : levels)),
      groups: fitting.reduce(
        (groups, rule) => (rule.groups === undefined ? groups : commonGroups(groups, rule.groups)),
        access.groups,
      ),
    };
  };
}

function commonGroups(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.includes(EVERYONE)) return b;
  if (b.includes(EVERYONE)) return a;
  return a.filter((group) => b.includes(group));
}

type Condition = (subject: AccessSubject) => boolean;

function compileRule({ sources, paths, labels, contains, holds }: AccessRule): Condition {
  const conditions: Condition[] = [];
  if (sources !== undefined) conditions.push(({ source }) => sources.includes(source));
  if (paths !== undefined) {
    const patterns = ignore({ allowRelativePaths: true }).add([...paths]);
    conditions.push(({ raw }) => matchesPath(patterns, raw.externalId));
  }
  if (labels !== undefined) {
    const wanted = new Set(labels.map(fold));
    conditions.push(({ raw, parsed }) => labelsOf(raw, parsed).some((label) => wanted.has(label)));
  }
  if (contains !== undefined) {
    const wanted = contains.map(fold);
    conditions.push(({ raw, parsed }) => {
      const text = fold([raw.title, parsed.title, parsed.text].join('\n'));
      return wanted.some((part) => text.includes(part));
    });
  }
  if (holds !== undefined) conditions.push(({ found }) => holds.some((type) => found.includes(type)));
  return (subject) => conditions.every((holdsFor) => holdsFor(subject));
}

function matchesPath(patterns: Ignore, path: string): boolean {
  const relative = path.replace(/^\/+/, '');
  return relative !== '' && patterns.ignores(relative);
}

/** Compatibility forms and line breaks do not hide a word: a title in full width, a phrase over two lines. */
const fold = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

function labelsOf(raw: RawDocument, parsed: ParsedDocument): string[] {
  return [raw.metadata, parsed.metadata].flatMap((metadata) =>
    LABEL_FIELDS.flatMap((field) => textsOf(fieldOf(metadata, field))),
  );
}

const LABEL_FIELDS = ['labels', 'tags'];

const fieldOf = (metadata: Metadata, field: string): MetadataValue | undefined =>
  Object.entries(metadata).find(([name]) => name.toLowerCase() === field)?.[1];

/** Lists, and texts that hold a list with commas or semicolons. */
function textsOf(value: MetadataValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap((item: MetadataValue) => textsOf(item));
  return typeof value === 'string' ? value.split(/[,;]/).map(fold) : [];
}
