import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Caller, type KeyProvider, RagstoneClient } from 'ragstone/client';
import { currentToken, keptTokens } from './provider.js';

/** Who reads the page, and how it asks for them. */
export interface Session {
  readonly client: RagstoneClient;
  readonly caller: Caller;
  readonly hasKey: boolean;
  /** Forgets the key or token, and asks for another. */
  readonly leave: () => void;
  /** Asks the provider anew, for whom it let in; undefined for a key. */
  readonly signInAgain: (() => void) | undefined;
}

const KEY = 'ragstone.key';

/** A key, or what gives the token of the moment. */
export type Credential = string | KeyProvider;

/** Kept for this tab until it is closed, and sent in a header alone. */
export const keptCredential = {
  get: (): Credential | undefined =>
    keptTokens.get() === undefined ? (sessionStorage.getItem(KEY) ?? undefined) : currentToken,
  setKey: (key: string): void => sessionStorage.setItem(KEY, key),
  forget: (): void => {
    sessionStorage.removeItem(KEY);
    keptTokens.forget();
  },
};

/** A client of the service that the page came from, below whatever path a proxy shows it. */
export const clientOf = (key: Credential | undefined): RagstoneClient =>
  new RagstoneClient({ url: new URL('.', document.baseURI.replace(/[#?].*$/s, '')), key });

const Context = createContext<Session | undefined>(undefined);
export const SessionProvider = Context.Provider;

export function useSession(): Session {
  const session = useContext(Context);
  if (session === undefined) throw new Error('The page has no session yet.');
  return session;
}

type Permission = Caller['permissions'][number];

export const may = ({ caller }: Session, permission: Permission): boolean =>
  caller.permissions.includes(permission);
