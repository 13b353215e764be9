/**
 * A database in which parts of different stages can be kept, so that they share transactions. Each kind is a class of its own;
 * a part recognises the kind that it can write to.
 */
export interface SharedDatabase {
  /** Absolute path of its file. */
  readonly path: string;
}
