import * as oauth from 'oauth4webapi';

/** The provider that the service lets people sign in at, as it states it in the page. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
}

/** What a provider gave. */
export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  /** Milliseconds since 1970. */
  readonly endsAt?: number;
}

/** A sign-in under way: what the return of the browser is held against, and where the page was. */
export interface Started {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly hash: string;
}

/** Signing in failed, and what leads on. */
export class SignInError extends Error {
  readonly nextStep: string;

  constructor(message: string, nextStep: string, cause?: unknown) {
    super(message, { cause });
    this.nextStep = nextStep;
  }
}

/** The page without query and fragment, as the provider knows it. */
const returnAddress = (): string => new URL('.', document.baseURI.replace(/[#?].*$/s, '')).href;

/** Where the browser is to go, and what its return is held against (OpenID Connect Core 1.0, 3.1.2; RFC 7636). */
export async function startSignIn(
  settings: ProviderSettings,
): Promise<{ readonly address: string; readonly started: Started }> {
  if (!isSecureContext)
    throw new SignInError(
      'This page came over http, and a browser signs in over https alone.',
      'Open it by its https address, or state a key.',
    );
  return told(settings, async () => {
    const { authorization_endpoint: endpoint } = await providerOf(settings);
    if (endpoint === undefined) throw new Error('it states no authorization endpoint');
    const started = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
      hash: location.hash,
    };
    const address = new URL(endpoint);
    const parameters = {
      client_id: settings.clientId,
      response_type: 'code',
      redirect_uri: returnAddress(),
      scope: settings.scope,
      state: started.state,
      nonce: started.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(started.verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return { address: address.href, started };
  });
}

/** The tokens for what the provider sent the browser back with. */
export async function finishSignIn(
  settings: ProviderSettings,
  returned: URLSearchParams,
  started: Started | undefined,
): Promise<Tokens> {
  if (started === undefined || returned.get('state') !== started.state)
    throw new SignInError(
      'This sign-in was not begun in this tab, and is refused.',
      'Sign in again from here. If you did not mean to sign in, somebody may have sent you a link.',
    );
  return told(settings, async () => {
    const server = await providerOf(settings);
    const client = { client_id: settings.clientId };
    const checked = oauth.validateAuthResponse(server, client, returned, started.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      checked,
      returnAddress(),
      started.verifier,
      overHttp(settings),
    );
    const isWithIdToken = settings.scope.split(' ').includes('openid');
    return tokensOf(
      await oauth.processAuthorizationCodeResponse(
        server,
        client,
        response,
        isWithIdToken ? { expectedNonce: started.nonce, requireIdToken: true } : {},
      ),
    );
  });
}

/** New tokens for those that end. */
export async function renew(settings: ProviderSettings, { refresh = '' }: Tokens): Promise<Tokens> {
  const server = await providerOf(settings);
  const client = { client_id: settings.clientId };
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    oauth.None(),
    refresh,
    overHttp(settings),
  );
  // A provider that gives no new one leaves the old one valid (RFC 6749, 6).
  return { refresh, ...tokensOf(await oauth.processRefreshTokenResponse(server, client, response)) };
}

const tokensOf = ({ access_token, refresh_token, expires_in }: oauth.TokenEndpointResponse): Tokens => ({
  access: access_token,
  ...(refresh_token === undefined ? {} : { refresh: refresh_token }),
  ...(expires_in === undefined ? {} : { endsAt: Date.now() + expires_in * 1_000 }),
});

/** The settings of the service allow http for a provider of the same machine alone. */
const overHttp = ({ issuer }: ProviderSettings) => ({
  [oauth.allowInsecureRequests]: new URL(issuer).protocol === 'http:',
});

async function providerOf(settings: ProviderSettings): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(settings.issuer);
  const response = await oauth.discoveryRequest(issuer, overHttp(settings));
  const server = await oauth.processDiscoveryResponse(issuer, response);
  // The policy of the page lets it ask no other.
  if (server.token_endpoint === undefined || new URL(server.token_endpoint).origin !== issuer.origin)
    throw new Error(`it states no token endpoint at ${issuer.origin}`);
  return server;
}

/** What a provider refuses in words for people. */
async function told<Result>({ issuer }: ProviderSettings, work: () => Promise<Result>): Promise<Result> {
  const { host } = new URL(issuer);
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof oauth.AuthorizationResponseError || cause instanceof oauth.ResponseBodyError) {
      const { error, error_description: description } = cause;
      throw new SignInError(
        `${host} refused to sign you in: ${description === undefined ? error : `${description} (${error})`}.`,
        NEXT_STEPS[error] ??
          `Sign in again. Its operator sees in the log why it refused; a key works without it.`,
        cause,
      );
    }
    // Neither says a browser which of both it was.
    if (cause instanceof TypeError)
      throw new SignInError(
        `${host} does not answer this page.`,
        `Look whether ${issuer} can be reached from here, and whether it allows the origin ${location.origin} (CORS); a key works without it.`,
        cause,
      );
    throw new SignInError(
      `The answer of ${host} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}.`,
      'The operator of the service compares rag.server.jwt.issuer and rag.server.jwt.console with the provider; a key works without it.',
      cause,
    );
  }
}

const NEXT_STEPS: Readonly<Record<string, string>> = {
  access_denied: 'Sign in with another account, or ask the operator of the provider for access to this page.',
  invalid_grant: 'The sign-in took too long or was used before. Sign in again.',
  login_required: 'Sign in again.',
};
