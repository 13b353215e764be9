import type { TextRange } from '../../core/document.js';
import { escapeExpression } from '../../core/escape-expression.js';
import { callersName, holdsMarked, isMarkedName, type Metadata } from '../../core/metadata.js';
import { FOLDED_KEY, liftFields, UNLIFTED_KEY } from '../../core/pushed-fields.js';
import { labelReader } from '../label-reader.js';

/** Where a text states fields, names and values. */
export interface StatedFields extends TextRange {
  /** Of the fields that are looked for. */
  readonly names: readonly string[];
  /** The field of the front matter that it is. Absent for comments, and where it could not be told. */
  readonly key?: string | undefined;
  /** It could not be told which fields are stated there. */
  readonly isUnread?: boolean;
}

/** Names of fields that become the document's own, of what is under `knowledgeMetadata`; all, where that cannot be told. */
export function foldedNames(fields: Metadata, names: readonly string[]): readonly string[] {
  const { [FOLDED_KEY]: folded } = fields;
  if (folded === undefined || folded === null) return [];
  const lifted = liftFields({ [FOLDED_KEY]: folded });
  return lifted[UNLIFTED_KEY] === folded ? names : names.filter((name) => holdsMarked(lifted, [name]));
}

/** Fields that a name is that of, or of a part of, in whatever letters it is written. */
export const fieldsNamed = (key: string, names: readonly string[]): readonly string[] => {
  const labelled = labelReader(names).inHeading(callersName(key));
  return names.filter((name) => labelled.includes(name) || isMarkedName(key, [name]));
};

/** What could not become fields may hold any of them. */
export const restNames = (key: string | undefined, names: readonly string[]): readonly string[] =>
  key === UNLIFTED_KEY ? names : [];

/** Whether a line states a field, in YAML, JSON or TOML, commented out or not; as an item of a list too, except where it may be one of prose. */
export function states(text: string, name: string, isProse = false): boolean {
  const quoted = `["']?${escapeExpression(name)}["']?`;
  const line = String.raw`^(?:[ \t?#{]|//|[&!]\S*[ \t]${isProse ? '' : '|-[ \\t]'})*`;
  const flow = String.raw`\{(?:[^{}]*,)?\s*`;
  return new RegExp(
    String.raw`(?:${line}|${flow})${quoted}[ \t]*[:=]|^[ \t]*(?:-[ \t]+)*\?[ \t]*${quoted}[ \t]*(?:#.*)?$|^[ \t#]*\[{1,2}[ \t]*${quoted}[ \t]*\]{1,2}[ \t]*$|^[ \t#]*${quoted}[ \t]*\.[^\n=]*=|^[ \t#]*\[{1,2}[ \t]*${quoted}[ \t]*\.`,
    'm',
  ).test(text);
}
