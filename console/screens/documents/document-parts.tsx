import { useState } from 'preact/hooks';
import type { DocumentText } from 'ragstone/client';
import { Age } from '../../parts/basics.js';
import { Failure } from '../../parts/failure.js';
import { Part } from '../../parts/part.js';
import { type Address, withQuery, writeAddress } from '../../state/address.js';
import { useSession } from '../../state/session.js';
import { asServiceError, useLoad } from '../../state/use-load.js';
import { rangeOf, several, shown, timeOf } from '../../text/shown.js';
import type { Border, Passage } from './passage.js';

interface PassagesProps {
  readonly borders: readonly Border[];
  readonly address: Address;
  readonly passage: Passage | undefined;
}

/** The passages that the document is cut into; each leads to where it stands. */
export function Passages({ borders, address, passage }: PassagesProps) {
  return (
    <Part title={`Passages (${borders.length})`}>
      <ol class="related">
        {borders.map(({ id, offsets, lines, pages, headingPath }, at) => (
          <li key={id}>
            <a
              href={writeAddress(
                withQuery(address, { from: [String(offsets.start)], to: [String(offsets.end)] }),
              )}
              aria-current={passage?.start === offsets.start ? 'true' : undefined}
            >
              {at + 1}.{' '}
              {headingPath.length === 0 ? 'without a heading' : headingPath.map(shown).join(' \u203a ')}
            </a>
            <span class="small quiet">
              {pages === undefined ? `lines ${rangeOf(lines)}` : `pages ${rangeOf(pages)}`}
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** Earlier revisions, where the index keeps history. */
export function Versions({ id }: { id: string }) {
  const { client } = useSession();
  const { value, error, reload } = useLoad(`versions ${id}`, (signal) =>
    client.documentVersions(id, { signal }),
  );
  return (
    <Part title="Versions">
      {error === undefined ? null : <Failure error={error} retry={reload} />}
      {value === undefined ? null : value.isKept ? (
        <ol class="related">
          {value.versions.map(({ revision, from, to, passages, title }) => (
            <li key={`${revision} ${from}`}>
              <span>
                {to === undefined ? 'present' : `until ${timeOf(to)}`}{' '}
                {title === undefined ? '' : `“${shown(title)}”`}
              </span>
              <span class="small quiet">
                since <Age of={from} />, {several(passages, 'passage')}
              </span>
            </li>
          ))}
        </ol>
      ) : (
        <p class="small quiet">
          Only the present one: the index keeps no history (<code>rag.history</code>).
        </p>
      )}
    </Part>
  );
}

/** The bytes of the document, read anew from where they came from. They are saved and not shown: they may be anything. */
export function Original({ document: { id } }: { document: DocumentText }) {
  const { client } = useSession();
  const [told, setTold] = useState('');
  const save = (): void => {
    setTold('Reading…');
    client.documentOriginal(id).then(
      ({ name, content }) => {
        const address = URL.createObjectURL(content);
        const link = document.createElement('a');
        link.href = address;
        link.download = name;
        link.click();
        URL.revokeObjectURL(address);
        setTold(`Saved ${shown(name)}`);
      },
      (cause: unknown) => setTold(shown(asServiceError(cause).message)),
    );
  };
  return (
    <Part title="Original">
      <p class="row">
        <button type="button" class="button" onClick={save}>
          Save the original
        </button>
        <span role="status" class="small quiet">
          {told}
        </span>
      </p>
    </Part>
  );
}
