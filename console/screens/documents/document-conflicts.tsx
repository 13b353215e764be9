import { useState } from 'preact/hooks';
import type { ConflictsResponse } from 'ragstone/client';
import { Failure, Notices } from '../../parts/failure.js';
import { Part } from '../../parts/part.js';
import { writeAddress } from '../../state/address.js';
import { useSession } from '../../state/session.js';
import { useLoad } from '../../state/use-load.js';
import { several, shown } from '../../text/shown.js';

type Finding = ConflictsResponse['findings'][number];

/** Of each kind. */
const MOST = 20;

/** What contradicts the document, and what says the same. All that may be read is compared for it, so it is asked for when it is opened. */
export function Conflicts({ id }: { id: string }) {
  const { client } = useSession();
  const [isAsked, setAsked] = useState(false);
  const { value, error, isLoading, reload } = useLoad(isAsked ? `conflicts ${id}` : undefined, (signal) =>
    client.conflicts({ document: id, limit: MOST }, { signal }),
  );
  return (
    <Part title="Conflicts and duplicates" onOpen={() => setAsked(true)}>
      {isLoading ? <p class="small quiet">Comparing with other documents…</p> : null}
      {error === undefined ? null : error.reason === 'CONFLICTS_OFF' ? (
        <p class="small quiet">
          The index compares no statements (<code>rag.conflicts.enabled</code>).
        </p>
      ) : (
        <Failure error={error} retry={reload} />
      )}
      {value === undefined ? null : <Findings found={value} id={id} />}
    </Part>
  );
}

function Findings({ found, id }: { found: ConflictsResponse; id: string }) {
  const { findings, totals, notExamined } = found;
  return (
    <>
      <Notices of={found} />
      {notExamined.includes(id) ? (
        <p class="note warn small">It is not examined yet: the next run does that.</p>
      ) : null}
      <p class="small quiet" role="status">
        {findings.length === 0
          ? 'Nothing contradicts it, and nothing says the same.'
          : `${several(totals.conflict, 'conflict')}, ${several(totals.duplicate, 'duplicate')}`}
      </p>
      <ul class="related">
        {findings.map((finding, at) => (
          <li key={at}>
            <One finding={finding} id={id} />
          </li>
        ))}
      </ul>
    </>
  );
}

function One({ finding: { kind, differences, passages }, id }: { finding: Finding; id: string }) {
  const isConflict = kind === 'conflict';
  return (
    <>
      <span class={isConflict ? 'state warn' : 'state off'}>
        {isConflict
          ? differences.map(({ first, second }) => `${shown(first)} or ${shown(second)}`).join('; ')
          : 'says the same'}
      </span>
      {passages.map(({ quote, places, more }, at) => (
        <div key={at}>
          “{shown(quote)}”
          {places.map(({ documentId, title, externalId, date, offsets }) => (
            <p key={`${documentId} ${offsets.start}`} class="small">
              <a
                href={writeAddress({
                  screen: 'documents',
                  id: documentId,
                  query: { from: [String(offsets.start)], to: [String(offsets.end)] },
                })}
              >
                {documentId === id ? 'here' : <bdi>{shown(title ?? externalId)}</bdi>}
              </a>{' '}
              <span class="quiet">{date?.slice(0, 10) ?? ''}</span>
            </p>
          ))}
          {more === 0 ? null : <p class="small quiet">and {several(more, 'further place')}</p>}
        </div>
      ))}
    </>
  );
}
