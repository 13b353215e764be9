import type { Block } from '../../core/document.js';
import type { MetadataValue } from '../../core/metadata.js';
import { boundRepeated } from '../text-range.js';

/** A backlog item as JSON holds it. */
export type BacklogItem = Readonly<Record<string, MetadataValue>>;

export interface RenderedItem {
  readonly text: string;
  readonly blocks: readonly Block[];
}

interface RenderedField {
  readonly label: string;
  /** Label line and value. */
  readonly text: string;
  /** Length of the label line where the value starts below it. */
  readonly labelLength?: number;
}

/** They come first in the text; the others follow as the item has them. */
const LEADING_FIELDS = ['title', 'id', 'description', 'acceptance_criteria'];

/**
 * Readable text of a backlog item: the title on a line of its own, then each field as `label: value`, or as `label:`
 * above a value of several lines. Strings stand as they are, markup included; a list becomes `- ` lines, an object
 * indented `key: value` lines. Empty fields are left out.
 */
export function renderItem(item: BacklogItem): RenderedItem {
  const names = new Set([
    ...LEADING_FIELDS.filter((name) => Object.hasOwn(item, name)),
    ...Object.keys(item),
  ]);
  const fields = [...names].flatMap((name) => renderField(name, item[name] ?? null));
  const blocks: Block[] = [];
  let text = '';
  for (const field of fields) {
    if (text !== '') text += '\n\n';
    const start = text.length;
    text += field.text;
    blocks.push(fieldBlock(field, start, text.length));
  }
  return { text, blocks };
}

function fieldBlock({ label, labelLength }: RenderedField, start: number, end: number): Block {
  const block: Block = { kind: 'field', label, start, end };
  if (labelLength === undefined) return block;
  return { ...block, context: `${boundRepeated(label)}:`, bodyStart: start + labelLength };
}

function renderField(label: string, value: MetadataValue): RenderedField[] {
  const rendered = renderValue(value);
  if (rendered.trim() === '') return [];
  if (label === 'title') return [{ label, text: rendered.trim() }];
  if (!rendered.includes('\n') && isScalar(value)) return [{ label, text: `${label}: ${rendered}` }];
  return [{ label, text: `${label}:\n${rendered}`, labelLength: label.length + 2 }];
}

const isScalar = (value: MetadataValue): boolean => value === null || typeof value !== 'object';

function renderValue(value: MetadataValue): string {
  if (value === null) return '';
  if (typeof value === 'string') return value.trimEnd();
  if (typeof value !== 'object') return String(value);
  if (isList(value)) {
    return value
      .map((item) => bullet(renderValue(item), isScalar(item)))
      .filter((line) => line !== '')
      .join('\n');
  }
  return Object.entries(value)
    .map(([key, item]) => entry(key, renderValue(item), isScalar(item)))
    .filter((line) => line !== '')
    .join('\n');
}

const isList = (value: MetadataValue): value is readonly MetadataValue[] => Array.isArray(value);

/** A string of several lines keeps its own indentation; a nested structure is indented below its bullet. */
const bullet = (rendered: string, isPlain: boolean): string =>
  rendered.trim() === '' ? '' : `- ${isPlain ? rendered : indent(rendered).trimStart()}`;

function entry(key: string, rendered: string, isPlain: boolean): string {
  if (rendered.trim() === '') return '';
  return isPlain ? `${key}: ${rendered}` : `${key}:\n${indent(rendered)}`;
}

const indent = (text: string): string => text.replace(/^/gm, '  ');
