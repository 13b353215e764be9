import type { ProviderSettings, Started, Tokens } from './oidc.js';

/** Undefined where the service takes keys alone. */
export const PROVIDER: ProviderSettings | undefined = parsed(
  document.querySelector<HTMLMetaElement>('meta[name=sign-in]')?.content,
);

function parsed<Value>(text: string | null | undefined): Value | undefined {
  return text === null || text === undefined ? undefined : (JSON.parse(text) as Value);
}

const STARTED = 'ragstone.sign-in';
const TOKENS = 'ragstone.tokens';

/** Kept for this tab until it is closed, as a key is. */
export const keptTokens = {
  get: (): Tokens | undefined => parsed(sessionStorage.getItem(TOKENS)),
  set: (tokens: Tokens): void => sessionStorage.setItem(TOKENS, JSON.stringify(tokens)),
  forget: (): void => sessionStorage.removeItem(TOKENS),
};

const load = () => import('./oidc.js');

/** Leads the browser to the provider. Rejects with what stands in the way. */
export async function leaveForSignIn(settings: ProviderSettings): Promise<void> {
  const { startSignIn } = await load();
  const { address, started } = await startSignIn(settings);
  sessionStorage.setItem(STARTED, JSON.stringify(started));
  // Who goes back finds the page as it was left: waiting.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload(), { once: true });
  location.assign(address);
}

/** What a provider sent the browser back with. It is taken out of the address at once. */
export function takeReturned(): URLSearchParams | undefined {
  const parameters = new URLSearchParams(location.search);
  if (PROVIDER === undefined || !(parameters.has('code') || parameters.has('error'))) return undefined;
  history.replaceState(null, '', location.pathname);
  return parameters;
}

/** Signs in with what `takeReturned` took, and leads back to where the page was. Rejects with a `SignInError`. */
export async function returnFromSignIn(settings: ProviderSettings, returned: URLSearchParams): Promise<void> {
  const started = parsed<Started>(sessionStorage.getItem(STARTED));
  sessionStorage.removeItem(STARTED);
  const { finishSignIn } = await load();
  keptTokens.set(await finishSignIn(settings, returned, started));
  history.replaceState(null, '', location.pathname + (started?.hash ?? ''));
}

/** Before it ends a token is renewed. */
const EARLY_MS = 10_000;
let renewing: Promise<void> | undefined;

/** The token of the moment. One that cannot be renewed is given as it is: the service refuses it, and the page asks anew. */
export async function currentToken(): Promise<string> {
  const { refresh, endsAt = Number.POSITIVE_INFINITY } = keptTokens.get() ?? {};
  if (refresh !== undefined && endsAt - EARLY_MS < Date.now()) {
    renewing ??= renewTokens().finally(() => {
      renewing = undefined;
    });
    await renewing;
  }
  return keptTokens.get()?.access ?? '';
}

async function renewTokens(): Promise<void> {
  const tokens = keptTokens.get();
  if (tokens === undefined || PROVIDER === undefined) return;
  try {
    const { renew } = await load();
    const renewed = await renew(PROVIDER, tokens);
    // Somebody may have left in the meantime.
    if (keptTokens.get() !== undefined) keptTokens.set(renewed);
  } catch {
    // A refresh token is given once; what is refused is not asked for again.
    const { access } = tokens;
    if (keptTokens.get() !== undefined) keptTokens.set({ access });
  }
}
