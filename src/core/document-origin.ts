/** Where a document was read from, for people who want to open it. */
export interface DocumentOrigin {
  /** Name of the source: as configured, `path:docs` of a folder that a call named, `push:documents` of what was handed in. */
  readonly source: string;
  /** Absolute path of its file; absent where it is not a file of this machine, or one of many documents in a file. */
  readonly path?: string;
}
