import type { ResolvedConfig } from '../config/resolved-config.js';
import type { ParsedDocument, RawDocument } from '../core/document.js';
import type { DecideAccess } from '../security/access-rules.js';
import type { Redactor } from '../security/redaction/redactor.js';

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
  protect(source: string, raw: RawDocument, parsed: ParsedDocument): ProtectedDocument;
}

/**
 * Protection as configured; undefined where neither redaction nor an access rule is. Loads the detectors only then.
 *
 * @throws RAGError `CONFIG_INVALID` for `mode: token` without a key, or with a short one
 */
export async function createDocumentProtection(
  config: ResolvedConfig,
): Promise<DocumentProtection | undefined> {
  const { redaction, access } = config.rag.security;
  const hasRules = access.rules.length > 0 || access.defaultLevel !== undefined;
  if (!redaction.enabled && !hasRules) return undefined;
  const { createRedactor } = await import('../security/redaction/redactor.js');
  const { createAccessRules } = await import('../security/access-rules.js');
  const { mode, types, key } = redaction;
  const redactor = redaction.enabled
    ? createRedactor({ mode, types, ...(key === undefined ? {} : { key: key.reveal() }) })
    : undefined;
  // Rules ask for types whether or not they are taken out.
  const asked = access.rules.flatMap(({ holds }) => holds ?? []);
  const finder = asked.length === 0 ? undefined : createRedactor({ types: asked });
  const decide = hasRules ? createAccessRules(access) : undefined;
  return {
    key: [redactor?.fingerprint ?? null, hasRules ? access : null, finder?.fingerprint ?? null],
    protect: (source, raw, parsed) => {
      const open =
        decide === undefined ? raw : { ...raw, access: accessOf({ source, raw, parsed }, decide, finder) };
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
