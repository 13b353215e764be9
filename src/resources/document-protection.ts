import type { ResolvedConfig } from '../config/resolved-config.js';
import type { ParsedDocument, RawDocument } from '../core/document.js';
import type { Metadata } from '../core/metadata.js';
import type { AccessRules, DecideAccess } from '../platform/security/access-rules.js';
import type { RedactionType } from '../platform/security/redaction/detection.js';
import type { Redactor, RedactorOptions } from '../platform/security/redaction/redactor.js';
import {
  createSealing,
  NO_SEALING,
  type SealedOwner,
  type SealingSettings,
} from '../platform/security/sealed-metadata.js';
import type { WithheldDocument } from './withheld-document.js';

/** Of what `withheld-fields.ts` takes out of texts: another one means that documents must be processed again. */
const WITHHOLDING_VERSION = 18;

/** How often each type of personal data or secret was taken out of a document. */
export type RedactionCounts = Readonly<Record<string, number>>;

/** A document that is safe to store. */
export interface ProtectedDocument {
  readonly raw: RawDocument;
  readonly parsed: ParsedDocument;
  readonly redactions: RedactionCounts;
}

/** Decides who may read a document, then takes out what nobody should. */
export interface DocumentProtection {
  /** What decides its result; part of the processing key. */
  readonly key: readonly unknown[];
  /** Fields that no text may state. */
  readonly markedFields: readonly string[];
  protect(source: string, raw: RawDocument, document: WithheldDocument): ProtectedDocument;
  /** Metadata as it may be stored: what is marked is encrypted. */
  seal(metadata: Metadata, owner: SealedOwner): Metadata;
}

/** What protection does, as plain data. */
export interface ProtectionSettings {
  /** Absent where nothing is taken out. */
  readonly redaction?: RedactorOptions | undefined;
  /** Absent where no rule decides who may read. */
  readonly access?: AccessRules | undefined;
  /** Absent where no metadata is encrypted. */
  readonly sealing?: SealingSettings | undefined;
  /** Types of personal data or secrets that the rules ask for, whether or not they are taken out. */
  readonly asked: readonly RedactionType[];
}

/** Encryption as configured, with its keys as plain text. They must have been fetched. */
export const sealingSettings = ({ rag }: ResolvedConfig): SealingSettings => ({
  fields: rag.security.encryption.fields,
  keys: rag.security.encryption.keys.map(({ id, key }) => ({ id, key: key.reveal() })),
});

/**
 * Protection as configured; undefined where neither redaction nor an access rule nor encryption is. The keys of encryption must have been
 * fetched.
 */
export function protectionSettings(config: ResolvedConfig): ProtectionSettings | undefined {
  const { redaction, access, encryption } = config.rag.security;
  const hasRules = access.rules.length > 0 || access.defaultLevel !== undefined;
  const sealing = encryption.fields.length > 0 ? sealingSettings(config) : undefined;
  if (!redaction.enabled && !hasRules && sealing === undefined) return undefined;
  const { mode, types, key } = redaction;
  return {
    redaction: redaction.enabled ? { mode, types, key: key?.reveal() } : undefined,
    access: hasRules ? access : undefined,
    sealing,
    asked: access.rules.flatMap(({ holds }) => holds ?? []),
  };
}

/**
 * Protection by its settings. Loads the detectors.
 *
 * @throws RAGError `CONFIG_INVALID` for `mode: token` without a key, or with a short one
 */
export async function openProtection({
  redaction,
  access,
  sealing,
  asked,
}: ProtectionSettings): Promise<DocumentProtection> {
  const { createRedactor } = await import('../platform/security/redaction/redactor.js');
  const { createAccessRules } = await import('../platform/security/access-rules.js');
  const redactor = redaction && createRedactor(redaction);
  const finder = asked.length === 0 ? undefined : createRedactor({ types: asked });
  const decide = access && createAccessRules(access);
  const sealer = sealing === undefined ? NO_SEALING : createSealing(sealing);
  return {
    // Not by which key: a new one re-encrypts in the background.
    key: [
      redactor?.fingerprint ?? null,
      access ?? null,
      finder?.fingerprint ?? null,
      ...(sealing === undefined ? [] : [sealing.fields, WITHHOLDING_VERSION]),
    ],
    seal: sealer.seal,
    markedFields: sealer.fields,
    protect: (source, raw, { stated, parsed }) => {
      const open =
        decide === undefined
          ? raw
          : { ...raw, access: accessOf({ source, raw, parsed: stated }, decide, finder) };
      if (redactor === undefined) return { raw: open, parsed, redactions: {} };
      const { counts, ...safe } = redactor.redact({ raw: open, parsed });
      return { ...safe, redactions: counts };
    },
  };
}

function accessOf(
  document: { readonly source: string; readonly raw: RawDocument; readonly parsed: ParsedDocument },
  decide: DecideAccess,
  finder: Redactor | undefined,
): RawDocument['access'] {
  const { raw, parsed } = document;
  const found = finder === undefined ? [] : Object.keys(finder.redact({ raw, parsed }).counts);
  return decide({ ...document, found });
}
