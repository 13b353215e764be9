import type { MarkdownLines } from '../markdown-lines.js';
import type { Area } from './area.js';
import type { SourceLines } from './source-lines.js';
import type { FoundTable, TableLines } from './tables.js';

/** What reads blocks, as directives use it. */
export interface Blocks {
  readonly lines: SourceLines;
  readonly out: MarkdownLines;
  /** Level of the section that is being read. */
  readonly level: number;
  /** Language of literal blocks that name none. */
  language: string;
  /** Files that are included, as they are named, and not read. */
  readonly included: string[];
  pictures: number;
  /** Text as a person reads it. */
  inline(text: string): string;
  readArea(area: Area): void;
  /** What stands at a line opens a section of its own, or nothing comes: what is above it has ended. */
  isSectionEnd(area: Area, from: number): boolean;
  tableLines(area: Area): TableLines;
  /** @returns the line behind it */
  writeTable(area: Area, table: FoundTable): number;
  writeCode(
    area: Area,
    code: { readonly from: number; readonly to: number; readonly language: string },
  ): void;
}
