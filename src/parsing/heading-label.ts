import { boundRepeated, MAX_REPEATED_LENGTH } from './text-range.js';

/** Enough source for a label of the longest length, markup and link targets included; bounds the work below. */
const MAX_SOURCE_LENGTH = 8 * MAX_REPEATED_LENGTH;

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  // A trailing anchor: `## Name {#anchor}`.
  [/\s*\{#[^{}]*\}\s*$/, ''],
  // Images and links keep their text; a reference link has its target elsewhere.
  [/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1'],
  [/<\/?[A-Za-z][^<>]*>/g, ''],
  [/`+([^`]*)`+/g, '$1'],
  [/(\*\*\*|\*\*|\*|~~)(?=\S)([^*~]*\S)\1/g, '$2'],
  // Underscores are markup only around whole words: `snake_case` stays.
  [/(?<![\p{L}\p{N}_])(___|__|_)(?=[^\s_])([^_]*[^\s_])\1(?![\p{L}\p{N}_])/gu, '$2'],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
  [/\s+/g, ' '],
];

/** Heading text as a person reads it: markup stripped simply, white space collapsed, length bounded. */
export function headingLabel(source: string): string {
  let label = source.slice(0, MAX_SOURCE_LENGTH);
  for (const [pattern, replacement] of REPLACEMENTS) label = label.replace(pattern, replacement);
  return boundRepeated(label.trim());
}
