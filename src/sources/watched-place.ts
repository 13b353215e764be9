/** A place of this machine that shows by its changes that a source is to be read again. */
export interface WatchedPlace {
  /** Absolute path of a folder, or of a file; it may be missing now. */
  readonly path: string;
  /** Whether what a folder below it holds may concern the source. Relative to `path`, with `/`; never asked for `path` itself. */
  readonly enters: (folder: string) => boolean;
  /** Whether a file may concern the source. Relative to `path`, with `/`. */
  readonly concerns: (file: string) => boolean;
  /** Whether folders that links lead to are entered, too. */
  readonly followSymlinks: boolean;
}
