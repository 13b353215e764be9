import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Caller, RagstoneClient } from 'ragstone/client';

/** Who reads the page, and how it asks for them. */
export interface Session {
  readonly client: RagstoneClient;
  readonly caller: Caller;
  readonly hasKey: boolean;
  /** Forgets the key, and asks for another. */
  readonly leave: () => void;
}

const KEY = 'ragstone.key';

/** Kept for this tab until it is closed, and sent in a header alone. */
export const keptKey = {
  get: (): string | undefined => sessionStorage.getItem(KEY) ?? undefined,
  set: (key: string): void => sessionStorage.setItem(KEY, key),
  forget: (): void => sessionStorage.removeItem(KEY),
};

/** A client of the service that the page came from, below whatever path a proxy shows it. */
export const clientOf = (key: string | undefined): RagstoneClient =>
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
