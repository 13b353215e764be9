import type { CliContext } from './context.js';

/** Asks whether a folder is trusted where an error says that it is not yet; true where it now is. */
export async function trustOnRequest(error: unknown, context: CliContext): Promise<boolean> {
  const request = requestOf(error);
  if (request === undefined || !context.canAsk) return false;
  const { askYesNo } = await import('./ask.js');
  context.side.writeMessage(request.message);
  if (!(await askYesNo(context, 'Trust it?', { preset: false }))) return false;
  const { trustFolder } = await import('../index.js');
  await trustFolder(request.folder, { dataDir: request.dataDir });
  return true;
}

interface TrustRequest {
  readonly message: string;
  readonly folder: string;
  readonly dataDir?: string;
}

// Told by shape, as in `errors.ts`.
function requestOf(error: unknown): TrustRequest | undefined {
  if (!(error instanceof Error) || !('reason' in error) || !('details' in error)) return undefined;
  if (error.reason !== 'CONFIG_UNTRUSTED' && error.reason !== 'INDEX_UNTRUSTED') return undefined;
  const { folder, dataDir } = error.details as { readonly folder: string; readonly dataDir?: string };
  return { message: error.message, folder, ...(dataDir === undefined ? {} : { dataDir }) };
}
