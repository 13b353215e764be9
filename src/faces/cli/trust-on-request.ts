import type { CliContext } from './context.js';

/** Asks whether a folder is trusted where an error says that it is not yet; true where it now is. */
export async function trustOnRequest(error: unknown, context: CliContext): Promise<boolean> {
  const request = requestOf(error, context);
  if (request === undefined || !context.canAsk) return false;
  const { askYesNo } = await import('./ask.js');
  context.side.writeMessage(request.message);
  if (!(await askYesNo(context, 'Trust it?', { preset: false }))) return false;
  await request.trust();
  return true;
}

interface TrustRequest {
  readonly message: string;
  /** Trusts what the message says, and nothing else. */
  trust(): Promise<unknown>;
}

// Told by shape, as in `errors.ts`.
function requestOf(error: unknown, { env }: CliContext): TrustRequest | undefined {
  if (!(error instanceof Error) || !('reason' in error) || !('details' in error)) return undefined;
  const { message, reason, details } = error;
  if (reason === 'CONFIG_UNTRUSTED') {
    const { folder } = details as { readonly folder: string };
    return {
      message,
      trust: async () => {
        const { trustConfiguration } = await import('../../config/trust/trust-configuration.js');
        await trustConfiguration(folder, { env });
      },
    };
  }
  if (reason !== 'INDEX_UNTRUSTED') return undefined;
  const { dataDir, risks } = details as { readonly dataDir: string; readonly risks: readonly string[] };
  return {
    message,
    trust: async () => {
      const { trustAlso } = await import('../../config/trust/trust-store.js');
      const { indexRisk } = await import('../../config/trust/index-reach.js');
      trustAlso(dataDir, risks.map(indexRisk), env);
    },
  };
}
