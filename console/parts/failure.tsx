import type { ServiceError } from 'ragstone/client';
import { type Session, useSession } from '../state/session.js';
import { Empty, Worded } from './basics.js';

/** What to do next, by the reason of a failure. */
function nextStep({ reason }: ServiceError, session: Session): string {
  switch (reason) {
    case 'SERVER_UNREACHABLE':
      return 'Look whether `ragstone serve` still runs, then try again.';
    case 'UNAUTHENTICATED':
      return session.signInAgain === undefined
        ? 'The key was revoked or has expired. Leave, and state another one.'
        : 'The sign-in has ended. Sign in again; you come back here.';
    case 'FORBIDDEN':
      return `Your key may ${session.caller.permissions.join(', ')}. An operator of the service makes another: \`ragstone keys create --permission\`.`;
    case 'RATE_LIMITED':
    case 'SERVICE_OVERLOADED':
      return 'Wait a moment, then try again.';
    case 'REQUEST_TIMEOUT':
      return 'It took too long. Try again, or narrow it by a filter.';
    case 'DOCUMENT_NOT_FOUND':
      return 'It was deleted, or is not for your key. Search for its title.';
    case 'FEEDBACK_OFF':
      return 'Switch it on in the configuration of the service: `rag.feedback.enabled`.';
    case 'CONFLICTS_OFF':
      return 'Switch it on in the configuration of the service: `rag.conflicts`.';
    default:
      return 'The log of the service says more, under the id of the request.';
  }
}

/** What went wrong, and what leads on. */
export function Failure({ error, retry }: { error: ServiceError; retry?: (() => void) | undefined }) {
  const session = useSession();
  if (error.reason === 'INDEX_EMPTY') return <NothingIndexed />;
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>
          <Worded text={error.message} />
        </strong>
      </p>
      <p>
        <Worded text={nextStep(error, session)} />
      </p>
      <p class="small quiet">
        {error.reason}
        {error.requestId === undefined ? '' : `, request ${error.requestId}`}
      </p>
      <div class="row">
        {retry === undefined ? null : (
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        )}
        {error.reason === 'UNAUTHENTICATED' && session.signInAgain !== undefined ? (
          <button type="button" class="button main" onClick={session.signInAgain}>
            Sign in again
          </button>
        ) : null}
        {error.reason === 'UNAUTHENTICATED' ? (
          <button type="button" class="button" onClick={session.leave}>
            State another key
          </button>
        ) : null}
      </div>
    </div>
  );
}

/** Nothing failed: there is nothing yet. */
export function NothingIndexed() {
  return (
    <Empty title="Nothing is indexed yet">
      <p>
        On the machine of the service: <code>ragstone index FOLDER</code>, or push documents by the route{' '}
        <a href="docs">POST /api/ai/rag/index</a>.
      </p>
    </Empty>
  );
}

/** In place of a screen that the key does not open. */
export function NotAllowed({ what, permission }: { what: string; permission: string }) {
  const { caller } = useSession();
  return (
    <div class="note warn narrow">
      <h1>{what}</h1>
      <p>This needs the permission “{permission}”.</p>
      <p>
        Your key may {caller.permissions.join(', ')}. An operator of the service makes another:{' '}
        <code>
          ragstone keys create --tenant {caller.tenant} --permission {permission}
        </code>
      </p>
    </div>
  );
}

/** What is to be known beside a result: its notices, and what was out. */
export function Notices({
  of,
}: {
  of: {
    readonly notices: readonly string[];
    readonly degradationLevel?: number;
    readonly degradation?: { readonly parts: readonly string[] } | undefined;
  };
}) {
  const level = of.degradationLevel ?? 0;
  if (of.notices.length === 0 && level === 0) return null;
  return (
    <div class={level > 0 ? 'note warn' : 'note'}>
      {level === 0 ? null : (
        <p>
          <strong>{LEVELS[level] ?? 'Degraded.'}</strong>
          {of.degradation === undefined || of.degradation.parts.length === 0
            ? ''
            : ` Does not answer: ${of.degradation.parts.join(', ')}.`}
        </p>
      )}
      {of.notices.map((notice) => (
        <p key={notice}>
          <Worded text={notice} />
        </p>
      ))}
    </div>
  );
}

const LEVELS: Readonly<Record<number, string>> = {
  1: 'Without the closer look: the order is that of words and meaning.',
  2: 'As it was found before: the index does not answer now.',
  3: 'By words alone: the meaning could not be compared.',
  4: 'Nothing can be searched now. The texts below were written for such times.',
  5: 'Retrieval is switched off.',
};
