/** Lines that stand at one depth: the document, the body of a directive, an item. */
export interface Area {
  readonly from: number;
  readonly to: number;
  /** Columns of the source that every line of it is indented by. */
  readonly indent: number;
  /** What its lines begin with in Markdown: the indentation of an item. */
  readonly prefix: string;
  readonly depth: number;
  /** Definitions around it. */
  readonly definitions: number;
  /** Behind it comes a heading or nothing, so that a heading may stand in it. */
  readonly mayHoldHeadings: boolean;
}

export const nested = (area: Area, inner: Partial<Area> & Pick<Area, 'from' | 'to' | 'indent'>): Area => ({
  ...area,
  ...inner,
  depth: area.depth + 1,
});
