import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Help } from './parts/help.js';
import { lazyScreen } from './parts/lazy-screen.js';
import { SignIn } from './parts/sign-in.js';
import { SearchScreen } from './screens/search/search-screen.js';
import { type Address, type Screen, writeAddress } from './state/address.js';
import { forgetSearch } from './state/last-search.js';
import { SessionProvider, useSession } from './state/session.js';
import { useAddress } from './state/use-address.js';
import { useKeys } from './state/use-keys.js';
import { useSignIn } from './state/use-sign-in.js';
import { shown } from './text/shown.js';

const TITLES: Readonly<Record<Screen, string>> = {
  search: 'Search',
  answer: 'Answer',
  documents: 'Documents',
  miss: 'Why not found',
  compare: 'Compare',
  questions: 'Questions',
  sources: 'Sources',
  health: 'Health',
};

/** What is not needed for the first search is loaded when it is opened. */
const PAGES: Readonly<Record<Screen, ComponentType<{ address: Address }>>> = {
  search: SearchScreen,
  answer: lazyScreen(async () => (await import('./screens/answer/answer-screen.js')).AnswerScreen),
  documents: lazyScreen(
    async () => (await import('./screens/documents/documents-screen.js')).DocumentsScreen,
  ),
  miss: lazyScreen(async () => (await import('./screens/miss/miss-screen.js')).MissScreen),
  compare: lazyScreen(async () => (await import('./screens/compare/compare-screen.js')).CompareScreen),
  questions: lazyScreen(
    async () => (await import('./screens/questions/questions-screen.js')).QuestionsScreen,
  ),
  sources: lazyScreen(async () => (await import('./screens/sources/sources-screen.js')).SourcesScreen),
  health: lazyScreen(async () => (await import('./screens/health/health-screen.js')).HealthScreen),
};

/** The page: who reads it is asked first, then the screen that the address names is shown. */
export function App() {
  const signIn = useSignIn();
  if (signIn.session === undefined) {
    forgetSearch();
    return <SignIn {...signIn} />;
  }
  return (
    <SessionProvider value={signIn.session}>
      <Shell />
    </SessionProvider>
  );
}

function Shell() {
  const address = useAddress();
  const main = useRef<HTMLElement>(null);
  const help = useRef<HTMLDialogElement>(null);
  const { screen, id } = address;
  useEffect(() => {
    document.title = `${TITLES[screen]} – Ragstone`;
  }, [screen]);
  useFocusOfScreens(main, `${screen}/${id ?? ''}`);
  useKeys({ '?': () => help.current?.showModal() });
  const Page = PAGES[screen];
  return (
    <>
      <Top screen={screen} onHelp={() => help.current?.showModal()} onSkip={() => main.current?.focus()} />
      <main ref={main} tabIndex={-1} id="main">
        <Page key={screen} address={address} />
      </main>
      <Help dialog={help} />
    </>
  );
}

/** A new screen is read from its beginning unless its first field has the focus. */
function useFocusOfScreens(main: { readonly current: HTMLElement | null }, name: string): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    if (document.activeElement?.matches('main [data-first]') !== true)
      main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [name]);
}

function Top({ screen, onHelp, onSkip }: { screen: Screen; onHelp: () => void; onSkip: () => void }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // On a narrow page the names scroll.
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [screen]);
  return (
    <header class="top">
      <button type="button" class="skip" onClick={onSkip}>
        Skip to the content
      </button>
      <a class="brand" href="#/search">
        <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 10.5 5 3l7-1 2.5 7-4 5H4z" />
        </svg>
        Ragstone
      </a>
      <nav aria-label="Screens">
        <ul ref={list}>
          {Object.entries(TITLES).map(([name, title]) => (
            <li key={name}>
              <a
                href={writeAddress({ screen: name as Screen, query: {} })}
                aria-current={name === screen ? 'page' : undefined}
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Who>
        <button
          type="button"
          class="button plain"
          onClick={onHelp}
          aria-label="Keys and help"
          title="Keys and help (?)"
        >
          ?
        </button>
      </Who>
    </header>
  );
}

function Who({ children }: { children: ComponentChildren }) {
  const { caller, hasKey, leave, signInAgain } = useSession();
  const scope = caller.project === undefined ? caller.tenant : `${caller.tenant} / ${caller.project}`;
  return (
    <div class="who">
      <span
        title={`${caller.isLocal ? 'You, on this machine' : `${signInAgain === undefined ? 'Key' : 'Signed in as'} ${caller.name}`}: may ${caller.permissions.join(', ')}`}
      >
        {shown(scope)}
      </span>
      {hasKey ? (
        <button type="button" class="button plain" onClick={leave}>
          Leave
        </button>
      ) : null}
      {children}
    </div>
  );
}
