import { RAGError } from '../../core/errors.js';
import type { Environment } from '../expand-variables.js';
import type { Risk } from './risks.js';
import { isTrustedByEnvironment, untrusted } from './trust-store.js';

const MOST_SHOWN = 20;
const MOST_CHARACTERS = 200;

/**
 * Stops before a configuration that was found in a folder does anything beyond it that the user has not trusted.
 *
 * @throws RAGError `CONFIG_UNTRUSTED` with everything that it would do, and what to do.
 */
export function assertTrusted(
  found: { readonly file: string; readonly folder: string; readonly risks: readonly Risk[] },
  environment: Environment,
): void {
  const { file, folder, risks } = found;
  if (risks.length === 0 || isTrustedByEnvironment(folder, environment)) return;
  const open = untrusted(folder, risks, environment).map(({ key, what }) => `${key} ${what}`);
  if (open.length === 0) return;
  const shown = open.slice(0, MOST_SHOWN).map((line) => `- ${line.slice(0, MOST_CHARACTERS)}`);
  const more = open.length > MOST_SHOWN ? [`- and ${open.length - MOST_SHOWN} more`] : [];
  throw new RAGError(
    'CONFIG_UNTRUSTED',
    [
      `${file} was found in its folder and does what you have not trusted it with yet:`,
      ...shown,
      ...more,
      `Read the file. If you trust it, run \`ragstone trust ${quoted(folder)}\` once (or the command with --trust, or RAGSTONE_TRUST=1 in a job).`,
    ].join('\n'),
    { details: { file, folder, risks: open.slice(0, MOST_SHOWN) } },
  );
}

const quoted = (folder: string): string => (/^[\w./@+-]+$/.test(folder) ? folder : JSON.stringify(folder));
