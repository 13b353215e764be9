import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { parseJson } from '../../core/parse-json.js';

/** What an archive begins with: every file in it, so that a damaged or made-up one is refused before anything is written. */
const manifestSchema = z.strictObject({
  format: z.literal(1),
  /** ISO-8601 UTC. */
  at: z.iso.datetime(),
  files: z.array(
    z.strictObject({
      /** Below the archive's root, with `/`: `data/ledger.db`, `store/a.lance/…`. */
      path: z.string().regex(/^(?:data|store)(?:\/(?!\.{1,2}(?:\/|$))[^/\\\0]+)+$/),
      bytes: z.int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

export type BackupManifest = z.infer<typeof manifestSchema>;
export type BackedUpFile = BackupManifest['files'][number];

export const MANIFEST = 'manifest.json';
export const FORMAT = 1;
/** The data folder, and the folder of the store, wherever the configuration puts it. */
export const DATA = 'data';
export const STORE = 'store';

/** @throws RAGError `BACKUP_INVALID` */
export function parseManifest(text: string, archive: string): BackupManifest {
  const found = manifestSchema.safeParse(parseJson(text));
  if (found.success) return found.data;
  throw invalidBackup(archive, 'it does not begin with the list of its files, or a later version made it');
}

/** @param why continues "… is no backup: " */
export const invalidBackup = (archive: string, why: string, cause?: unknown): RAGError =>
  new RAGError(
    'BACKUP_INVALID',
    `${archive} cannot be restored: ${why}. Nothing was put in place. Take another backup, made by \`ragstone backup\`.`,
    { cause },
  );
