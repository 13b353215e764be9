/** By which way a call came; `log`: it is a line of the log about itself. */
export const AUDIT_FACES = ['http', 'mcp', 'library', 'command', 'log'] as const;

/**
 * `begun`: a change that is about to be made, or an answer whose text is sent as it comes about; a line with the outcome follows,
 * unless the process died. `denied`: the caller was not known, not permitted, or called too often.
 */
export const AUDIT_OUTCOMES = ['begun', 'done', 'denied', 'failed'] as const;

/** What is logged of a deployment. */
export interface AuditedDeployment {
  readonly tenantId: string;
  readonly model?: string | undefined;
  readonly searchEndpoint?: string | undefined;
  readonly indexName?: string | undefined;
}

/** What happened, as it is handed to the log. */
export interface AuditEntry {
  readonly face: (typeof AUDIT_FACES)[number];
  /** Route, tool, command or method: `POST /api/ai/rag/search`, `tools/call search`, `keys revoke`, `search`. */
  readonly action: string;
  readonly outcome: (typeof AUDIT_OUTCOMES)[number];
  /** Why it was denied or failed, as `docs/errors.md` lists it. */
  readonly reason?: string | undefined;
  /** Of HTTP. */
  readonly status?: number | undefined;
  /** The id of the request, which the log of the service has too. */
  readonly request?: string | undefined;
  /** Id of a key or subject of a token; absent where nobody was known. */
  readonly caller?: string | undefined;
  /** Id of the key that was shown by a caller who was not known. It proves nothing. */
  readonly shownKey?: string | undefined;
  /** Where an unknown caller called from. */
  readonly address?: string | undefined;
  readonly tenant?: string | undefined;
  readonly project?: string | undefined;
  /** Groups and clearance of the caller. */
  readonly groups?: readonly string[] | undefined;
  readonly clearance?: number | undefined;
  /** The deployment that was looked at, saved or moved to: whose, and where it is to be. No secret, nor the name of one. */
  readonly deployment?: AuditedDeployment | undefined;
  /** The filters of a search or listing, as they were stated; of a tenant with a store of its own with `rag.audit.text` alone. */
  readonly filters?: unknown;
  /** Ids of documents that the caller was given, or that were written or deleted; at most 1,000. */
  readonly documents?: readonly string[] | undefined;
  /** How many results were given, or documents written or deleted. */
  readonly results?: number | undefined;
  /** An answer was withheld, for too little tells of it. */
  readonly isWithheld?: true | undefined;
  /** The question; only with `rag.audit.text`. */
  readonly text?: string | undefined;
  /** Calls of unknown callers since the line before that were left out, because there were too many. */
  readonly leftOut?: number | undefined;
  /** Files of the log that were removed, because there are enough younger ones. */
  readonly removed?: RemovedFiles | undefined;
}

/** Where a writer's chain ends. */
export interface ChainEnd {
  readonly writer: string;
  readonly sequence: number;
  readonly hash: string;
}

/** So that what comes after files that are gone can be held against what was in them. */
export interface RemovedFiles {
  /** Names. */
  readonly files: readonly string[];
  /** The last line of each writer in these files, and in those that were removed before. */
  readonly chains: readonly ChainEnd[];
}

/** A line of the log. */
export interface AuditRecord extends AuditEntry {
  /** ISO-8601 UTC. */
  readonly at: string;
  /** Name of the process that wrote it, made at its start. */
  readonly writer: string;
  /** Which of that writer's lines it is, from 0 on. */
  readonly sequence: number;
  /** See `lineHash`. */
  readonly hash: string;
}

/** Name of the file that is written to; rotated ones have a time in theirs, so that names sort as times do. */
export const CURRENT_FILE = 'audit.jsonl';
const ROTATED_FILE = /^audit-\d{8}T\d{9}Z-[\w-]+\.jsonl$/;

/** Of the names in the folder of a log those of files that were put aside, the oldest first. */
export const rotatedFiles = (names: readonly string[]): string[] =>
  names.filter((name) => ROTATED_FILE.test(name)).sort();
