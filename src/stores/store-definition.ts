import type { ForeignDocuments } from './foreign-documents.js';
import type { CloudSettings, ObjectStorageSettings, ServerSettings } from './store-settings.js';
import type { VectorStore } from './vector-store.js';

/** The index that a store is opened for. */
export interface StoreOwner {
  /** File of the ledger: a store that can be kept in it is, unless a folder of its own is configured. */
  readonly ledgerPath: string;
  /** Store and collection that the ledger names; absent before the first `index`. */
  readonly recorded?: { readonly provider: string; readonly collection: string } | undefined;
}

/** What every store is opened with: `rag.storage`, with secrets fetched. */
export interface StoreContext {
  /** Folder of a store on this machine. Absolute. */
  readonly path: string;
  /** The settings name the folder; else it is the usual one. */
  readonly isPathStated: boolean;
  /** `rag.storage.local.type` */
  readonly localType: string | undefined;
  /** `rag.storage.local.collection` */
  readonly collection: string;
  readonly server: ServerSettings | undefined;
  readonly s3: ObjectStorageSettings | undefined;
  readonly cloud: CloudSettings | undefined;
  /** Absent for a store that is used without an index: it keeps files of its own. */
  readonly owner?: StoreOwner | undefined;
  /** Tells a person, in a sentence, what they must know of the opening. */
  readonly notice: (text: string) => void;
}

/** One store that a configuration can name. Each has a folder, and a line in `definitions.ts`. */
export interface StoreDefinition<Name extends string = string> {
  /** `rag.provider` */
  readonly name: Name;
  /** The block of `rag.storage` that it reads beside `local`: `server` for one behind an address, `cloud` for a hosted one. */
  readonly reads?: 'server' | 's3' | 'cloud';
  /** It keeps vectors and words where every host finds them. @default false */
  readonly isShared?: boolean;
  /** Optional packages that it needs, as `npm install` takes them. */
  readonly packages?: readonly string[];
  /** Program that it starts where it runs on this machine. */
  readonly program?: string;
  /** Another store has its role: that one is opened. */
  readonly standsFor?: string;
  /** Opens it; loads its driver and no other. Throws `CONFIG_INVALID` for settings that contradict each other. */
  open(context: StoreContext): Promise<VectorStore>;
  /** Opens what another program keeps in such a database, under this name, to be imported. Absent where that is not known. */
  openForeign?(context: StoreContext, name: string): Promise<ForeignDocuments>;
  /** The name that such programs use, where there is one. */
  readonly foreignName?: string;
}

export const defineStore = <const Name extends string>(
  definition: StoreDefinition<Name>,
): StoreDefinition<Name> => definition;
