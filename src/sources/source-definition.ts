import type * as z from 'zod';
import type { Source } from './source.js';
import type { WatchedPlace } from './watched-place.js';

/** What every kind of source is opened with, beside its own settings. */
export interface SourceContext {
  /** The setting that holds the source, for messages: `rag.sources[0]`. */
  readonly key: string;
  /** Absolute folder that relative paths start from. */
  readonly projectRoot: string;
  /** Absolute folder for what is kept between runs. */
  readonly dataDir: string;
  /** Of the process, for programs that read their own variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `rag.limits.maxFileBytes`; undefined where the format of a file decides. */
  readonly maxFileBytes: number | undefined;
  /** Metadata fields that are encrypted: a source that makes a text of fields leaves them out of it. */
  readonly markedFields: readonly string[];
  /** Folder that nothing may be read beyond, and the check of what is. Absent where the user named the configuration. */
  readonly confinement?: Confinement | undefined;
}

/** Where the files that a source reads must lie, whatever links and settings of theirs say. */
export interface Confinement {
  /** Absolute. */
  readonly folder: string;
  /** Called with real paths beyond the folder before they are read. Throws `CONFIG_UNTRUSTED` where nobody trusts that. */
  assertTrusted(paths: readonly string[]): void;
  /**
   * Called with the real path of a folder or file that the settings name, before anything of it is read: what the configuration was checked with
   * may have been replaced since. Throws `CONFIG_UNTRUSTED` for one beyond the folder that was inside it then.
   */
  readonly assertRoot: (real: string) => void;
}

/** Checked settings of one source, its name among them; secrets are fetched. */
export type SourceSettingsOf<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>> & {
  readonly name: string;
};

/** One kind of source: what may be configured, and how it is opened. Each has a folder, and a line in `definitions.ts`. */
export interface SourceDefinition<
  Type extends string = string,
  Fields extends z.ZodRawShape = z.ZodRawShape,
> {
  /** `rag.sources[].type` */
  readonly type: Type;
  /** What it reads, for the configuration reference. */
  readonly about: string;
  /** Its settings, beside those that every source has. `metadata` is among them. */
  readonly fields: Fields;
  /** What `filters.sourceType` compares, unless `metadata.sourceType` says. @default type */
  sourceType?(settings: SourceSettingsOf<Fields>): string;
  /** Settings other than `metadata` that change what its documents become: another value, and they are read again. */
  readonly processed?: (settings: SourceSettingsOf<Fields>) => object;
  /** Folder or file of this machine that it reads, where it reads one other than its setting `root`. */
  readonly folder?: (settings: SourceSettingsOf<Fields>, projectRoot: string) => string | undefined;
  /** Real paths beyond a folder that it would read because of what its files say, so that they can be trusted; see `confinement`. */
  readonly reach?: (settings: SourceSettingsOf<Fields>, projectRoot: string) => Promise<readonly string[]>;
  /** Places of this machine where a change shows that it is to be read again; undefined where there are none, as for a service. */
  readonly watched?: (
    settings: SourceSettingsOf<Fields>,
    projectRoot: string,
  ) => (() => Promise<readonly WatchedPlace[]>) | undefined;
  /** How its ids are paths below that folder. @default each item is a file, and one document */
  readonly files?: { readonly mayBeAbsent?: boolean; readonly holdMany?: boolean };
  /**
   * Opens it; nothing is read yet.
   *
   * @throws RAGError `CONFIG_INVALID`, `SECRET_MISSING` naming a setting that is missing
   */
  open(settings: SourceSettingsOf<Fields>, context: SourceContext): Promise<Source>;
}

/** Infers the settings that a definition's functions are told from its fields. */
export const defineSource = <const Type extends string, Fields extends z.ZodRawShape>(
  definition: SourceDefinition<Type, Fields>,
): SourceDefinition<Type, Fields> => definition;
